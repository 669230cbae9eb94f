"""Small commands: ``nsa check``, ``nsa describe``, ``nsa export``, ``nsa parameters``, ``nsa record``."""
