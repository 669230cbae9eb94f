"""What an experiment is: the door for scripts; the room is ``experiments.core.settings``."""

from experiments.core.settings import PlaySettings

__all__ = ["PlaySettings"]
