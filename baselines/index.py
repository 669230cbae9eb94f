"""What the policies with an index have in common: the highest is pulled, new arms first."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from baselines.base import MeanPolicy
from baselines.bernoulli import highest_bound


class IndexPolicy(MeanPolicy):
    """Pulls the arm with the highest index, the first of equals; arms without pulls come first, in random order.

    The index is mean + sqrt(budget / pulls), unless a policy says otherwise.
    """

    def __init__(self, n_arms: int, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self._order = self.rng.random((self.n_games, n_arms)).argsort(axis=1)
        self._urgency = n_arms - self._order.argsort(axis=1)

    @abstractmethod
    def _budget(self) -> np.ndarray:
        """What is spent on uncertainty, mostly xi ln t: one for each game (games, 1), or for each arm (games, arms)."""

    def _highest(self, pulls: np.ndarray) -> np.ndarray:
        """The arm with the highest index in each game; what was never pulled is given as pulled once."""
        return (self.means + np.sqrt(self._budget() / pulls)).argmax(axis=1)

    def _select(self) -> np.ndarray:
        new = self.pulls == 0
        waiting = new.any(axis=1)
        if not waiting.any():
            return self._highest(self.pulls)
        next_new = np.where(new, self._urgency, -1).argmax(axis=1)
        return next_new if waiting.all() else np.where(waiting, next_new, self._highest(np.where(new, 1, self.pulls)))


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


class KLPolicy(RestartingPolicy):
    """An index policy for rewards of 0 and 1: the index is the highest q with pulls kl(mean, q) <= budget."""

    def _highest(self, pulls: np.ndarray) -> np.ndarray:
        return highest_bound(self.means, self._budget() / pulls)[1]
