"""Small commands: ``nsa check``, ``nsa parameters``, ``nsa record``."""
