"""``f-dsw-thompson``: f-Discounted-Sliding-Window Thompson sampling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from baselines.discounted_thompson import DISCOUNT, DiscountedThompson
from baselines.scalars import maximum, minimum
from baselines.tunable import Tunable
from baselines.window import RecentPulls
from nsa_brian.common.texts import shown

COMBINE: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "min": np.minimum,
    "mean": lambda a, b: (a + b) / 2,
    "max": np.maximum,
}


class FDSWThompson(DiscountedThompson):
    """Pull the arm with the highest f of two samples: of its discounted history, and of its last n rewards.

    The historic sample is that of discounted Thompson sampling. The hot sample is of Beta(1 + s, 1 + n - s), where s is
    the sum of the arm's last n rewards (of all, while there are fewer). Reference: Cavenaghi, Sottocornola,
    Stella and Zanker (2021), Non Stationary Multi-Armed Bandit: Empirical Evaluation of a New Concept Drift-Aware
    Algorithm.

    Parameters
    ----------
    f : {"min", "mean", "max"}
        How the two samples are combined: pessimistic, averaged, optimistic.
    window : int
        n, number of pulls of an arm in its hot trace.
    discount, **settings
        See :class:`baselines.discounted_thompson.DiscountedThompson`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {
        "discount": DISCOUNT,
        "window": Tunable(5, 500, "log", (1, 1e9), integer=True, meaning="pulls of an arm that are hot"),
    }

    def __init__(self, n_arms: int, *, f: str = "min", window: Any = 50, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        if f not in tuple(COMBINE):
            raise ValueError(f"f must be one of {', '.join(COMBINE)}, got {shown(f)}")
        self.f, self.window = f, self._tuned("window", window)
        self._recent = RecentPulls(n_arms, self.window)
        self.hot_successes = np.zeros((self.n_games, n_arms))
        self.hot_failures = np.zeros((self.n_games, n_arms))
        self._hot_pulls = np.zeros((self.n_games, n_arms))
        self._hot = [self._cells(each) for each in (self.hot_successes, self.hot_failures, self._hot_pulls)]

    def _samples(self) -> np.ndarray:
        historic = super()._samples()
        return COMBINE[self.f](historic, self.rng.beta(1 + self.hot_successes, 1 + self.hot_failures))

    def _learn(self, arms: Any, rewards: Any) -> None:
        super()._learn(arms, rewards)
        at = self._at(arms)
        (left,) = self._recent.push(arms, rewards)
        hot_successes, hot_failures, hot_pulls = self._hot
        pulls = minimum(hot_pulls[at] + 1, self.window)
        # Rounding of rewards between 0 and 1 must not make it negative.
        successes = minimum(maximum(hot_successes[at] + rewards - left, 0), pulls)
        hot_successes[at], hot_failures[at], hot_pulls[at] = successes, pulls - successes, pulls
