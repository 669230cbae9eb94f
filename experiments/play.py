"""Agents against a bandit: the door for scripts; the room is ``experiments.studies.play``."""

from experiments.core.play import play_agent
from experiments.studies.play.study import report, run

__all__ = ["play_agent", "report", "run"]
