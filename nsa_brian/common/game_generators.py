"""One random generator per game, so that a game's numbers do not depend on the other games of its batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


class GameGenerators:
    """Replacement for a ``numpy.random.Generator``; the first axis of each sample is the game.

    Parameters
    ----------
    generators : sequence of Generator
        One for each game.
    """

    def __init__(self, generators: Sequence[np.random.Generator]) -> None:
        self._generators = list(generators)

    @classmethod
    def seeded(cls, seed: int, games: Sequence[int]) -> GameGenerators:
        """Return the generators of the games with these numbers."""
        return cls([np.random.default_rng([seed, game]) for game in games])

    def spawn(self, n_children: int) -> list[GameGenerators]:
        """Return independent generators."""
        children = [generator.spawn(n_children) for generator in self._generators]
        return [GameGenerators([of_game[i] for of_game in children]) for i in range(n_children)]

    def random(self, size: Any) -> np.ndarray:
        """Return uniform random numbers in [0, 1)."""
        return self.rounds(1, np.atleast_1d(size))[0]

    def rounds(self, n_rounds: int, size: Any) -> np.ndarray:
        """Return the results of ``n_rounds`` calls of :meth:`random`, (rounds, *size)."""
        return np.stack([generator.random((n_rounds, *size[1:])) for generator in self._generators], axis=1)

    def uniform(self, low: Any, high: Any, size: Any) -> np.ndarray:
        """Return uniform random numbers in [low, high)."""
        return self._drawn("uniform", size, low, high)

    def normal(self, loc: Any, scale: Any, size: Any) -> np.ndarray:
        """Return samples of a normal distribution."""
        return self._drawn("normal", size, loc, scale)

    def beta(self, a: Any, b: Any) -> np.ndarray:
        """Return samples of Beta(a, b)."""
        return self._drawn("beta", np.broadcast_shapes(np.shape(a), np.shape(b)), a, b)

    def _drawn(self, method: str, size: Any, *arguments: Any) -> np.ndarray:
        shape = tuple(np.atleast_1d(size))
        of_games = zip(self._generators, *(np.broadcast_to(each, shape) for each in arguments), strict=True)
        return np.stack([getattr(generator, method)(*each, size=shape[1:]) for generator, *each in of_games])
