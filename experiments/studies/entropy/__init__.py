"""The study of ``nsa entropy``."""
