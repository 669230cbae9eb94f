"""``thompson``: Thompson sampling."""

from __future__ import annotations

from typing import Any

import numpy as np

from baselines.base import Policy


class Thompson(Policy):
    """Pull the arm with the highest sample of its posterior Beta(1 + successes, 1 + failures).

    Reference: Agrawal and Goyal (2012), Analysis of Thompson Sampling for the Multi-armed Bandit Problem.
    """

    def __init__(self, n_arms: int, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.alpha = np.ones((self.n_games, n_arms))
        self.beta = np.ones((self.n_games, n_arms))
        self._alpha, self._beta = self._cells(self.alpha), self._cells(self.beta)

    def _select(self) -> Any:
        return self._argmax(self.rng.beta(self.alpha, self.beta))

    def _learn(self, arms: Any, rewards: Any) -> None:
        at = self._at(arms)
        self._alpha[at] += rewards
        self._beta[at] += 1 - rewards
