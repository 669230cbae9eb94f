"""``needle``: one good arm among many."""

from __future__ import annotations

from typing import Any

import numpy as np

from envs.base import Bandit, check_probability, check_range
from envs.draws import random_rounds


class Needle(Bandit):
    """One arm pays with probability ``high``, all others with ``low``; it moves in a round with probability ``rate``.

    The good arm is drawn uniformly, first from all arms, at a move from all others. Trials have no effect.

    Parameters
    ----------
    low, high : float
        Probabilities of the bad arms and of the good arm.
    rate : float
        Probability of a move in a round.
    **settings
        See :class:`envs.base.Bandit`.
    """

    def __init__(
        self, n_arms: int, *, low: float = 0.2, high: float = 0.8, rate: float = 0.001, **settings: Any
    ) -> None:
        check_range("the probabilities", low, high)
        check_probability("rate", rate)
        self.low, self.high, self.rate = low, high, rate
        super().__init__(n_arms, **settings)

    def _begin(self) -> np.ndarray:
        self._place = (self._rng.random(self.n_games) * self.n_arms).astype(np.intp)
        return self._around_the_place()

    def _next(self) -> np.ndarray:
        when, where = self._rng.random((self.n_games, 2)).T
        moves = when < self.rate
        if not moves.any():
            return self.probabilities
        way = 1 + (where * (self.n_arms - 1)).astype(np.intp)  # to any other arm
        self._place = (self._place + np.where(moves, way, 0)) % self.n_arms
        return self._around_the_place()

    def _lay_out(self, n_rounds: int) -> np.ndarray:
        when, where = np.moveaxis(random_rounds(self._rng, n_rounds - 1, (self.n_games, 2)), 2, 0)
        moves = when < self.rate
        if not moves.any():
            return np.broadcast_to(self.probabilities, (n_rounds, self.n_games, self.n_arms))
        way = np.where(moves, 1 + (where * (self.n_arms - 1)).astype(np.intp), 0)
        places = np.concatenate([self._place[None], way]).cumsum(axis=0) % self.n_arms
        self._place = places[-1]
        laid_out = np.full((n_rounds, self.n_games, self.n_arms), self.low)
        laid_out[np.arange(n_rounds)[:, None], self._games, places] = self.high
        return laid_out

    def _around_the_place(self) -> np.ndarray:
        probabilities = np.full((self.n_games, self.n_arms), self.low)
        probabilities[self._games, self._place] = self.high
        return probabilities
