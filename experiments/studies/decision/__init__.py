"""The study of ``nsa decision``."""
