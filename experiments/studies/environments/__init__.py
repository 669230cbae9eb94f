"""The study of ``nsa environments``."""
