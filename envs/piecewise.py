"""``MAB-P``: piecewise stationary."""

import numpy as np

from envs.stationary import Stationary


class Piecewise(Stationary):
    """New probabilities p ~ N(mean, sd), clipped to [0, 1], at the start of each trial; constant within it."""

    def _next(self) -> np.ndarray:
        return self._draw() if self.round % self.trial_rounds == 0 else self.probabilities

    def _lay_out(self, n_rounds: int) -> np.ndarray:
        return self._lay_out_trials(n_rounds, self._draw)
