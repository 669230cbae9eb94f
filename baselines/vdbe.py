"""``vdbe``: value-difference based exploration."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from baselines.base import check_ties
from baselines.constant_step import STEP, StepPolicy
from baselines.tunable import POSITIVE, Tunable


class VDBE(StepPolicy):
    """Epsilon-greedy whose epsilon follows the changes of values: value-difference based exploration.

    epsilon <- delta f + (1 - delta) epsilon with f = (1 - e^-x) / (1 + e^-x), x = abs(step (R - Q)) / sigma, after each
    reward, from epsilon = 1, and delta = 1 / K. Reference: Tokic (2010), Adaptive epsilon-Greedy Exploration in
    Reinforcement Learning Based on Value Differences. The paper uses sample means; here the step size is constant,
    since bandits change.

    Parameters
    ----------
    sigma : float
        Inverse sensitivity to changes of value.
    ties : {"random", "first"}
        Which of several arms with the highest value is taken; no difference was measured, as exploration comes first.
    step, **settings
        See :class:`baselines.constant_step.StepPolicy`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {
        "sigma": Tunable(0.001, 10, "log", POSITIVE, meaning="how large a change of value has to be to count"),
        "step": STEP,
    }

    def __init__(self, n_arms: int, *, sigma: Any = 0.33, ties: str = "first", **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.sigma, self.ties = self._tuned("sigma", sigma), check_ties(ties)
        self.epsilon = self._each(1.0)

    def _select(self) -> Any:
        return self._greedy(self.epsilon, self.values, self.ties)

    def _probabilities(self, offered: np.ndarray) -> np.ndarray:
        return self._greedy_probabilities(self.epsilon, self.values, self.ties, offered)

    def _learn(self, arms: Any, rewards: Any) -> None:
        at = self._at(arms)
        value = self._values[at]
        change = self.step * (rewards - value)
        shrunk = self._numpy(np.exp, -abs(change) / self.sigma)
        self.epsilon += ((1 - shrunk) / (1 + shrunk) - self.epsilon) / self.n_arms
        self._values[at] = value + change
