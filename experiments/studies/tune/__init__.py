"""The study of ``nsa tune``."""
