"""Helpers that every package may import; they need the standard library and numpy only."""
