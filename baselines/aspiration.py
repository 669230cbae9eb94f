"""``aspiration`` and ``familiarity``: what is not known well is worth what one has learned to expect."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from baselines.base import Policy, random_argmax
from baselines.probabilities import greedy
from baselines.scalars import ONE, column, where
from baselines.tunable import PROBABILITY, Tunable

STEP = Tunable(0.001, 1, "log", meaning="step of the values towards the rewards")
UP = Tunable(0.0001, 0.1, "log", meaning="step of the aspiration towards higher rewards")
DOWN = Tunable(0.0001, 0.1, "log", meaning="step of the aspiration towards lower rewards")
VALUES = (-100.0, 100.0)


class AspiringPolicy(Policy):
    """A greedy policy with an aspiration a, a signal of the game that follows reward at different speeds up and down.

    a += up (R - a) if R > a, else down (R - a), from ``start``; the highest index is taken, ties at random.

    Parameters
    ----------
    step : float
        Step size of the values.
    up, down : float
        Step sizes of the aspiration.
    start : float
        Initial aspiration.
    **settings
        See :class:`baselines.base.Policy`.
    """

    def __init__(
        self, n_arms: int, *, step: Any = 0.1, up: Any = 0.003, down: Any = 0.01, start: Any = 1.0, **settings: Any
    ) -> None:
        super().__init__(n_arms, **settings)
        self.step, self.up, self.down = self._tuned("step", step), self._tuned("up", up), self._tuned("down", down)
        self.start = self._checked("start", start, VALUES)
        self.aspiration = self._each(0.0) + self.start
        self.values = np.zeros((self.n_games, n_arms))
        self._values = self._cells(self.values)

    @abstractmethod
    def _index(self) -> np.ndarray:
        """Return the index of each arm (games, arms)."""

    def _select(self) -> Any:
        return random_argmax(self._index(), self._number())

    def _probabilities(self, offered: np.ndarray) -> np.ndarray:
        return greedy(self._index(), offered, "random")

    def _learn(self, arms: Any, rewards: Any) -> None:
        rise = where(rewards > self.aspiration, self.up, self.down) * (rewards - self.aspiration)
        self.aspiration = self.aspiration + rise


class Aspiration(AspiringPolicy):
    """Pull the highest value; the values of all other arms drift to the aspiration.

    Q += step (R - Q) for the pulled arm, Q += drift (a - Q) for the others, from Q = start. The aspiration a follows
    reward, usually faster down than up. So an arm that was left becomes worth a try again, and the more so the better
    the game is going.

    Parameters
    ----------
    drift : float
        Step size of the values of arms that are not pulled, towards the aspiration.
    step, up, down, start, **settings
        See :class:`AspiringPolicy`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {
        "step": STEP,
        "drift": Tunable(0.0001, 0.1, "log", meaning="step of the other arms' values towards the aspiration"),
        "up": UP,
        "down": DOWN,
    }

    def __init__(self, n_arms: int, *, drift: Any = 0.003, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.drift = self._tuned("drift", drift)
        self.values += column(self.start)

    def _index(self) -> np.ndarray:
        return self.values

    def _learn(self, arms: Any, rewards: Any) -> None:
        super()._learn(arms, rewards)
        at = self._at(arms)
        value = self._values[at]
        change = self._column(self.aspiration) - self.values
        change *= self._column(self.drift)
        self.values += change
        self._values[at] = value + self.step * (rewards - value)


class Familiarity(AspiringPolicy):
    """Pull the highest (1 - h) Q + h a: an unfamiliar arm, of novelty h, is worth the aspiration a.

    The novelty of an arm is 1 at first. It falls when the arm is pulled, h <- (1 - fall) h, and recovers otherwise,
    h += recovery (1 - h). Q += (step + (1 - step) h) (R - Q) for the pulled arm, from Q = 0, so that the first outcome
    sets the value. The aspiration follows reward, usually faster down than up.

    Parameters
    ----------
    fall, recovery : float
        Speeds at which the novelty of an arm falls when it is pulled and recovers when it is not.
    step, up, down, start, **settings
        See :class:`AspiringPolicy`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {
        "step": STEP,
        "recovery": Tunable(0.0001, 0.1, "log", meaning="recovery of the novelty of arms that are not pulled"),
        "up": UP,
        "down": DOWN,
    }

    def __init__(self, n_arms: int, *, fall: Any = 0.5, recovery: Any = 0.003, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.fall, self.recovery = self._checked("fall", fall, PROBABILITY), self._tuned("recovery", recovery)
        self.novelty = np.ones((self.n_games, n_arms))
        self._novelty = self._cells(self.novelty)

    def _index(self) -> np.ndarray:
        index = self._column(self.aspiration) - self.values
        index *= self.novelty
        index += self.values
        return index

    def _learn(self, arms: Any, rewards: Any) -> None:
        super()._learn(arms, rewards)
        at = self._at(arms)
        novelty, value = self._novelty[at], self._values[at]
        self._values[at] = value + (self.step + (1 - self.step) * novelty) * (rewards - value)
        change = ONE - self.novelty
        change *= self._column(self.recovery)
        self.novelty += change
        self._novelty[at] = (1 - self.fall) * novelty
