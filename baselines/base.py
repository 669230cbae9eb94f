"""Base class of the policies: arms, games, ``select_arm`` and ``update``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Protocol

import numpy as np

from baselines.tunable import Tunable, per_game
from nsa_brian.common.checks import REAL, WHOLE, check_integer, make_rng, one_per_game
from nsa_brian.common.texts import shown


class Randomness(Protocol):
    """Methods of a generator that policies use: numpy's, or one with a stream per game. The first axis is the game."""

    def random(self, size: Any) -> Any:
        """Return uniform random numbers in [0, 1)."""

    def beta(self, a: Any, b: Any) -> Any:
        """Return samples of Beta(a, b)."""


class Policy(ABC):
    """A bandit policy that plays one game or many at once.

    Parameters
    ----------
    n_arms : int
        Number of arms K, at least 2.
    n_games : int, optional
        Number of games played at once. Arms and rewards are then arrays (games,); by default they are plain numbers.
    seed : int, optional
        Seed of the random numbers; the same seed and rewards give the same choices.
    rng : numpy.random.Generator, optional
        Instead of ``seed``. It draws arrays whose first axis is the game.

    Attributes
    ----------
    tunable : dict
        Tunable parameters. Each is a keyword of the class and takes a number, or an array (games,) with one per game.
    """

    tunable: ClassVar[dict[str, Tunable]] = {}

    def __init__(
        self,
        n_arms: int,
        n_games: int | None = None,
        seed: int | None = None,
        rng: Randomness | None = None,
    ) -> None:
        check_integer("n_arms", n_arms, 2)
        check_integer("n_games", 1 if n_games is None else n_games, 1)
        self.n_arms, self.n_games = n_arms, n_games or 1
        self.rng: Randomness = make_rng(seed, rng)
        self._single = n_games is None
        self._games = np.arange(self.n_games)

    def __repr__(self) -> str:
        games = "" if self._single else f", n_games={self.n_games}"
        return f"{type(self).__name__}(n_arms={self.n_arms}{games})"

    def select_arm(self) -> Any:
        """Return the arm to pull next (in each game)."""
        arms = self._select()
        return int(arms[0]) if self._single else arms

    def update(self, arm: Any, reward: Any) -> None:
        """Learn from the reward, a number from 0 to 1, of the arm that was pulled (in each game)."""
        arms = one_per_game("arm", arm, self.n_games, self.n_arms - 1, WHOLE)
        self._learn(arms, one_per_game("reward", reward, self.n_games, 1, REAL))

    @abstractmethod
    def _select(self) -> np.ndarray:
        """Return the arm of each game."""

    @abstractmethod
    def _learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        """Learn from the arm and the reward of each game."""

    def _tuned(self, name: str, value: Any) -> np.ndarray:
        """Check a tunable parameter and return one number per game."""
        tunable = self.tunable[name]
        return per_game(name, value, self.n_games, tunable.legal, tunable.integer)

    def _greedy(self, epsilon: np.ndarray, values: np.ndarray, ties: str) -> np.ndarray:
        """Return the arm with the highest value (games, arms), or with probability epsilon a random one."""
        if ties == "first":
            return self._explore(epsilon, values.argmax(axis=1))
        uniform = self.rng.random((self.n_games, 3))
        return self._explore(epsilon, random_argmax(values, uniform[:, 2]), uniform)

    def _explore(self, epsilon: np.ndarray, arms: np.ndarray, uniform: np.ndarray | None = None) -> np.ndarray:
        """Return the given arms, or with probability epsilon random ones, by uniform random numbers (games, 2)."""
        uniform = self.rng.random((self.n_games, 2)) if uniform is None else uniform
        explored = (uniform[:, 0] * self.n_arms).astype(np.intp)
        return np.where(uniform[:, 1] < epsilon, explored, arms)


class MeanPolicy(Policy):
    """A policy that stores the number of pulls and the mean reward of each arm."""

    def __init__(self, n_arms: int, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.pulls = np.zeros((self.n_games, n_arms))
        self.means = np.zeros((self.n_games, n_arms))

    def _learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        at = self._games, arms
        pulls = self.pulls[at] + 1
        self.pulls[at] = pulls
        self.means[at] += (rewards - self.means[at]) / pulls


#: Which of several arms with the highest value to take.
TIES = ("random", "first")


def check_ties(ties: str) -> str:
    """Return ``ties``; raise a ValueError unless it is one of ``TIES``."""
    if ties not in TIES:
        raise ValueError(f"ties must be one of {', '.join(TIES)}, got {shown(ties)}")
    return ties


def random_argmax(values: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """Return the index of the highest value of each row; ties are broken by a uniform random number per row."""
    first = values.argmax(axis=1)
    tied = values == values[np.arange(len(values)), first, None]
    if np.count_nonzero(tied) == len(values):  # no ties, the usual case
        return first
    count = tied.sum(axis=1)
    where = tied.ravel().nonzero()[0]  # ordered by row
    return where[count.cumsum() - count + (uniform * count).astype(np.intp)] % values.shape[1]
