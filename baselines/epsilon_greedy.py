"""``epsilon-greedy``: explore now and then."""

from __future__ import annotations

from typing import Any

import numpy as np

from baselines.base import MeanPolicy


class EpsilonGreedy(MeanPolicy):
    """With probability epsilon a random arm, else the arm with the highest mean reward, the first of equals.

    Means start at 0. Reference: Sutton and Barto, Reinforcement Learning, section 2.2.

    Parameters
    ----------
    epsilon : float
        Probability of exploring.
    **settings
        See :class:`baselines.base.Policy`.
    """

    def __init__(self, n_arms: int, *, epsilon: float = 0.1, **settings: Any) -> None:
        if not 0 <= epsilon <= 1:
            raise ValueError(f"epsilon must be a number from 0 to 1, got {epsilon}")
        super().__init__(n_arms, **settings)
        self.epsilon = epsilon

    def _select(self) -> np.ndarray:
        luck = self.rng.random((self.n_games, 2))
        explored = (luck[:, 0] * self.n_arms).astype(np.intp)
        return np.where(luck[:, 1] < self.epsilon, explored, self.means.argmax(axis=1))
