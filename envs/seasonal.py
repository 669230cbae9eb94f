"""``seasonal``: a periodic season on a linear trend."""

from __future__ import annotations

from typing import Any

import numpy as np

from envs.base import MOST, reflect
from envs.stationary import Stationary
from nsa_brian.common.checks import check_number


class Seasonal(Stationary):
    """p = level + slope t / period + amplitude sin(2 pi t / period + phase), t in rounds, reflected at 0 and 1.

    Each arm has its own level ~ N(mean, sd), clipped to [0, 1], phase ~ U(0, 2 pi) and slope ~ U(-trend, trend); the
    period is the same for all. Reflection keeps arms from staying at a border.

    Parameters
    ----------
    period : float
        Length of a season in rounds.
    amplitude : float
        Amplitude of the season.
    trend : float
        Largest rise or fall of an arm's level in a period.
    mean, sd, **settings
        See :class:`envs.stationary.Stationary`.
    """

    def __init__(
        self, n_arms: int, *, period: float = 500.0, amplitude: float = 0.2, trend: float = 0.1, **settings: Any
    ) -> None:
        check_number("period", period, 1 / MOST)
        check_number("amplitude", amplitude, 0, MOST)
        check_number("trend", trend, 0, MOST)
        self.period, self.amplitude, self.trend = period, amplitude, trend
        super().__init__(n_arms, **settings)

    def _begin(self) -> np.ndarray:
        size = (self.n_games, self.n_arms)
        self._level = self._draw()
        self._slope = self._rng.uniform(-self.trend, self.trend, size)
        phase = self._rng.uniform(0, 2 * np.pi, size)
        self._season = self.amplitude * np.array([np.cos(phase), np.sin(phase)])
        return self._next()

    def _next(self) -> np.ndarray:
        return self._at(self.round / self.period)

    def _lay_out(self, n_rounds: int) -> np.ndarray:
        laid_out = np.empty((n_rounds, self.n_games, self.n_arms))
        for piece in self._pieces(n_rounds):
            cycles = (np.arange(self.round + piece.start, self.round + piece.stop) / self.period)[:, None, None]
            laid_out[piece] = self._at(cycles)
        return laid_out

    def _at(self, cycles: Any) -> np.ndarray:
        """Return the probabilities at a time in periods."""
        # sin(x + phase) = sin x cos phase + cos x sin phase: one sine for all arms.
        sine, cosine = np.sin(2 * np.pi * cycles), np.cos(2 * np.pi * cycles)
        season = sine * self._season[0] + cosine * self._season[1]
        return reflect(self._level + self._slope * cycles + season)
