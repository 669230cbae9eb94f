"""Aliases of modules of 0.2, to be removed in 0.4."""
