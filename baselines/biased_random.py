"""``biased-random``: random choices with a preference for one arm."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from baselines.behaviour import BehaviourModel
from baselines.probabilities import proportional
from baselines.tunable import Tunable
from nsa_brian.common.checks import check_integer


class BiasedRandom(BehaviourModel):
    """Choose one arm with probability ``bias``, the others with the same probability each, without learning.

    Model 1 (random responding) of Wilson and Collins (2019), eLife 8: e49547, for any number of arms.

    Parameters
    ----------
    bias : float
        Probability of the favoured arm.
    favoured : int
        The favoured arm, from 0.
    **settings
        See :class:`baselines.base.Policy`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {"bias": Tunable(0, 1, meaning="probability of the favoured arm")}

    def __init__(self, n_arms: int, *, bias: Any = 0.5, favoured: int = 0, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.bias, self.favoured = self._tuned("bias", bias), check_integer("favoured", favoured, 0, n_arms - 1)
        self._weights = np.empty((self.n_games, n_arms))
        self._weights.T[:] = (1 - self.bias) / (n_arms - 1)
        self._weights[:, self.favoured] = self.bias

    def _probabilities(self, offered: np.ndarray) -> np.ndarray:
        return proportional(self._weights, offered)

    def _learn(self, arms: Any, rewards: Any) -> None:
        pass
