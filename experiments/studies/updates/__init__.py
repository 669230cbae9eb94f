"""The study of ``nsa updates``."""
