"""Results files: the door for scripts; the room is ``experiments.core.results``."""

from experiments.core.results import PlayResults, load, save

__all__ = ["PlayResults", "load", "save"]
