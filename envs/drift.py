"""``MAB-D``: gradual drift towards changing targets."""

from __future__ import annotations

from typing import Any

import numpy as np

from envs.base import check_positive
from envs.draws import Draws
from envs.stationary import Stationary

DISTANCES = ("mean", "sum")


class Drift(Stationary):
    """tau dp/dt = q - p, t in rounds; once p is within delta of the target q, a new target.

    Start and targets are drawn from N(mean, sd), clipped to [0, 1].

    Parameters
    ----------
    tau : float
        Time constant in rounds.
    delta : float
        Distance at which the target changes.
    distance : {"mean", "sum"}
        Of the arms' absolute errors.
    n_targets : int
        0: each target is newly drawn. N > 0: the targets cycle through a set of N, the start being the first.
    mean, sd, **settings
        See :class:`envs.stationary.Stationary`.
    """

    #: What the public code used when the paper's table was made.
    presets = {"published-table": {"tau": 100.0, "delta": 0.01, "distance": "sum", "n_targets": 2}}  # noqa: RUF012

    def __init__(
        self,
        n_arms: int,
        *,
        tau: float = 200.0,
        delta: float = 0.02,
        distance: str = "mean",
        n_targets: int = 0,
        **settings: Any,
    ) -> None:
        if not 1 <= tau < np.inf:
            raise ValueError(f"tau must be a number of rounds from 1 up, got {tau}")
        check_positive("delta", delta)
        if distance not in DISTANCES:
            raise ValueError(f"distance must be one of {', '.join(DISTANCES)}, got {distance!r}")
        if not isinstance(n_targets, int) or n_targets < 0:
            raise ValueError(f"n_targets must be a whole number from 0 up, got {n_targets!r}")
        self.tau, self.delta, self.distance, self.n_targets = tau, delta, distance, n_targets
        super().__init__(n_arms, **settings)

    def _begin(self) -> np.ndarray:
        self._draws = Draws(self._draw, self.n_games, cycle=self.n_targets)
        start, self._targets = self._draws.next(self._games), self._draws.next(self._games)
        return start

    def _next(self) -> np.ndarray:
        gap = self._targets - self.probabilities
        probabilities = self.probabilities + gap / self.tau
        # |q - p| shrinks by the same factor in every arm.
        distance = (1 - 1 / self.tau) * getattr(np.abs(gap), self.distance)(axis=1)
        arrived = np.flatnonzero(distance < self.delta)
        if arrived.size:
            self._targets[arrived] = self._draws.next(arrived)
        return probabilities
