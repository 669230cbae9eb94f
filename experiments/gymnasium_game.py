"""For scripts: our agents in other people's bandits; see ``experiments.core.gymnasium_game``."""

from experiments.core.gymnasium_game import Played, play_gymnasium

__all__ = ["Played", "play_gymnasium"]
