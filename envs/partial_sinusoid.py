"""``MAB-sinP``: half of the arms constant, the others sine waves."""

from __future__ import annotations

from typing import Any

import numpy as np

from envs.base import check_range
from envs.sinusoid import Sinusoid


class PartialSinusoid(Sinusoid):
    """The first K // 2 arms are constant, drawn from U(constant_low, constant_high); the others as in ``MAB-sin``.

    Parameters
    ----------
    constant_low, constant_high : float
        Range of the constant arms' probabilities.
    **settings
        See :class:`envs.sinusoid.Sinusoid`.
    """

    #: The bandit of the paper's appendix.
    presets = {  # noqa: RUF012
        "appendix": {"f_low": 0.1, "f_high": 0.4, "spacing": "even", "constant_low": 0.1, "constant_high": 0.7}
    }

    def __init__(self, n_arms: int, *, constant_low: float = 0.0, constant_high: float = 0.7, **settings: Any) -> None:
        check_range("the range of the constant arms", constant_low, constant_high)
        self.constant_low, self.constant_high = constant_low, constant_high
        super().__init__(n_arms, **settings)

    def _begin(self) -> np.ndarray:
        size = (self.n_games, self.n_arms // 2)
        self._constant = self._rng.uniform(self.constant_low, self.constant_high, size)
        return super()._begin()

    def _next(self) -> np.ndarray:
        probabilities = super()._next()
        probabilities[:, : self.n_arms // 2] = self._constant
        return probabilities

    def _lay_out(self, n_rounds: int) -> np.ndarray:
        laid_out = self._waves(n_rounds, self.n_arms // 2)
        laid_out[:, :, : self.n_arms // 2] = self._constant
        return laid_out
