"""A model in words, equations and tables for a methods section, and as a diagram."""
