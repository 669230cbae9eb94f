"""One seed enters an experiment; every bandit, luck and agent of every repetition draws from a child of its own."""

from __future__ import annotations

import math

import numpy as np

from experiments.core.beta import BetaStreams


class GameStreams:
    """Stands in for a numpy Generator where many games are played at once: row g comes from game g's own generator.

    So a game is the same alone, in a batch of forty, or in another process. Only the draws that bandits and agents
    make are there, and the first axis of each is the game.
    """

    #: Uniform numbers each game draws ahead; a constant, so that it does not depend on the batch either.
    BLOCK = 512

    def __init__(self, generators: list[np.random.Generator]) -> None:
        self._generators = generators
        self._ahead, self._next = np.empty((0, len(generators))), 0
        self._betas: BetaStreams | None = None

    def random(self, size: int | tuple[int, ...]) -> np.ndarray:
        """Uniform numbers in [0, 1), drawn ahead in blocks: agents ask for a few in each round."""
        shape = size if isinstance(size, tuple) else (size,)
        count = math.prod(shape[1:])
        start, self._next = self._next, self._next + count
        if self._next > len(self._ahead):
            self._draw_ahead(start, count)
            start, self._next = 0, count
        return self._ahead[start : self._next].T.reshape(shape)

    def rounds(self, n_rounds: int, size: int | tuple[int, ...]) -> np.ndarray:
        """What :meth:`random` gives in so many calls one after the other, (rounds, *size)."""
        shape = size if isinstance(size, tuple) else (size,)
        count = math.prod(shape[1:])
        start, self._next = self._next, self._next + n_rounds * count
        if self._next > len(self._ahead):
            block = max(self.BLOCK, count)  # as many whole blocks as those calls would draw
            self._draw_ahead(start, block * math.ceil((self._next - len(self._ahead)) / block))
            start, self._next = 0, n_rounds * count
        drawn = self._ahead[start : self._next].reshape(n_rounds, count, len(self._generators))
        return drawn.swapaxes(1, 2).reshape(n_rounds, *shape)

    def _draw_ahead(self, start: int, count: int) -> None:
        """Keep what is left from ``start`` and add a block to it, enough for ``count``."""
        size = max(self.BLOCK, count)
        block = np.stack([generator.random(size) for generator in self._generators], axis=1)
        self._ahead = np.concatenate([self._ahead[start:], block])

    def normal(self, mean: float, sd: float, size: tuple[int, ...]) -> np.ndarray:
        """Normal numbers."""
        return np.stack([generator.normal(mean, sd, size[1:]) for generator in self._generators])

    def uniform(self, low: float, high: float, size: tuple[int, ...]) -> np.ndarray:
        """Uniform numbers in [low, high)."""
        return np.stack([generator.uniform(low, high, size[1:]) for generator in self._generators])

    def beta(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Samples of Beta(a, b), a and b being at least 0.1, from children of the games' generators."""
        if self._betas is None:
            self._betas = BetaStreams([generator.spawn(1)[0] for generator in self._generators])
        return self._betas.sample(a, b)

    def spawn(self, n: int) -> list[GameStreams]:
        """Independent streams, n for each game."""
        children = [generator.spawn(n) for generator in self._generators]
        return [GameStreams([child[i] for child in children]) for i in range(n)]


def streams(seed: int, name: str, repetitions: range) -> GameStreams:
    """The generators of one actor (a bandit, an agent), known by its name, in some repetitions of an experiment."""
    key = int.from_bytes(name.encode(), "big")
    return GameStreams([np.random.default_rng([seed, repetition, key]) for repetition in repetitions])
