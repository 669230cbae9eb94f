"""``exp3s``: exponential weights with weight sharing, for adversarial bandits."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from baselines.base import Policy
from baselines.probabilities import lapsing, proportional
from baselines.sampling import draw
from baselines.tunable import Tunable


class Exp3S(Policy):
    """Pull arm k with probability p_k = (1 - gamma) w_k / W + gamma / K, where W is the sum of the weights w.

    After reward R of arm i: w_k <- w_k exp(gamma x_k / K) + e alpha W / K with x_i = R / p_i and x_k = 0 for the
    others, from w = 1. Weights are normalised to W = 1, which changes no probability. Reference: Auer, Cesa-Bianchi,
    Freund and Schapire (2002), The Nonstochastic Multiarmed Bandit Problem, section 8.

    Parameters
    ----------
    mixing : float
        gamma: share of random pulls, and learning rate.
    sharing : float
        alpha: share of the total weight that each arm receives in a round.
    **settings
        See :class:`baselines.base.Policy`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {
        "mixing": Tunable(0.005, 1, "log", meaning="gamma, share of random pulls and speed of learning"),
        "sharing": Tunable(1e-6, 0.1, "log", meaning="alpha, what arms get of each other's weight in a round"),
    }

    def __init__(self, n_arms: int, *, mixing: Any = 0.2, sharing: Any = 0.001, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.mixing, self.sharing = self._tuned("mixing", mixing), self._tuned("sharing", sharing)
        self.weights = np.full((self.n_games, n_arms), 1 / n_arms)
        self._weights = self._cells(self.weights)

    def _select(self) -> Any:
        weights = self._column(1 - self.mixing) * self.weights
        weights += self._column(self.mixing / self.n_arms)
        return draw(weights, self._number())

    def _probabilities(self, offered: np.ndarray) -> np.ndarray:
        return lapsing(self.mixing, proportional(self.weights, offered), offered)

    def _learn(self, arms: Any, rewards: Any) -> None:
        at = self._at(arms)
        weight = self._weights[at]
        p = (1 - self.mixing) * weight + self.mixing / self.n_arms
        self._weights[at] = weight * self._numpy(np.exp, self.mixing * rewards / (p * self.n_arms))
        self.weights += self._column(np.e * self.sharing / self.n_arms)
        total = np.add.reduce(self.weights[0]) if self._alone else np.add.reduce(self.weights, axis=1)
        self.weights /= self._column(total)
