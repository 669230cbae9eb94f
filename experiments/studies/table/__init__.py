"""The study of ``nsa table``."""
