"""``reversal``: good and bad arms are exchanged after each block (reversal learning)."""

from __future__ import annotations

from typing import Any

import numpy as np

from envs.base import MOST, Bandit, check_range
from envs.draws import random_rounds
from nsa_brian.common.texts import shown


class Reversal(Bandit):
    """One of two arms pays with probability ``high``, the other with ``low``; they change places after each block.

    The first good arm and the lengths of the blocks are random. With more than two arms, K // 2 random arms are good at
    first, and a reversal exchanges good and bad arms.

    Parameters
    ----------
    low, high : float
        Probabilities of bad and good arms.
    block_low, block_high : int
        Length of a block in rounds: an integer drawn uniformly from this range, both ends included.
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
        if not whole or not 1 <= block_low <= block_high <= MOST:
            raise ValueError(
                f"blocks must satisfy 1 <= block_low <= block_high <= {MOST}, whole numbers of rounds, "
                f"got {shown(block_low)} to {shown(block_high)}"
            )
        self.low, self.high, self.block_low, self.block_high = low, high, block_low, block_high
        super().__init__(n_arms, **settings)

    def _begin(self) -> np.ndarray:
        order = self._rng.random((self.n_games, self.n_arms)).argsort(axis=1)
        self._end = self._lengths(self._rng.random(self.n_games))
        return np.where(order < self.n_arms // 2, self.high, self.low)

    def _next(self) -> np.ndarray:
        # Drawn in every round, so that a game does not depend on the other games.
        lengths = self._lengths(self._rng.random(self.n_games))
        ends = self._end == self.round
        if not ends.any():
            return self.probabilities
        self._end = np.where(ends, self._end + lengths, self._end)
        turned = np.where(self.probabilities == self.high, self.low, self.high)
        return np.where(ends[:, None], turned, self.probabilities)

    def _lay_out(self, n_rounds: int) -> np.ndarray:
        lengths = self._lengths(random_rounds(self._rng, n_rounds - 1, (self.n_games,)))
        turns = np.zeros((n_rounds, self.n_games), dtype=np.intp)
        end = self._end.copy()
        while (games := np.flatnonzero(end < self.round + n_rounds)).size:
            t = end[games] - self.round
            turns[t, games] = 1
            end[games] += lengths[t - 1, games]
        self._end = end
        turned = np.where(self.probabilities == self.high, self.low, self.high)
        is_turned = turns.cumsum(axis=0) % 2 == 1
        return np.where(is_turned[:, :, None], turned, self.probabilities)

    def _lengths(self, drawn: np.ndarray) -> np.ndarray:
        """Return lengths of blocks from uniform random numbers."""
        n_lengths = self.block_high - self.block_low + 1
        return self.block_low + (drawn * n_lengths).astype(np.intp)
