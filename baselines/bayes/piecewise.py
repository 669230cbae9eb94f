"""Beliefs about ``MAB-P``: constant probabilities, drawn anew in each trial."""

from __future__ import annotations

from typing import Any

import numpy as np

from baselines.bayes.beliefs import Beliefs
from baselines.bayes.gittins import clipped_normal_indices

#: Pulls after which an arm counts as known.
MOST = 300


class PiecewiseBeliefs(Beliefs):
    """Successes and failures of each arm in the trial, and the Gittins index for the rounds that are left in it.

    The index has a discount of 1 - c / m, where m is the number of rounds left, rounded to a power of 2. The posterior
    is exact; an index for a finite horizon would be that of a game with one unknown arm.

    Parameters
    ----------
    bandit : envs.piecewise.Piecewise
        Its mean, sd and trial_rounds are used.
    n_games, n_arms : int
    c : float
        How much shorter than the rest of the trial the horizon of the index is.
    """

    def __init__(self, bandit: Any, n_games: int, n_arms: int, c: float = 1.0) -> None:
        self._prior, self._trial_rounds, self._c = (float(bandit.mean), float(bandit.sd)), int(bandit.trial_rounds), c
        self._games, self._round, self._kind = np.arange(n_games), 0, -1
        self._successes, self._failures = np.zeros((2, n_games, n_arms), dtype=np.intp)
        self._index = np.zeros((n_games, n_arms))
        self._look_up()

    def index(self) -> np.ndarray:
        """Return the Gittins index of each arm."""
        return self._index

    def learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        """Count the outcome; forget everything at the end of a trial."""
        at = self._games, arms
        won = rewards >= 0.5
        full = self._successes[at] + self._failures[at] >= MOST
        # An arm that counts as known keeps its mean.
        self._successes[at] += won & ~full
        self._failures[at] += ~won & ~full
        self._round += 1
        if self._round % self._trial_rounds == 0:
            self._successes[:], self._failures[:] = 0, 0
            self._kind = -1
        if not self._look_up():
            self._index[at] = self._table[self._successes[at], self._failures[at]]

    def _look_up(self) -> bool:
        """Look up all indices if the discount changes with the rounds left; return whether it did."""
        left = self._trial_rounds - self._round % self._trial_rounds
        kind = int(np.rint(np.log2(left)))
        if kind == self._kind:
            return False
        self._kind = kind
        discount = 1 - min(max(self._c / 2**kind, 1e-6), 1)
        self._table = clipped_normal_indices(*self._prior, discount, MOST)
        self._index = self._table[self._successes, self._failures]
        return True
