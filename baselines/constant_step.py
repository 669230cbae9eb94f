"""``constant-step`` and ``optimistic``: epsilon-greedy with a constant step size."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from baselines.base import Policy, check_ties
from baselines.probabilities import greedy, lapsing
from baselines.scalars import column
from baselines.tunable import Tunable

#: Optimistic initial values differ by less than this.
APART = 1e-9
STEP = Tunable(0.001, 1, "log", meaning="step of the values towards the rewards")


class StepPolicy(Policy):
    """A policy with a value of each arm, initially 0: Q += step (R - Q) for the pulled arm.

    Parameters
    ----------
    step : float
        Step size; a reward n pulls ago has the weight step (1 - step)^n.
    **settings
        See :class:`baselines.base.Policy`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {"step": STEP}

    def __init__(self, n_arms: int, *, step: Any = 0.1, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.step = self._tuned("step", step)
        self.values = np.zeros((self.n_games, n_arms))
        self._values = self._cells(self.values)

    def _learn(self, arms: Any, rewards: Any) -> None:
        at = self._at(arms)
        value = self._values[at]
        self._values[at] = value + self.step * (rewards - value)


class ConstantStep(StepPolicy):
    """With probability epsilon a random arm, else the arm with the highest value.

    Values are equal at first: with ``ties="first"`` the first arm is pulled until it pays. Reference: Sutton and Barto,
    Reinforcement Learning, section 2.5.

    Parameters
    ----------
    epsilon : float
        Probability of exploring.
    ties : {"random", "first"}
        Which of several arms with the highest value is taken: one at random, or the first.
    step, **settings
        See :class:`StepPolicy`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {
        "epsilon": Tunable(0.001, 0.5, "log", meaning="probability of exploring"),
        "step": STEP,
    }

    def __init__(self, n_arms: int, *, epsilon: Any = 0.1, ties: str = "random", **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.epsilon, self.ties = self._tuned("epsilon", epsilon), check_ties(ties)

    def _select(self) -> Any:
        return self._greedy(self.epsilon, self.values, self.ties)

    def _probabilities(self, offered: np.ndarray) -> np.ndarray:
        return self._greedy_probabilities(self.epsilon, self.values, self.ties, offered)


class Optimistic(ConstantStep):
    """As :class:`ConstantStep` with optimistic initial values, which make it try all arms.

    Arms never pulled come in random order: initial values differ by less than 1e-9. ``probabilities()`` takes such
    values as equally likely, which is exact unless rewards equal ``start``. Reference: Sutton and Barto,
    Reinforcement Learning, section 2.6.

    Parameters
    ----------
    start : float
        Initial value of an arm.
    epsilon, step, ties, **settings
        See :class:`ConstantStep`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {
        "epsilon": Tunable(0, 0.2, meaning="probability of exploring"),
        "step": STEP,
        "start": Tunable(0, 1.5, legal=(-100.0, 100.0), meaning="value of an arm that was never pulled"),
    }

    def __init__(
        self, n_arms: int, *, epsilon: Any = 0.0, start: Any = 1.0, ties: str = "first", **settings: Any
    ) -> None:
        super().__init__(n_arms, epsilon=epsilon, ties=ties, **settings)
        self.start = self._tuned("start", start)
        self.values += column(self.start) + APART * self.rng.random((self.n_games, n_arms))

    def _probabilities(self, offered: np.ndarray) -> np.ndarray:
        # Values that differ by the initial values alone are in random order.
        return lapsing(self.epsilon, greedy(self.values, offered, "random", tolerance=APART), offered)
