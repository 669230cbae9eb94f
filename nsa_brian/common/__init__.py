"""Helpers that every package may import; they need only numpy, filelock and psutil."""
