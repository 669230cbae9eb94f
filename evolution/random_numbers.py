"""Random numbers of games: each game has its own streams, shared by all individuals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def stream(seed: Sequence[int], name: str) -> np.random.Generator:
    """Return a generator that depends on a seed and a name only."""
    return np.random.default_rng([*seed, int.from_bytes(name.encode(), "big")])


class CommonRandomNumbers:
    """Give every individual the same random numbers in the same game, in place of an engine's generator.

    A score then depends neither on the other individuals nor on the other games of the batch.

    Parameters
    ----------
    generators : sequence of Generator
        One for each game.
    n_individuals : int
        The engine's games are individuals x these.
    """

    def __init__(self, generators: Sequence[np.random.Generator], n_individuals: int) -> None:
        self._generators, self._n = list(generators), n_individuals

    def spawn(self, n_children: int) -> list[CommonRandomNumbers]:
        """Return independent children, as ``Generator.spawn`` does."""
        children = [generator.spawn(n_children) for generator in self._generators]
        return [CommonRandomNumbers([each[i] for each in children], self._n) for i in range(n_children)]

    def random(self, size: tuple[int, ...]) -> np.ndarray:
        """Draw uniform random numbers in [0, 1); the first axis is the engine's games."""
        return self.rounds(1, size)[0]

    def rounds(self, n_rounds: int, size: tuple[int, ...]) -> np.ndarray:
        """Draw what ``n_rounds`` calls of :meth:`random` would, as one array (rounds, *size)."""
        drawn = np.stack([generator.random((n_rounds, *size[1:])) for generator in self._generators], axis=1)
        return np.tile(drawn, (self._n, *[1] * (len(size) - 1)))
