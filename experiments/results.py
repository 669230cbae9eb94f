"""Results files: the door for scripts; the room is ``experiments.studies.play.study``."""

from experiments.studies.play.study import PlayResults, load, save

__all__ = ["PlayResults", "load", "save"]
