"""``random-walk``: independent random walks of the arms; the restless bandit of human studies."""

from __future__ import annotations

from typing import Any

import numpy as np

from envs.base import Bandit, check_positive, check_probability, check_range, reflect
from nsa_brian.common.texts import shown

#: Random numbers that a game draws ahead; constant, so that a game does not depend on the number of games.
AHEAD = 512


#: Upper limit of the standard deviation of a step; above 1 a walk hardly differs from independent draws.
MOST_STEP = 1e6


class RandomWalk(Bandit):
    """p <- decay p + (1 - decay) centre + N(0, sd), reflected at the borders ``low`` and ``high``.

    The defaults are those of Daw et al. (2006), whose four slot machines paid 1 to 100 points, Gaussian about a mean
    that walked with decay 0.9836 towards 50 points and a diffusion of 2.8 points. Here arms pay 0 or 1, with a
    hundredth of that mean as their probability. A walk starts from its stationary distribution: normal with standard
    deviation sd / sqrt(1 - decay^2), here 0.155, or uniform between the borders if decay is 1.

    Parameters
    ----------
    decay : float
        Fraction of the distance to the centre that remains after a round, from 0 to 1.
    centre : float
        Value that the walk decays towards.
    sd : float
        Standard deviation of the step of a round.
    low, high : float
        Reflecting borders.
    **settings
        See :class:`envs.base.Bandit`.

    References
    ----------
    N. D. Daw, J. P. O'Doherty, P. Dayan, B. Seymour and R. J. Dolan, Cortical substrates for exploratory decisions in
    humans, Nature 441:876-879, 2006. Preset "two-step": N. D. Daw, S. J. Gershman, B. Seymour, P. Dayan and R. J.
    Dolan, Model-based influences on humans' choices and striatal prediction errors, Neuron 69:1204-1215, 2011.
    """

    #: Rewards of the two-step task.
    presets = {"two-step": {"decay": 1.0, "sd": 0.025, "low": 0.25, "high": 0.75}}  # noqa: RUF012

    def __init__(
        self,
        n_arms: int,
        *,
        decay: float = 0.9836,
        centre: float = 0.5,
        sd: float = 0.028,
        low: float = 0.0,
        high: float = 1.0,
        **settings: Any,
    ) -> None:
        check_probability("decay", decay)
        check_positive("sd", sd, MOST_STEP)
        check_range("the borders", low, high)
        if not low < high or not low <= centre <= high:
            raise ValueError(f"centre must lie in [low, high] with low < high, got {shown(centre)} in [{low}, {high}]")
        self.decay, self.centre, self.sd, self.low, self.high = decay, centre, sd, low, high
        super().__init__(n_arms, **settings)

    def _begin(self) -> np.ndarray:
        size = (self.n_games, self.n_arms)
        self._steps = np.empty((self.n_games, 0, self.n_arms))
        if self.decay == 1:
            return self._rng.uniform(self.low, self.high, size)
        spread = self.sd / np.sqrt(1 - self.decay**2)
        return reflect(self._rng.normal(self.centre, spread, size), self.low, self.high)

    def _next(self) -> np.ndarray:
        if not self._steps.shape[1]:
            ahead = max(1, AHEAD // self.n_arms)
            self._steps = self._rng.normal(0, self.sd, (self.n_games, ahead, self.n_arms))
        step, self._steps = self._steps[:, 0], self._steps[:, 1:]
        pulled = self.centre + self.decay * (self.probabilities - self.centre)
        return reflect(pulled + step, self.low, self.high)
