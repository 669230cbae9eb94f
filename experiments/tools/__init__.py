"""The small commands: ``nsa check``, ``nsa parameters``, ``nsa record``."""
