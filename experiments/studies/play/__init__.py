"""The study of ``nsa play``."""
