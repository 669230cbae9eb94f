"""What every baseline has in common: arms, games, the two verbs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Protocol

import numpy as np

from baselines.tunable import Tunable, per_game
from nsa_brian.common.checks import REAL, WHOLE, check_integer, make_rng, one_per_game
from nsa_brian.common.texts import shown


class Randomness(Protocol):
    """What policies ask a generator for: numpy's, or one that has streams of games' own. The first axis is the game."""

    def random(self, size: Any) -> Any:
        """Uniform numbers in [0, 1)."""

    def beta(self, a: Any, b: Any) -> Any:
        """Samples of Beta(a, b)."""


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
        """The arm to pull next (in each game)."""
        arms = self._select()
        return int(arms[0]) if self._single else arms

    def update(self, arm: Any, reward: Any) -> None:
        """Learn from the reward, a number from 0 to 1, of the arm that was pulled (in each game)."""
        arms = one_per_game("arm", arm, self.n_games, self.n_arms - 1, WHOLE)
        self._learn(arms, one_per_game("reward", reward, self.n_games, 1, REAL))

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

    def _greedy(self, epsilon: np.ndarray, values: np.ndarray, ties: str) -> np.ndarray:
        """The arm of the highest value (games, arms) in each game, or with probability epsilon a random one."""
        if ties == "first":
            return self._explore(epsilon, values.argmax(axis=1))
        luck = self.rng.random((self.n_games, 3))
        return self._explore(epsilon, random_argmax(values, luck[:, 2]), luck)

    def _explore(self, epsilon: np.ndarray, arms: np.ndarray, luck: np.ndarray | None = None) -> np.ndarray:
        """Each game's arm, or with probability epsilon a random one; luck (games, 2) may be given."""
        luck = self.rng.random((self.n_games, 2)) if luck is None else luck
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


#: What to do where several arms have the highest value.
TIES = ("random", "first")


def check_ties(ties: str) -> str:
    """Refuse another way to break ties."""
    if ties not in TIES:
        raise ValueError(f"ties must be one of {', '.join(TIES)}, got {shown(ties)}")
    return ties


def random_argmax(values: np.ndarray, luck: np.ndarray) -> np.ndarray:
    """The place of each row's highest value; of several, the one that the row's luck, from 0 to 1, falls on."""
    first = values.argmax(axis=1)
    tied = values == values[np.arange(len(values)), first, None]
    if np.count_nonzero(tied) == len(values):  # as mostly
        return first
    count = tied.sum(axis=1)
    where = tied.ravel().nonzero()[0]  # row by row, and so the ties of a row start where those before it end
    return where[count.cumsum() - count + (luck * count).astype(np.intp)] % values.shape[1]
