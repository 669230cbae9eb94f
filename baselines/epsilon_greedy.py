"""``epsilon-greedy``: explore now and then."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from baselines.base import MeanPolicy
from baselines.tunable import Tunable


class EpsilonGreedy(MeanPolicy):
    """With probability epsilon a random arm, else the arm with the highest mean reward, the first of equals.

    Means start at 0. Reference: Sutton and Barto, Reinforcement Learning, section 2.2.

    Parameters
    ----------
    epsilon : float
        Probability of exploring.
    **settings
        See :class:`baselines.base.Policy`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {"epsilon": Tunable(0.001, 0.5, "log", meaning="probability of exploring")}

    def __init__(self, n_arms: int, *, epsilon: Any = 0.1, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.epsilon = self._tuned("epsilon", epsilon)

    def _select(self) -> np.ndarray:
        return self._explore(self.epsilon, self.means.argmax(axis=1))
