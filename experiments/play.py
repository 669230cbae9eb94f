"""Agents against a bandit, from Python: the door for scripts; the room is ``experiments.core.play``."""

from experiments.core.play import play_agent, report, run

__all__ = ["play_agent", "report", "run"]
