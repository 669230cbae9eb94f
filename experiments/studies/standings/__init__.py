"""The study of ``nsa standings``."""
