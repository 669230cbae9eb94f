"""Public names of ``experiments.core.gymnasium_game``: our agents in Gymnasium environments."""

from experiments.core.gymnasium_game import Played, play_gymnasium

__all__ = ["Played", "play_gymnasium"]
