"""``d-ucb``: discounted UCB."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from baselines.index import IndexPolicy
from baselines.scalars import maximum
from baselines.tunable import POSITIVE, Tunable


class DiscountedUCB(IndexPolicy):
    """Pull the arm with the highest discounted mean + 2 sqrt(xi ln n / N); arms never pulled come first.

    A pull s rounds ago has the weight gamma^s: N is the sum of weights over the pulls of the arm, n over all pulls, and
    the mean uses the same weights. Reference: Garivier and Moulines (2011), On Upper-Confidence Bound Policies for
    Switching Bandit Problems (rewards bounded by B = 1).

    Parameters
    ----------
    discount : float
        gamma, the weight of the past from round to round.
    exploration : float
        xi, 0.6 in the paper's experiments.
    **settings
        See :class:`baselines.base.Policy`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {
        "discount": Tunable(0.9, 0.9999, "log-to-one", meaning="gamma, weight of the past from round to round"),
        "exploration": Tunable(0.0005, 1, "log", POSITIVE, meaning="weight xi of the uncertainty"),
    }

    def __init__(self, n_arms: int, *, discount: Any = 0.995, exploration: Any = 0.6, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.discount, self.exploration = self._tuned("discount", discount), self._tuned("exploration", exploration)
        self._total = self._each(0.0)

    def _budget(self) -> Any:
        return self._column(4 * self.exploration * self._numpy(np.log, maximum(self._total, 1)))

    def _learn(self, arms: Any, rewards: Any) -> None:
        self.pulls *= self._column(self.discount)  # the means stay the same
        self._total = self.discount * self._total + 1
        super()._learn(arms, rewards)
