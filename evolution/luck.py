"""The random numbers of games: each game's from streams of its own, the same for all individuals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def stream(seed: Sequence[int], name: str) -> np.random.Generator:
    """A generator that follows from a seed and a name alone."""
    return np.random.default_rng([*seed, int.from_bytes(name.encode(), "big")])


class CommonLuck:
    """Stands in for an engine's generator: every individual meets the same luck in the same game.

    So a score depends neither on who is scored beside it nor on the games of the batch.

    Parameters
    ----------
    generators : sequence of Generator
        One for each game.
    n_individuals : int
        The engine's games are individuals x these.
    """

    def __init__(self, generators: Sequence[np.random.Generator], n_individuals: int) -> None:
        self._generators, self._n = list(generators), n_individuals

    def spawn(self, n_children: int) -> list[CommonLuck]:
        """Independent luck, for what is drawn apart."""
        children = [generator.spawn(n_children) for generator in self._generators]
        return [CommonLuck([each[i] for each in children], self._n) for i in range(n_children)]

    def random(self, size: tuple[int, ...]) -> np.ndarray:
        """Uniform numbers in [0, 1); the first axis is the engine's games."""
        return self.rounds(1, size)[0]

    def rounds(self, n_rounds: int, size: tuple[int, ...]) -> np.ndarray:
        """What :meth:`random` gives in so many calls one after the other, (rounds, *size)."""
        drawn = np.stack([generator.random((n_rounds, *size[1:])) for generator in self._generators], axis=1)
        return np.tile(drawn, (self._n, *[1] * (len(size) - 1)))
