"""``epsilon-greedy``: explore with a fixed probability."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from baselines.base import MeanPolicy, check_ties
from baselines.tunable import Tunable


class EpsilonGreedy(MeanPolicy):
    """With probability epsilon a random arm, else the arm with the highest mean reward.

    Means start at 0. Reference: Sutton and Barto, Reinforcement Learning, section 2.2.

    Parameters
    ----------
    epsilon : float
        Probability of exploring.
    ties : {"random", "first"}
        Which of several arms with the highest mean is taken. The public code of the NSA paper takes the first.
    **settings
        See :class:`baselines.base.Policy`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {"epsilon": Tunable(0.001, 0.5, "log", meaning="probability of exploring")}

    def __init__(self, n_arms: int, *, epsilon: Any = 0.1, ties: str = "first", **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.epsilon, self.ties = self._tuned("epsilon", epsilon), check_ties(ties)

    def _select(self) -> Any:
        return self._greedy(self.epsilon, self.means, self.ties)

    def _probabilities(self, offered: np.ndarray) -> np.ndarray:
        return self._greedy_probabilities(self.epsilon, self.means, self.ties, offered)
