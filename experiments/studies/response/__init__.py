"""The study of ``nsa response``."""
