"""``MAB-D``: gradual drift towards changing targets."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from envs.base import MOST, check_positive
from envs.draws import Draws
from envs.stationary import Stationary
from nsa_brian.common.checks import check_integer, check_number
from nsa_brian.common.texts import shown

DISTANCES = ("mean", "sum")


class Drift(Stationary):
    """tau dp/dt = q - p, t in rounds; the target q changes once p is within delta of it.

    Start and targets are drawn from N(mean, sd), clipped to [0, 1].

    Parameters
    ----------
    tau : float
        Time constant in rounds.
    delta : float
        Distance at which the target changes.
    distance : {"mean", "sum"}
        How the absolute errors of the arms are combined.
    n_targets : int
        0: each target is newly drawn. N > 0: targets cycle through N values, the first of which is the start.
    mean, sd, **settings
        See :class:`envs.stationary.Stationary`.
    """

    #: Settings of the public code for the paper's table.
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
        check_number("tau", tau, 1, MOST)
        check_positive("delta", delta)
        if distance not in DISTANCES:
            raise ValueError(f"distance must be one of {', '.join(DISTANCES)}, got {shown(distance)}")
        check_integer("n_targets", n_targets, 0, MOST)
        self.tau, self.delta, self.distance, self.n_targets = tau, delta, distance, n_targets
        super().__init__(n_arms, **settings)

    def _begin(self) -> np.ndarray:
        self._draws = Draws(self._draw, self.n_games, cycle=self.n_targets)
        start, self._targets = self._draws.next(self._games), self._draws.next(self._games)
        return start

    def _next(self) -> np.ndarray:
        gap = self._targets - self.probabilities
        probabilities = self.probabilities + gap / self.tau
        arrived = np.flatnonzero(self._distance(gap) < self.delta)
        if arrived.size:
            self._targets[arrived] = self._draws.next(arrived)
        return probabilities

    def _lay_out(self, n_rounds: int) -> np.ndarray:
        laid_out = np.empty((n_rounds, self.n_games, self.n_arms))
        laid_out[0] = self.probabilities
        gap = self._targets - self.probabilities
        due = self._soonest(gap)
        next_due = due.min()
        for t, (before, after) in enumerate(itertools.pairwise(laid_out), 1):
            np.subtract(self._targets, before, out=gap)
            np.divide(gap, self.tau, out=after)
            after += before
            if t >= next_due:
                games = np.flatnonzero(due <= t)  # those that may have arrived
                arrived = games[self._distance(gap[games]) < self.delta]
                if arrived.size:
                    self._targets[arrived] = self._draws.next(arrived)
                    due[arrived] = t + self._soonest(self._targets[arrived] - after[arrived])
                    next_due = due.min()
        return laid_out

    def _distance(self, gap: np.ndarray) -> np.ndarray:
        """Return the distance to the target after the round: |q - p| shrinks by the same factor in every arm."""
        return (1 - 1 / self.tau) * getattr(np.abs(gap), self.distance)(axis=1)

    def _soonest(self, gap: np.ndarray) -> np.ndarray:
        """Return a lower bound of the rounds until each game reaches its target, at most two rounds too small."""
        rounding = 1e-15 * self.tau * self.n_arms
        near, distance = 1.000001 * self.delta + rounding, getattr(np.abs(gap), self.distance)(axis=1)
        with np.errstate(divide="ignore"):  # log(0) if tau is 1: every round reaches the target
            return np.log(near / np.maximum(distance, near)) / np.log(1 - 1 / self.tau) - 1
