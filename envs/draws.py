"""Random draws at times that differ between games, and of many rounds at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np


class Randomness(Protocol):
    """Methods of a generator that bandits use: numpy's, or one with a stream per game. The first axis is the game."""

    def random(self, size: Any) -> Any:
        """Return uniform random numbers in [0, 1)."""

    def normal(self, loc: Any, scale: Any, size: Any) -> Any:
        """Return normal random numbers."""

    def uniform(self, low: Any, high: Any, size: Any) -> Any:
        """Return uniform random numbers in [low, high)."""

    def spawn(self, n_children: int) -> Any:
        """Return independent generators."""


class Draws:
    """Numbered draws for games that need them at different times.

    The i-th draw is made for all games at once, when the first game needs it. So a game's draws do not depend on the
    other games.

    Parameters
    ----------
    draw : callable
        Returns an array whose first axis is the game. Nothing else may use its generator.
    n_games : int
    cycle : int
        0: each draw is new. N > 0: draws cycle through the first N.
    """

    def __init__(self, draw: Callable[[], np.ndarray], n_games: int, cycle: int = 0) -> None:
        self._draw, self._cycle = draw, cycle
        self._asked = np.zeros(n_games, dtype=np.intp)
        self._made: dict[int, np.ndarray] = {}
        self._n_made = 0

    def next(self, games: np.ndarray) -> np.ndarray:
        """Return the next draw of each of these games, given by index."""
        rows = [self._number(self._asked[game])[game] for game in games]
        self._asked[games] += 1
        return np.array(rows)

    def _number(self, index: int) -> np.ndarray:
        """Return the draw ``index`` of every game."""
        if self._cycle:
            index %= self._cycle
        if index == self._n_made:
            if not self._cycle:  # drop draws that all games have used
                self._made = {i: draw for i, draw in self._made.items() if i >= self._asked.min()}
            self._made[index] = self._draw()
            self._n_made += 1
        return self._made[index]


def random_rounds(rng: Randomness, n_rounds: int, size: tuple[int, ...]) -> np.ndarray:
    """Return ``rng.random(size)`` of each of ``n_rounds`` rounds; the first axis of ``size`` is the game.

    A plain generator draws row by row; a generator with a stream per game has the method ``rounds``.
    """
    rounds = getattr(rng, "rounds", None)
    drawn: np.ndarray = rounds(n_rounds, size) if rounds else rng.random((n_rounds, *size))
    return drawn
