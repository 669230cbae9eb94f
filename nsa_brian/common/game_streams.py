"""Random streams: every bandit and agent of every repetition has its own, derived from one seed."""

from __future__ import annotations

import math

import numpy as np

from nsa_brian.common.beta import BetaStreams


class GameStreams:
    """A replacement for a numpy Generator in a batch of games: row g comes from the generator of game g.

    So a game does not depend on the batch or the process. Only methods that bandits and agents use are implemented;
    the first axis of each result is the game.
    """

    #: Uniform numbers that each game draws ahead; constant, so that it does not depend on the batch.
    BLOCK = 512

    def __init__(self, generators: list[np.random.Generator]) -> None:
        self._generators = generators
        self._ahead, self._next = np.empty((0, len(generators))), 0
        self._betas: BetaStreams | None = None

    def random(self, size: int | tuple[int, ...]) -> np.ndarray:
        """Return uniform numbers in [0, 1), drawn ahead in blocks."""
        shape = size if isinstance(size, tuple) else (size,)
        count = math.prod(shape[1:])
        start, self._next = self._next, self._next + count
        if self._next > len(self._ahead):
            self._draw_ahead(start, count)
            start, self._next = 0, count
        return self._ahead[start : self._next].T.reshape(shape)

    def rounds(self, n_rounds: int, size: int | tuple[int, ...]) -> np.ndarray:
        """Return the same numbers as ``n_rounds`` calls of :meth:`random`, (rounds, *size)."""
        shape = size if isinstance(size, tuple) else (size,)
        count = math.prod(shape[1:])
        start, self._next = self._next, self._next + n_rounds * count
        if self._next > len(self._ahead):
            block = max(self.BLOCK, count)  # the blocks that those calls would draw
            self._draw_ahead(start, block * math.ceil((self._next - len(self._ahead)) / block))
            start, self._next = 0, n_rounds * count
        drawn = self._ahead[start : self._next].reshape(n_rounds, count, len(self._generators))
        return drawn.swapaxes(1, 2).reshape(n_rounds, *shape)

    def _draw_ahead(self, start: int, count: int) -> None:
        """Drop the numbers before ``start`` and append a block, of at least ``count``."""
        size = max(self.BLOCK, count)
        block = np.stack([generator.random(size) for generator in self._generators], axis=1)
        self._ahead = np.concatenate([self._ahead[start:], block])

    def normal(self, mean: float, sd: float, size: tuple[int, ...]) -> np.ndarray:
        """Return normally distributed numbers."""
        return np.stack([generator.normal(mean, sd, size[1:]) for generator in self._generators])

    def uniform(self, low: float, high: float, size: tuple[int, ...]) -> np.ndarray:
        """Return uniform numbers in [low, high)."""
        return np.stack([generator.uniform(low, high, size[1:]) for generator in self._generators])

    def beta(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return samples of Beta(a, b), with a and b at least 0.1, from children of the games' generators."""
        if self._betas is None:
            self._betas = BetaStreams([generator.spawn(1)[0] for generator in self._generators])
        return self._betas.sample(a, b)

    def spawn(self, n: int) -> list[GameStreams]:
        """Return n independent streams."""
        children = [generator.spawn(n) for generator in self._generators]
        return [GameStreams([child[i] for child in children]) for i in range(n)]


def streams(seed: int, name: str, repetitions: range) -> GameStreams:
    """Return the generators of a bandit or agent, identified by name, in some repetitions."""
    key = int.from_bytes(name.encode(), "big")
    return GameStreams([np.random.default_rng([seed, repetition, key]) for repetition in repetitions])
