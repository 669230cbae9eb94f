"""``random``: uniform random choices."""

import numpy as np

from baselines.base import Policy


class Uniform(Policy):
    """Pull each arm with the same probability, without learning."""

    def _select(self) -> np.ndarray:
        return (self.rng.random(self.n_games) * self.n_arms).astype(np.intp)

    def _learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        pass
