"""Draws that games need at times of their own, and those of many rounds at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np


class Randomness(Protocol):
    """What bandits ask a generator for: numpy's, or one that has streams of games' own. The first axis is the game."""

    def random(self, size: Any) -> Any:
        """Uniform numbers in [0, 1)."""

    def normal(self, loc: Any, scale: Any, size: Any) -> Any:
        """Normal numbers."""

    def uniform(self, low: Any, high: Any, size: Any) -> Any:
        """Uniform numbers in [low, high)."""

    def spawn(self, n_children: int) -> Any:
        """Independent generators."""


class Draws:
    """The first, second, third ... draw of each game, whenever it asks for it.

    The i-th draw of all games is made together, when the first game asks for it, so that what a game draws does not
    depend on the games beside it.

    Parameters
    ----------
    draw : callable
        Makes an array whose first axis is the game, from random numbers that nobody else uses.
    n_games : int
    cycle : int
        0: each draw is a new one. N > 0: the draws cycle through the first N.
    """

    def __init__(self, draw: Callable[[], np.ndarray], n_games: int, cycle: int = 0) -> None:
        self._draw, self._cycle = draw, cycle
        self._asked = np.zeros(n_games, dtype=np.intp)
        self._made: dict[int, np.ndarray] = {}
        self._n_made = 0

    def next(self, games: np.ndarray) -> np.ndarray:
        """The next draw of each of these games, which are given by their numbers."""
        rows = [self._number(self._asked[game])[game] for game in games]
        self._asked[games] += 1
        return np.array(rows)

    def _number(self, index: int) -> np.ndarray:
        """The index-th draw of every game."""
        if self._cycle:
            index %= self._cycle
        if index == self._n_made:
            if not self._cycle:  # those that all games have left behind are done with
                self._made = {i: draw for i, draw in self._made.items() if i >= self._asked.min()}
            self._made[index] = self._draw()
            self._n_made += 1
        return self._made[index]


def random_rounds(rng: Randomness, n_rounds: int, size: tuple[int, ...]) -> np.ndarray:
    """What ``rng.random(size)`` gives in each of some rounds, (rounds, *size); the first axis of ``size`` is the game.

    Numbers of a plain generator come row by row; a generator with streams of its own for each game has ``rounds``.
    """
    rounds = getattr(rng, "rounds", None)
    drawn: np.ndarray = rounds(n_rounds, size) if rounds else rng.random((n_rounds, *size))
    return drawn
