"""What the policies with an index have in common: the highest is pulled, new arms first."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from baselines.base import MeanPolicy

#: Above every index.
URGENT = 1e12


class IndexPolicy(MeanPolicy):
    """Pulls the arm with the highest index, the first of equals; arms without pulls come first, in random order."""

    def __init__(self, n_arms: int, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self._order = self.rng.random((self.n_games, n_arms)).argsort(axis=1)
        self._urgency = URGENT - self._order.argsort(axis=1)

    @abstractmethod
    def _index(self, pulls: np.ndarray) -> np.ndarray:
        """The index of each arm (games, arms), where pulls of 0 are given as 1."""

    def _select(self) -> np.ndarray:
        new = self.pulls == 0
        waiting = new.any(axis=1)
        if not waiting.any():
            return self._index(self.pulls).argmax(axis=1)
        index = 0 if waiting.all() else self._index(np.where(new, 1, self.pulls))
        return np.where(new, self._urgency, index).argmax(axis=1)


class RestartingPolicy(IndexPolicy):
    """An index policy that can forget.

    It sums rewards up rather than averaging them one by one, so that the same successes in another order are the same
    mean to the last bit.
    """

    def __init__(self, n_arms: int, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self._sums = np.zeros((self.n_games, n_arms))

    def _learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        at = self._games, arms
        pulls, sums = self.pulls[at] + 1, self._sums[at] + rewards
        self.pulls[at], self._sums[at], self.means[at] = pulls, sums, sums / pulls

    def _forget(self, *at: np.ndarray) -> None:
        """Start anew: in some games, or (games, arms) with one arm of each of them."""
        self.pulls[at] = self._sums[at] = self.means[at] = 0

    def _take_turns(self, share: np.ndarray, time: np.ndarray | int, arms: np.ndarray) -> np.ndarray:
        """Each game's arm, but in the first K of every floor(K / share) rounds all arms in turn, in random order."""
        period = np.floor(self.n_arms / np.maximum(share, 1e-9))
        turn = (time % period).astype(np.intp)
        return np.where(turn < self.n_arms, self._order[self._games, np.minimum(turn, self.n_arms - 1)], arms)
