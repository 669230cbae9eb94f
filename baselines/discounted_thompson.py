"""``d-thompson``: discounted Thompson sampling."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from baselines.base import Policy
from baselines.scalars import column
from baselines.tunable import Tunable

DISCOUNT = Tunable(0.8, 0.9999, "log-to-one", meaning="gamma, weight of the past from round to round")


class DiscountedThompson(Policy):
    """Pull the arm with the highest sample of Beta(1 + S, 1 + F), with discounted successes and failures.

    In each round S <- gamma S and F <- gamma F for all arms, then S += R and F += 1 - R for the pulled arm.
    Reference: Raj and Kalyani (2017), Taming Non-stationary Bandits: A Bayesian Approach.

    Parameters
    ----------
    discount : float
        gamma, the weight of the past from round to round.
    **settings
        See :class:`baselines.base.Policy`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {"discount": DISCOUNT}

    def __init__(self, n_arms: int, *, discount: Any = 0.99, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.discount = self._tuned("discount", discount)
        self.successes = np.zeros((self.n_games, n_arms))
        self.failures = np.zeros((self.n_games, n_arms))
        self._successes, self._failures = self._cells(self.successes), self._cells(self.failures)

    def _select(self) -> Any:
        return self._argmax(self._samples())

    def _samples(self) -> np.ndarray:
        """Return a sample of the posterior of each arm (games, arms)."""
        return self.rng.beta(1 + self.successes, 1 + self.failures)

    def _learn(self, arms: Any, rewards: Any) -> None:
        discount = column(self.discount)
        self.successes *= discount
        self.failures *= discount
        at = self._at(arms)
        self._successes[at] += rewards
        self._failures[at] += 1 - rewards
