"""``cusum-ucb``: UCB that resets an arm when a CUSUM test finds a change."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from baselines.index import RestartingPolicy
from baselines.probabilities import lapsing
from baselines.scalars import FEW_ARMS, any_of, log, maximum, where
from baselines.tunable import POSITIVE, PROBABILITY, Tunable


class CusumUCB(RestartingPolicy):
    """With probability epsilon a random arm, else the highest mean + sqrt(xi ln n / N); a changed arm is reset.

    N counts the pulls of the arm since its last reset, n is the sum over all arms; arms without pulls come first. Two
    sums detect a change: with m the mean of the arm's first M rewards, each later reward R adds R - m - tolerance
    to one and m - R - tolerance to the other, neither falling below 0, until one reaches the threshold. Reference: Liu,
    Lee and Shroff (2018), A Change-Detection based Framework for Piecewise-stationary Multi-Armed Bandit Problem.

    Parameters
    ----------
    threshold : float
        h, the sum at which a change is detected.
    epsilon : float
        alpha, share of random pulls, which detect changes of any arm.
    exploration : float
        xi of the index.
    n_first : int
        M, number of rewards in the first mean.
    tolerance : float
        Smallest change of the mean that is detected (the paper's epsilon).
    **settings
        See :class:`baselines.base.Policy`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {
        "threshold": Tunable(1, 50, "log", POSITIVE, meaning="sum h at which an arm has changed"),
        "epsilon": Tunable(0.001, 0.5, "log", meaning="share alpha of random pulls"),
        "exploration": Tunable(0.001, 2, "log", POSITIVE, meaning="weight xi of the uncertainty"),
    }

    def __init__(
        self,
        n_arms: int,
        *,
        threshold: Any = 8.0,
        epsilon: Any = 0.05,
        exploration: Any = 0.5,
        n_first: Any = 50,
        tolerance: Any = 0.05,
        **settings: Any,
    ) -> None:
        super().__init__(n_arms, **settings)
        self.threshold, self.epsilon = self._tuned("threshold", threshold), self._tuned("epsilon", epsilon)
        self.exploration = self._tuned("exploration", exploration)
        self.n_first = self._checked("n_first", n_first, (1, 1e9), integer=True)
        self.tolerance = self._checked("tolerance", tolerance, PROBABILITY)
        self._first_mean = np.zeros((self.n_games, n_arms))
        self._rise = np.zeros((self.n_games, n_arms))
        self._fall = np.zeros((self.n_games, n_arms))
        self._tests = [self._cells(each) for each in (self._first_mean, self._rise, self._fall)]

    def _budget(self) -> Any:
        return self._column(self.exploration * log(maximum(self._total(), 1)))

    def _total(self) -> Any:
        """Return the number of pulls of all arms."""
        if self._alone and self.n_arms <= FEW_ARMS:
            return sum(self._pulls.tolist())
        return np.add.reduce(self.pulls, axis=None if self._alone else 1)

    def _select(self) -> Any:
        which, whether = self._uniform(2)
        if self._alone and whether < self.epsilon:  # indices need not be compared
            return int(which * self.n_arms)
        return self._explore(self.epsilon, super()._select(), which, whether)

    def _probabilities(self, offered: np.ndarray) -> np.ndarray:
        return lapsing(self.epsilon, super()._probabilities(offered), offered)

    def _learn(self, arms: Any, rewards: Any) -> None:
        super()._learn(arms, rewards)
        at = self._at(arms)
        first_means, rises, falls = self._tests
        later = self._pulls[at] > self.n_first
        first_mean = first_means[at] = where(later, first_means[at], self._means[at])
        gap = rewards - first_mean
        rise = rises[at] = later * maximum(rises[at] + gap - self.tolerance, 0.0)
        fall = falls[at] = later * maximum(falls[at] - gap - self.tolerance, 0.0)
        changed = maximum(rise, fall) >= self.threshold
        if any_of(changed):
            games = np.flatnonzero(changed)
            self._forget(games, np.atleast_1d(arms)[games])
