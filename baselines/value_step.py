"""``value-step``: optimistic epsilon-greedy with a step size that depends on the value."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from baselines.base import Policy, check_ties
from baselines.scalars import column, maximum, minimum
from baselines.tunable import Tunable


class ValueStep(Policy):
    """As ``optimistic``, with a step size that is linear in the value: Q += (low + (high - low) Q) (R - Q).

    ``low`` is the step size of a value of 0 and ``high`` that of a value of 1; Q is clipped to [0, 1] in the formula.
    NSA's learning rate depends on the weight; this is that mechanism without neurons.

    Parameters
    ----------
    epsilon : float
        Probability of exploring.
    low, high : float
        Step sizes of values of 0 and of 1.
    start : float
        Initial value of an arm.
    ties : {"random", "first"}
        Which of several arms with the highest value is taken.
    **settings
        See :class:`baselines.base.Policy`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {
        "epsilon": Tunable(0, 0.2, meaning="probability of exploring"),
        "low": Tunable(0.001, 1, "log", meaning="step of a value of 0"),
        "high": Tunable(0.001, 1, "log", meaning="step of a value of 1"),
        "start": Tunable(0, 1.5, legal=(-100.0, 100.0), meaning="value of an arm that was never pulled"),
    }

    def __init__(
        self,
        n_arms: int,
        *,
        epsilon: Any = 0.0,
        low: Any = 0.1,
        high: Any = 0.1,
        start: Any = 1.0,
        ties: str = "random",
        **settings: Any,
    ) -> None:
        super().__init__(n_arms, **settings)
        self.epsilon, self.ties = self._tuned("epsilon", epsilon), check_ties(ties)
        self.low, self.high, self.start = (
            self._tuned(name, value) for name, value in (("low", low), ("high", high), ("start", start))
        )
        self.values = np.zeros((self.n_games, n_arms)) + column(self.start)
        self._values = self._cells(self.values)

    def _select(self) -> Any:
        return self._greedy(self.epsilon, self.values, self.ties)

    def _probabilities(self, offered: np.ndarray) -> np.ndarray:
        return self._greedy_probabilities(self.epsilon, self.values, self.ties, offered)

    def _learn(self, arms: Any, rewards: Any) -> None:
        at = self._at(arms)
        value = self._values[at]
        step = self.low + (self.high - self.low) * minimum(maximum(value, 0.0), 1.0)
        self._values[at] = value + step * (rewards - value)
