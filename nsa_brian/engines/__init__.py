"""The ways to run a model."""
