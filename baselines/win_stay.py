"""``win-stay-lose-shift``: stay after a win, shift after a loss, with a lapse."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from baselines.behaviour import VALUES, BehaviourModel
from baselines.probabilities import lapsing, uniform
from baselines.tunable import Tunable


class WinStayLoseShift(BehaviourModel):
    """Choose the same arm after a win and another one, at random, after a loss; with probability ``lapse`` any arm.

    The first choice is random, and so is one after a win whose arm is not offered. Model 2 (noisy win-stay-lose-shift)
    of Wilson and Collins (2019), eLife 8: e49547, for any number of arms.

    Parameters
    ----------
    lapse : float
        Probability of a random choice.
    win : float
        A reward of at least this is a win.
    **settings
        See :class:`baselines.base.Policy`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {"lapse": Tunable(0, 1, meaning="probability of a random choice")}

    def __init__(self, n_arms: int, *, lapse: Any = 0.1, win: Any = 0.5, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.lapse, self.win = self._tuned("lapse", lapse), self._checked("win", win, VALUES)
        # Arms that the rule allows; it has no preference before the first reward.
        self._allowed = np.ones((self.n_games, n_arms), dtype=bool)

    def _probabilities(self, offered: np.ndarray) -> np.ndarray:
        allowed = self._allowed & offered
        allowed |= offered & ~allowed.any(axis=1, keepdims=True)
        return lapsing(self.lapse, uniform(allowed), offered)

    def _learn(self, arms: Any, rewards: Any) -> None:
        won = rewards >= self.win
        self._allowed.T[:] = np.logical_not(won)
        self._allowed[self._games, arms] = won
