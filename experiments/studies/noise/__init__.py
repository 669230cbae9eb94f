"""The study of ``nsa noise``."""
