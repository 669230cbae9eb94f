"""``stationary``: probabilities drawn once."""

from __future__ import annotations

from typing import Any

import numpy as np

from envs.base import Bandit, check_positive, check_probability


class Stationary(Bandit):
    """p ~ N(mean, sd) clipped to [0, 1], drawn once at the start.

    Parameters
    ----------
    mean, sd : float
        Mean and standard deviation of the normal distribution.
    **settings
        See :class:`envs.base.Bandit`.
    """

    def __init__(self, n_arms: int, *, mean: float = 0.5, sd: float = 0.2, **settings: Any) -> None:
        check_probability("mean", mean)
        check_positive("sd", sd)
        self.mean, self.sd = mean, sd
        super().__init__(n_arms, **settings)

    def _draw(self) -> np.ndarray:
        return self._rng.normal(self.mean, self.sd, (self.n_games, self.n_arms)).clip(0, 1)

    def _begin(self) -> np.ndarray:
        return self._draw()

    def _next(self) -> np.ndarray:
        return self.probabilities

    def _lay_out(self, n_rounds: int) -> np.ndarray:
        return np.broadcast_to(self.probabilities, (n_rounds, self.n_games, self.n_arms))
