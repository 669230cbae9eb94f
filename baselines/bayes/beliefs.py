"""Interface of beliefs about the arms of a bandit, and the distribution of a clipped normal number on a grid."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import erf

import numpy as np


class Beliefs(ABC):
    """Beliefs about all arms of a batch of games, whose bandit has known dynamics."""

    @abstractmethod
    def index(self) -> np.ndarray:
        """Return the index of each arm (games, arms) in the current round; the highest is to be pulled."""

    @abstractmethod
    def learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        """Learn from the arm and the reward, 0 to 1, of each game, and advance to the next round."""


def clipped_normal(mean: float, sd: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return n points from 0 to 1 and the probability near each, of a normal number clipped to [0, 1]."""
    points = np.linspace(0, 1, n)
    edges = (points[1:] + points[:-1]) / 2
    below = np.array([(1 + erf((edge - mean) / (sd * 2**0.5))) / 2 for edge in edges])
    return points, np.diff(below, prepend=0, append=1)
