"""The study of ``nsa bound``."""
