"""Base classes of index policies, such as UCB."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from baselines.base import MeanPolicy
from baselines.bernoulli import highest_bound
from baselines.probabilities import greedy, lapsing, uniform
from baselines.scalars import maximum, minimum, where, whole


class IndexPolicy(MeanPolicy):
    """Pull the arm with the highest index, the first of equals; arms without pulls come first, in random order.

    The index is mean + sqrt(budget / pulls) by default.
    """

    #: Whether arms that were pulled stay so until :meth:`RestartingPolicy._forget`. Ignored in users' subclasses.
    _pulls_last: ClassVar[bool] = False

    def __init__(self, n_arms: int, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self._all_pulled = False  # if true, all arms of all games have pulls, and nobody has to look
        self._order = self.rng.random((self.n_games, n_arms)).argsort(axis=1)
        self._urgency = n_arms - self._order.argsort(axis=1)

    @abstractmethod
    def _budget(self) -> Any:
        """Return the exploration budget, mostly xi ln t: one per game (games, 1), or per arm (games, arms)."""

    def _indices(self, pulls: np.ndarray) -> np.ndarray:
        """Return the index of each arm (games, arms); ``pulls`` is at least 1."""
        indices = self._budget() / pulls
        np.sqrt(indices, out=indices)
        indices += self.means
        return indices

    def _highest(self, pulls: np.ndarray) -> Any:
        """Return the arm with the highest index in each game; ``pulls`` is at least 1."""
        indices = self._indices(pulls)
        return indices.argmax() if self._alone else indices.argmax(axis=1)

    def _select(self) -> Any:
        if self._all_pulled or np.count_nonzero(self.pulls) == self.pulls.size:
            self._all_pulled = self._pulls_last and self._shipped
            return self._highest(self.pulls)
        new = self.pulls == 0
        next_new = self._argmax(np.where(new, self._urgency, -1))
        if self._alone:
            return next_new
        waiting = new.any(axis=1)
        return next_new if waiting.all() else np.where(waiting, next_new, self._highest(np.where(new, 1, self.pulls)))

    def _probabilities(self, offered: np.ndarray) -> np.ndarray:
        new = self.pulls == 0
        first = uniform(new & offered)
        highest = greedy(self._indices(np.where(new, 1, self.pulls)), offered, "first")
        return np.where(first.any(axis=1, keepdims=True), first, highest)


class RestartingPolicy(IndexPolicy):
    """An index policy whose arms can be reset.

    Means are computed from sums of rewards, so that they do not depend on the order of rewards.
    """

    _pulls_last = True

    def __init__(self, n_arms: int, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self._sums = np.zeros((self.n_games, n_arms))
        self._sum_cells = self._cells(self._sums)

    def _learn(self, arms: Any, rewards: Any) -> None:
        at = self._at(arms)
        pulls, sums = self._pulls[at] + 1, self._sum_cells[at] + rewards
        self._pulls[at], self._sum_cells[at], self._means[at] = pulls, sums, sums / pulls

    def _forget(self, *at: np.ndarray) -> None:
        """Reset all arms of ``games``, or one arm of each: ``(games, arms)``."""
        self.pulls[at] = self._sums[at] = self.means[at] = 0
        self._all_pulled = False

    def _take_turns(self, share: Any, time: Any) -> Any:
        """Return the arms of the index, but all in turn, in random order, in the first K of floor(K / share) rounds."""
        period = self.n_arms / maximum(share, 1e-9) // 1
        if self._alone:
            turn = int(time % period)
            return self._order.item(turn) if turn < self.n_arms else IndexPolicy._select(self)
        turn = whole(time % period)
        usual = IndexPolicy._select(self)
        return where(turn < self.n_arms, self._order[self._games, minimum(turn, self.n_arms - 1)], usual)

    def _turn_probabilities(self, share: Any, time: Any, offered: np.ndarray) -> np.ndarray:
        """Return the probabilities of :meth:`_take_turns`."""
        turn = time % (self.n_arms / maximum(share, 1e-9) // 1) < self.n_arms
        return lapsing(turn, IndexPolicy._probabilities(self, offered), offered)


class KLPolicy(RestartingPolicy):
    """An index policy for rewards of 0 and 1: the index is the highest q with pulls kl(mean, q) <= budget."""

    def _highest(self, pulls: np.ndarray) -> Any:
        budget = self._budget() / pulls
        if self._alone:
            return highest_bound(self.means[0], budget[0])[1]
        return highest_bound(self.means, budget)[1]

    def _indices(self, pulls: np.ndarray) -> np.ndarray:
        budget = np.broadcast_to(self._budget() / pulls, self.means.shape)
        bounds, _ = highest_bound(self.means.reshape(-1, 1), budget.reshape(-1, 1))
        return bounds.reshape(self.means.shape)
