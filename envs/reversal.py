"""``reversal``: what was good is bad from now on; reversal learning."""

from __future__ import annotations

from typing import Any

import numpy as np

from envs.base import Bandit, check_range


class Reversal(Bandit):
    """One of two arms pays with probability ``high``, the other with ``low``; they change places after each block.

    Which arm is good at first, and the blocks' lengths, are drawn at random. With more than two arms, half of them
    (K // 2, drawn at random) are good at first, and a reversal turns all good arms into bad ones and the others into
    good ones.

    Parameters
    ----------
    low, high : float
        Probabilities of a bad and of a good arm.
    block_low, block_high : int
        Rounds of a block: a whole number drawn uniformly from this range, both ends included.
    **settings
        See :class:`envs.base.Bandit`.

    References
    ----------
    A. Izquierdo, J. L. Brigman, A. K. Radke, P. H. Rudebeck and A. Holmes, The neural basis of reversal learning: an
    updated perspective, Neuroscience 345:12-26, 2017.
    """

    default_arms = 2

    def __init__(
        self,
        n_arms: int,
        *,
        low: float = 0.2,
        high: float = 0.8,
        block_low: int = 40,
        block_high: int = 100,
        **settings: Any,
    ) -> None:
        check_range("the probabilities", low, high)
        whole = isinstance(block_low, int) and isinstance(block_high, int)
        if not whole or not 1 <= block_low <= block_high:
            raise ValueError(
                "blocks must satisfy 1 <= block_low <= block_high, whole numbers of rounds, "
                f"got {block_low} to {block_high}"
            )
        self.low, self.high, self.block_low, self.block_high = low, high, block_low, block_high
        super().__init__(n_arms, **settings)

    def _begin(self) -> np.ndarray:
        order = self._rng.random((self.n_games, self.n_arms)).argsort(axis=1)
        self._end = self._draw_length()
        return np.where(order < self.n_arms // 2, self.high, self.low)

    def _next(self) -> np.ndarray:
        lengths = self._draw_length()  # in every round, so that a game does not depend on the games beside it
        ends = self._end == self.round
        if not ends.any():
            return self.probabilities
        self._end = np.where(ends, self._end + lengths, self._end)
        turned = np.where(self.probabilities == self.high, self.low, self.high)
        return np.where(ends[:, None], turned, self.probabilities)

    def _draw_length(self) -> np.ndarray:
        """A block's length for each game."""
        n_lengths = self.block_high - self.block_low + 1
        return self.block_low + (self._rng.random(self.n_games) * n_lengths).astype(np.intp)
