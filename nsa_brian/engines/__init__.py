"""Engines: the ways to run a model."""
