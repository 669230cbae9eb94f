"""Base class of the policies: arms, games, ``select_arm`` and ``update``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Protocol

import numpy as np

from baselines.probabilities import greedy, lapsing
from baselines.scalars import FEW_ARMS, cells, where, whole
from baselines.tunable import Tunable, per_game
from baselines.views import Viewing
from nsa_brian.common.checks import REAL, WHOLE, check_integer, make_rng, one_per_game
from nsa_brian.common.texts import shown


class Randomness(Protocol):
    """Methods of a generator that policies use: numpy's, or one with a stream per game. The first axis is the game."""

    def random(self, size: Any) -> Any:
        """Return uniform random numbers in [0, 1)."""

    def beta(self, a: Any, b: Any) -> Any:
        """Return samples of Beta(a, b)."""


#: Uniform random numbers that a single game draws ahead.
BLOCK = 256


class Policy(Viewing, ABC):
    """A bandit policy that plays one game or many at once.

    For speed, policies of this package have plain numbers instead of arrays (games,) in a single game; what they call
    works for both. Arrays (games, arms) stay. Users' policies always have arrays.

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
    compared : bool
        Whether ``nsa tune`` and the group ``state-of-the-art`` include it: true except for models of behaviour, which
        are made for fits to choices, and for policies that play some bandits only.
    """

    tunable: ClassVar[dict[str, Tunable]] = {}
    compared: ClassVar[bool] = True

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
        self._shipped = type(self).__module__.startswith("baselines.")
        self._alone = self.n_games == 1 and self._shipped
        self._plain = self._alone and self._single
        self._plain_arms = n_arms if self._alone else 0  # arms that may be plain numbers
        self._games: Any = 0 if self._alone else np.arange(self.n_games)
        self._number_buffer = np.zeros(())
        self._block = BLOCK if rng is None else 0  # somebody else may use a generator that was given
        self._ahead: list[float] = []  # the next one is the last

    def __repr__(self) -> str:
        games = "" if self._single else f", n_games={self.n_games}"
        return f"{type(self).__name__}(n_arms={self.n_arms}{games})"

    @classmethod
    def check_bandit(cls, bandit: Any) -> None:
        """Raise a ValueError if the policy cannot play the bandit; most play all."""
        return None

    def select_arm(self) -> Any:
        """Return the arm to pull next (in each game)."""
        arms = self._select()
        if self._plain:
            return arms if type(arms) is int else int(arms)
        if self._alone:
            return np.array([int(arms)])
        return int(arms[0]) if self._single else arms

    def update(self, arm: Any, reward: Any) -> None:
        """Learn from the reward, a number from 0 to 1, of the arm that was pulled (in each game)."""
        if type(arm) is int and 0 <= arm < self._plain_arms:  # the usual case of a single game, without arrays
            kind = type(reward)
            if (kind is int or kind is float) and 0 <= reward <= 1:
                self._learn(arm, reward)
                return
        arm = one_per_game("arm", arm, self.n_games, self.n_arms - 1, WHOLE)
        reward = one_per_game("reward", reward, self.n_games, 1, REAL)
        if self._alone:
            arm, reward = arm.item(), reward.item()
        self._learn(arm, reward)

    def probabilities(self, offered: Any = None) -> np.ndarray:
        """Return the probability of each arm at the next choice, given the arms and rewards of the past.

        They are those over all seeds: arms that come in a random order are equally likely. Neither the state of the
        policy nor its random numbers change.

        Parameters
        ----------
        offered : array of bool, (arms,) or (games, arms), optional
            Arms to choose from; the rule is applied to these, and the others have probability 0.

        Returns
        -------
        array (games, arms), or (arms,) without ``n_games``

        Raises
        ------
        ValueError
            If the policy has no closed form of its probabilities, or ``offered`` is illegal.
        """
        found = self._probabilities(check_offered(offered, self.n_games, self.n_arms))
        return found[0] if self._single else found

    def _probabilities(self, offered: np.ndarray) -> np.ndarray:
        """Return the probability of each arm (games, arms) among those offered (games, arms)."""
        raise ValueError(f"{type(self).__name__} has no closed form of its choice probabilities")

    @abstractmethod
    def _select(self) -> Any:
        """Return the arm of each game."""

    @abstractmethod
    def _learn(self, arms: Any, rewards: Any) -> None:
        """Learn from the arm and the reward of each game."""

    def _tuned(self, name: str, value: Any) -> Any:
        """Check a tunable parameter and return one number per game."""
        tunable = self.tunable[name]
        return self._checked(name, value, tunable.legal, tunable.integer)

    def _checked(self, name: str, value: Any, legal: tuple[float, float], integer: bool = False) -> Any:
        """Check a setting and return one number per game."""
        found = per_game(name, value, self.n_games, legal, integer)
        return found.item() if self._alone else found

    def _each(self, value: float) -> Any:
        """Return the number for each game."""
        return value if self._alone else np.full(self.n_games, value)

    def _cells(self, array: np.ndarray) -> Any:
        """Return the array, to be indexed with ``self._at(arms)``; in a single game a view with plain numbers."""
        return cells(array, self._alone)

    def _at(self, arms: Any) -> Any:
        """Return the index of the arm of each game in what :meth:`_cells` returns."""
        return arms if self._alone else (self._games, arms)

    def _column(self, x: Any) -> Any:
        """Return one number per game, to combine with arrays (games, arms) before the next call.

        In a single game it is written into one array, since numpy takes twice as long for a plain number.
        """
        if self._alone:
            self._number_buffer[()] = x
            return self._number_buffer
        return x[:, None]

    def _numpy(self, function: np.ufunc, x: Any) -> Any:
        """Return the function of one number per game; in a single game, too, with the bits of numpy's."""
        if self._alone:
            number = self._number_buffer
            number[()] = x
            return float(function(number))
        return function(x)

    def _argmax(self, values: np.ndarray) -> Any:
        """Return the arm with the highest value (games, arms), the first of equals."""
        return values.argmax() if self._alone else values.argmax(axis=1)

    def _uniform(self, count: int) -> Any:
        """Return uniform random numbers (count, games)."""
        if not self._alone:
            return self.rng.random((self.n_games, count)).T
        ahead = self._ahead
        if len(ahead) < count:
            self._draw_ahead(count)
        taken = ahead[: -count - 1 : -1]
        del ahead[-count:]
        return taken

    def _draw_ahead(self, count: int) -> None:
        """Draw uniform random numbers of a single game, so that ``count`` of them are not used yet."""
        self._ahead[:0] = self.rng.random((1, self._block or count))[0, ::-1].tolist()

    def _number(self) -> Any:
        """Return a uniform random number per game."""
        return self._ahead.pop() if self._ahead else self._uniform(1)[0]

    def _greedy(self, epsilon: Any, values: np.ndarray, ties: str) -> Any:
        """Return the arm with the highest value (games, arms), or with probability epsilon a random one."""
        first = ties == "first"
        if self._alone:
            ahead, count = self._ahead, 2 if first else 3
            if len(ahead) < count:
                self._draw_ahead(count)
            which, whether = ahead.pop(), ahead.pop()
            tied = 0.0 if first else ahead.pop()
            if whether < epsilon:  # values need not be compared
                return int(which * self.n_arms)
            return values.argmax() if first else random_argmax(values, tied)
        which, whether, *tie = self._uniform(2 if first else 3)
        arms = random_argmax(values, *tie) if tie else values.argmax(axis=1)
        return self._explore(epsilon, arms, which, whether)

    def _greedy_probabilities(self, epsilon: Any, values: np.ndarray, ties: str, offered: np.ndarray) -> np.ndarray:
        """Return the probabilities of :meth:`_greedy`."""
        return lapsing(epsilon, greedy(values, offered, ties), offered)

    def _explore(self, epsilon: Any, arms: Any, which: Any, whether: Any) -> Any:
        """Return the given arms, or with probability epsilon random ones, by two uniform random numbers per game."""
        return where(whether < epsilon, whole(which * self.n_arms), arms)


class MeanPolicy(Policy):
    """A policy that stores the number of pulls and the mean reward of each arm."""

    def __init__(self, n_arms: int, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.pulls = np.zeros((self.n_games, n_arms))
        self.means = np.zeros((self.n_games, n_arms))
        self._pulls, self._means = self._cells(self.pulls), self._cells(self.means)

    def _learn(self, arms: Any, rewards: Any) -> None:
        at = self._at(arms)
        pulls, mean = self._pulls[at] + 1, self._means[at]
        self._pulls[at] = pulls
        self._means[at] = mean + (rewards - mean) / pulls


#: Which of several arms with the highest value to take.
TIES = ("random", "first")


def check_ties(ties: str) -> str:
    """Return ``ties``; raise a ValueError unless it is one of ``TIES``."""
    if ties not in TIES:
        raise ValueError(f"ties must be one of {', '.join(TIES)}, got {shown(ties)}")
    return ties


def check_offered(offered: Any, n_games: int, n_arms: int) -> np.ndarray:
    """Return which arms are offered (games, arms): all for None; raise a ValueError for an illegal mask."""
    wanted = f"offered must be true or false for each of {n_arms} arms"
    mask = np.ones(n_arms, dtype=bool) if offered is None else np.asarray(offered)
    if mask.dtype != bool:
        raise ValueError(f"{wanted}, got an array of {mask.dtype}")
    if mask.shape not in ((n_arms,), (n_games, n_arms)):
        raise ValueError(f"{wanted}, or one row for each of {n_games} games, got an array of shape {mask.shape}")
    if not mask.any(axis=-1).all():
        raise ValueError(f"{wanted}, and at least one arm must be offered, got a row without any")
    return np.broadcast_to(mask, (n_games, n_arms))


def random_argmax(values: np.ndarray, uniform: Any) -> Any:
    """Return the index of the highest value of each row; ties are broken by a uniform random number per row."""
    if not isinstance(uniform, np.ndarray):  # a single game
        if values.size <= FEW_ARMS:
            (row,) = values.tolist()
            most = max(row)
            if row.count(most) == 1:
                return row.index(most)
        tied = (values[0] == values.item(values.argmax())).nonzero()[0]
        return tied[int(uniform * len(tied))]
    first = values.argmax(axis=1)
    tied = values == values[np.arange(len(values)), first, None]
    if np.count_nonzero(tied) == len(values):  # no ties, the usual case
        return first
    count = tied.sum(axis=1)
    where = tied.ravel().nonzero()[0]  # ordered by row
    return where[count.cumsum() - count + (uniform * count).astype(np.intp)] % values.shape[1]
