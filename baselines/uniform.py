"""``random``: uniform random choices."""

from typing import Any

import numpy as np

from baselines.base import Policy
from baselines.probabilities import uniform
from baselines.scalars import whole


class Uniform(Policy):
    """Pull each arm with the same probability, without learning."""

    def _select(self) -> Any:
        if self._ahead:  # a single game
            return int(self._ahead.pop() * self.n_arms)
        return whole(self._number() * self.n_arms)

    def _probabilities(self, offered: np.ndarray) -> np.ndarray:
        return uniform(offered)

    def _learn(self, arms: Any, rewards: Any) -> None:
        pass
