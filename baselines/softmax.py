"""``softmax``: pull arms in proportion to exponentials of their values."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from baselines.constant_step import STEP, StepPolicy
from baselines.probabilities import softmax
from baselines.sampling import draw
from baselines.scalars import column
from baselines.tunable import Tunable


class Softmax(StepPolicy):
    """Pull arm k with a probability proportional to exp(Q_k / temperature); Q has a constant step size.

    Reference: Sutton and Barto, Reinforcement Learning, first edition, section 2.3.

    Parameters
    ----------
    temperature : float
        Temperature; lower is greedier.
    step, **settings
        See :class:`baselines.constant_step.StepPolicy`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {
        "temperature": Tunable(0.005, 1, "log", (1e-6, 1e6), meaning="the lower, the greedier"),
        "step": STEP,
    }

    def __init__(self, n_arms: int, *, temperature: Any = 0.1, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.temperature = self._tuned("temperature", temperature)

    def _select(self) -> Any:
        values = self.values
        highest = self._values[values.argmax()] if self._alone else values.max(axis=1)
        weights = values - self._column(highest)  # the largest exponential is 1
        weights /= self._column(self.temperature)
        np.exp(weights, out=weights)
        return draw(weights, self._number())

    def _probabilities(self, offered: np.ndarray) -> np.ndarray:
        return softmax(self.values / column(self.temperature), offered)
