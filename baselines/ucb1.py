"""``ucb1``: optimism in the face of uncertainty."""

from __future__ import annotations

from typing import Any

import numpy as np

from baselines.base import MeanPolicy


class UCB1(MeanPolicy):
    """Pulls the arm with the highest mean + sqrt(2 ln t / n), t pulls in all and n of this arm; the first of equals.

    Arms that were never pulled come first, in random order. Reference: Auer, Cesa-Bianchi and Fischer (2002),
    Finite-time Analysis of the Multiarmed Bandit Problem.
    """

    def __init__(self, n_arms: int, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self._order = self.rng.random((self.n_games, n_arms)).argsort(axis=1)
        self._round = 0

    def _select(self) -> np.ndarray:
        if self._round < self.n_arms:
            return self._order[:, self._round]
        with np.errstate(divide="ignore"):  # never pulled, somebody having pulled others: infinitely promising
            return (self.means + np.sqrt(2 * np.log(self._round) / self.pulls)).argmax(axis=1)

    def _learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        super()._learn(arms, rewards)
        self._round += 1
