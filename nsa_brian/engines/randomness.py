"""Interface of an engine's random generator."""

from __future__ import annotations

from typing import Any, Protocol


class Randomness(Protocol):
    """Methods that engines need: numpy's generator, or one with a stream per game. The first axis is the game."""

    def random(self, size: Any) -> Any:
        """Return uniform random numbers in [0, 1)."""

    def spawn(self, n_children: int) -> Any:
        """Return independent generators, for numbers other than those of decisions."""
