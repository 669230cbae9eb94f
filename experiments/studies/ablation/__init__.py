"""The study of ``nsa ablation``."""
