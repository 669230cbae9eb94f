"""Where an engine's random numbers come from."""

from __future__ import annotations

from typing import Any, Protocol


class Randomness(Protocol):
    """What engines ask a generator for: numpy's, or one that has streams of games' own. The first axis is the game."""

    def random(self, size: Any) -> Any:
        """Uniform numbers in [0, 1)."""

    def spawn(self, n_children: int) -> Any:
        """Independent generators, for what is drawn apart from the decisions."""
