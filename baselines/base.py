"""What every baseline has in common: arms, games, the two verbs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from baselines.tunable import Tunable, per_game


class Policy(ABC):
    """An agent that plays a bandit by its policy, in one game or in many at once.

    Parameters
    ----------
    n_arms : int
        Arms K, at least 2.
    n_games : int, optional
        Games played side by side. Arms and rewards are then arrays (games,); by default they are plain numbers.
    seed : int, optional
        Same seed, same rewards: same choices.
    rng : numpy.random.Generator, optional
        Instead of ``seed``. It is asked for arrays whose first axis is the game.

    Attributes
    ----------
    tunable : dict
        The parameters worth tuning. Each is a keyword of the class and takes a number, or an array (games,) with a
        number for each game.
    """

    tunable: ClassVar[dict[str, Tunable]] = {}

    def __init__(
        self,
        n_arms: int,
        n_games: int | None = None,
        seed: int | None = None,
        rng: np.random.Generator | None = None,
    ) -> None:
        if n_arms < 2:
            raise ValueError(f"n_arms must be at least 2, got {n_arms}")
        if n_games is not None and n_games < 1:
            raise ValueError(f"n_games must be at least 1, got {n_games}")
        self.n_arms, self.n_games = n_arms, n_games or 1
        self.rng = np.random.default_rng(seed) if rng is None else rng
        self._single = n_games is None
        self._games = np.arange(self.n_games)

    def select_arm(self) -> Any:
        """The arm to pull next (in each game)."""
        arms = self._select()
        return int(arms[0]) if self._single else arms

    def update(self, arm: Any, reward: Any) -> None:
        """Learn from the reward of the arm that was pulled (in each game)."""
        arms, rewards = np.atleast_1d(arm), np.atleast_1d(reward)
        if (arms.astype(np.uintp) >= self.n_arms).any():  # a negative one turns into a large one
            raise ValueError(f"arm must be from 0 to {self.n_arms - 1}, got {arm}")
        self._learn(arms, rewards)

    @abstractmethod
    def _select(self) -> np.ndarray:
        """The arm of each game."""

    @abstractmethod
    def _learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        """Learn from each game's arm and reward."""

    def _tuned(self, name: str, value: Any) -> np.ndarray:
        """A tunable parameter, checked, as one number for each game."""
        tunable = self.tunable[name]
        return per_game(name, value, self.n_games, tunable.legal, tunable.integer)

    def _explore(self, epsilon: np.ndarray, arms: np.ndarray) -> np.ndarray:
        """Each game's arm, or with probability epsilon a random one."""
        luck = self.rng.random((self.n_games, 2))
        explored = (luck[:, 0] * self.n_arms).astype(np.intp)
        return np.where(luck[:, 1] < epsilon, explored, arms)


class MeanPolicy(Policy):
    """A policy that keeps how often each arm was pulled and the mean of its rewards."""

    def __init__(self, n_arms: int, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.pulls = np.zeros((self.n_games, n_arms))
        self.means = np.zeros((self.n_games, n_arms))

    def _learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        at = self._games, arms
        pulls = self.pulls[at] + 1
        self.pulls[at] = pulls
        self.means[at] += (rewards - self.means[at]) / pulls
