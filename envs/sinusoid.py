"""``MAB-sin``: each arm follows its own sine wave."""

from __future__ import annotations

from typing import Any

import numpy as np

from envs.base import Bandit
from nsa_brian.common.checks import check_number
from nsa_brian.common.texts import shown

#: Shortest period in rounds.
SHORTEST = 1e-9


class Sinusoid(Bandit):
    """p = 1/2 + 1/2 sin(2 pi f t / period + phase), phase ~ U(0, 2 pi), t in rounds.

    Parameters
    ----------
    f_low, f_high : float
        Range of the frequencies f of the arms, in cycles per ``period`` rounds.
    spacing : {"random", "even"}
        Whether frequencies are drawn uniformly from their range or spaced evenly over it.
    period : float
        Unit of time in rounds.
    **settings
        See :class:`envs.base.Bandit`.
    """

    def __init__(
        self,
        n_arms: int,
        *,
        f_low: float = 0.0,
        f_high: float = 0.1,
        spacing: str = "random",
        period: float = 100.0,
        **settings: Any,
    ) -> None:
        if not 0 <= f_low <= f_high <= 1 / SHORTEST:
            legal = f"0 <= f_low <= f_high <= {1 / SHORTEST:g}"
            raise ValueError(f"frequencies must satisfy {legal}, got {shown(f_low)} to {shown(f_high)}")
        if spacing not in ("random", "even"):
            raise ValueError(f"spacing must be one of random, even, got {shown(spacing)}")
        check_number("period", period, SHORTEST)
        self.f_low, self.f_high, self.spacing, self.period = f_low, f_high, spacing, period
        super().__init__(n_arms, **settings)

    def _begin(self) -> np.ndarray:
        size = (self.n_games, self.n_arms)
        if self.spacing == "even":
            frequency = np.broadcast_to(np.linspace(self.f_low, self.f_high, self.n_arms), size)
        else:
            frequency = self._rng.uniform(self.f_low, self.f_high, size)
        self._omega = 2 * np.pi * frequency / self.period
        self._phase = self._rng.uniform(0, 2 * np.pi, size)
        return self._next()

    def _next(self) -> np.ndarray:
        return 0.5 + 0.5 * np.sin(self._omega * self.round + self._phase)

    def _lay_out(self, n_rounds: int) -> np.ndarray:
        return self._waves(n_rounds, 0)

    def _waves(self, n_rounds: int, n_still: int) -> np.ndarray:
        """Return the waves of the current round and the ones after it; the first ``n_still`` arms are left empty."""
        laid_out = np.empty((n_rounds, self.n_games, self.n_arms))
        rounds = np.arange(self.round, self.round + n_rounds)[:, None, None]
        omega, phase = self._omega[:, n_still:], self._phase[:, n_still:]
        for piece in self._pieces(n_rounds):
            waves = omega * rounds[piece]
            waves += phase
            np.sin(waves, out=waves)
            waves *= 0.5
            np.add(0.5, waves, out=laid_out[piece, :, n_still:])
        return laid_out
