"""``random``: the lower end of the scale."""

import numpy as np

from baselines.base import Policy


class Uniform(Policy):
    """Pulls each arm with the same probability and learns nothing."""

    def _select(self) -> np.ndarray:
        return (self.rng.random(self.n_games) * self.n_arms).astype(np.intp)

    def _learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        pass
