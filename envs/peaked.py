"""``peaked``: one arm stands out; the bandit of the paper's entropy analysis."""

from __future__ import annotations

from typing import Any

import numpy as np

from envs.base import Bandit, check_positive


class Peaked(Bandit):
    """z = 1 for one arm and ~ U(0, 0.5) for the others; p = softmax(beta z) sum(z), clipped to [0, 1]; new each trial.

    A smaller beta gives a flatter, less certain distribution of rewards.

    Parameters
    ----------
    beta : float
        Inverse temperature of the softmax.
    **settings
        See :class:`envs.base.Bandit`.
    """

    def __init__(self, n_arms: int, *, beta: float = 8.0, **settings: Any) -> None:
        check_positive("beta", beta)
        self.beta = beta
        super().__init__(n_arms, **settings)

    def _begin(self) -> np.ndarray:
        size = (self.n_games, self.n_arms)
        z = self._rng.uniform(0, 0.5, size)
        best = (self._rng.random(self.n_games) * self.n_arms).astype(np.intp)
        z[self._games, best] = 1
        weight = np.exp(self.beta * (z - 1))
        scale = z.sum(axis=1, keepdims=True) / weight.sum(axis=1, keepdims=True)
        return (weight * scale).clip(0, 1)

    def _next(self) -> np.ndarray:
        return self._begin() if self.round % self.trial_rounds == 0 else self.probabilities

    def _lay_out(self, n_rounds: int) -> np.ndarray:
        return self._lay_out_trials(n_rounds, self._begin)
