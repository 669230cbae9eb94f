"""Our agents in other people's bandits: the door for scripts; the room is ``experiments.core.gymnasium_game``."""

from experiments.core.gymnasium_game import Played, play_gymnasium

__all__ = ["Played", "play_gymnasium"]
