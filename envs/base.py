"""Base class of the bandits: arms, rounds, trials, rewards."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np

from envs.draws import Randomness, random_rounds
from nsa_brian.common.checks import WHOLE, check_integer, check_probabilities, make_rng, one_per_game
from nsa_brian.common.copying import Copied
from nsa_brian.common.overrides import overrides
from nsa_brian.common.plugins import PluginError, described
from nsa_brian.common.texts import shown

#: Number of probabilities computed at once.
PIECE = 8192

#: Upper limit of rounds and counts in settings; double precision is exact up to it.
MOST = 10**12


class Bandit(Copied, ABC):
    """A Bernoulli bandit whose probabilities change over rounds, independently of the agent.

    Parameters
    ----------
    n_arms : int
        Number of arms K, at least 2.
    n_games : int, optional
        Number of games played at once, each with its own probabilities and random numbers. Arms and rewards are then
        arrays (games,); by default they are plain numbers.
    seed : int, optional
        Seed of the random numbers; the same seed gives the same game.
    rng : numpy.random.Generator, optional
        Instead of ``seed``; see :meth:`reset`.
    trial_rounds : int
        Number of rounds in a trial.

    Attributes
    ----------
    probabilities : array (games, arms)
        Reward probability of each arm in the current round.
    round : int
        The current round, from 0.
    presets : dict
        Named groups of settings, for :func:`envs.make`.
    default_arms : int
        Number of arms that :func:`envs.make` uses by default; None if other settings determine it.
    """

    presets: ClassVar[dict[str, dict[str, Any]]] = {}
    default_arms: ClassVar[int | None] = 10

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        made_by = [next(c for c in cls.__mro__ if name in vars(c)) for name in ("_next", "_lay_out")]
        # An inherited _lay_out computes the parent's _next. issubclass() would answer from the parent's cache here.
        if made_by[0] not in made_by[1].__mro__:
            cls._lay_out = Bandit._lay_out  # type: ignore[method-assign]

    def __init__(
        self,
        n_arms: int,
        n_games: int | None = None,
        seed: int | None = None,
        rng: Randomness | None = None,
        trial_rounds: int = 2000,
    ) -> None:
        check_integer("n_arms", n_arms, 2)
        check_integer("n_games", 1 if n_games is None else n_games, 1)
        check_integer("trial_rounds", trial_rounds, 1)
        self.n_arms, self.n_games, self.trial_rounds = n_arms, n_games or 1, trial_rounds
        self._single = n_games is None
        self._games = np.arange(self.n_games)
        self.reset(make_rng(seed, rng, "spawn"))

    def __repr__(self) -> str:
        games = "" if self._single else f", n_games={self.n_games}"
        return (
            f"{type(self).__name__}(n_arms={self.n_arms}{games}, trial_rounds={self.trial_rounds}), round {self.round}"
        )

    @property
    def horizon(self) -> int | None:
        """The number of rounds the bandit lasts; None if it never ends."""
        return None

    @property
    def trial(self) -> int:
        """The current trial, from 0."""
        return self.round // self.trial_rounds

    @property
    def best_arm(self) -> Any:
        """The arm with the highest probability in the current round (of each game)."""
        best = self.probabilities.argmax(axis=1)
        return int(best[0]) if self._single else best

    @property
    def plays_ahead(self) -> bool:
        """Whether rewards follow from :meth:`ahead`; False if a subclass overrides :meth:`pull`."""
        return not overrides(type(self), Bandit, "pull")

    def reset(self, rng: Randomness) -> None:
        """Restart at round 0 and draw all random numbers from ``rng``, in arrays whose first axis is the game."""
        make_rng(None, rng, "spawn")  # checks rng
        self.round = 0
        self._rng, self._reward_rng = rng.spawn(2)
        self._uniform = self._reward_rng.random(self.n_games)
        self.probabilities = self._begin()

    def step(self) -> None:
        """Advance to the next round."""
        self.round += 1
        self._uniform = self._reward_rng.random(self.n_games)
        self.probabilities = self._next()

    def ahead(self, n_rounds: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the current round and the ones after it in one call, and advance to the last of them.

        This equals ``n_rounds - 1`` steps.

        Returns
        -------
        probabilities : array (rounds, games, arms)
            Read-only: rounds without a change may share memory.
        uniform : array (rounds, games)
            Uniform random numbers: an arm pays if its probability is above the number of the round.
        """
        check_integer("n_rounds", n_rounds, 1)
        if overrides(type(self), Bandit, "step"):
            return self._ahead_by_steps(n_rounds)
        first = self.round
        laid_out = self._lay_out(n_rounds)
        self.round, self.probabilities = first + n_rounds - 1, laid_out[-1].copy()
        uniform = np.concatenate([self._uniform[None], random_rounds(self._reward_rng, n_rounds - 1, (self.n_games,))])
        self._uniform = uniform[-1].copy()
        return laid_out, uniform

    def _ahead_by_steps(self, n_rounds: int) -> tuple[np.ndarray, np.ndarray]:
        """Return what :meth:`ahead` does for a subclass that overrides :meth:`step`."""
        rounds = [(self.probabilities.copy(), self._uniform)]
        for _ in range(1, n_rounds):
            self.step()
            rounds.append((self.probabilities.copy(), self._uniform))
        probabilities, uniform = (np.array(each) for each in zip(*rounds, strict=True))
        return probabilities, uniform

    def pull(self, arms: Any) -> Any:
        """Return the reward, 0 or 1, of the pulled arm (of each game).

        Random numbers are drawn once per round, so that all agents that pull in a round meet the same ones.
        """
        rewards = pay(self.probabilities, self._uniform, arms)
        return int(rewards[0]) if self._single else rewards

    @abstractmethod
    def _begin(self) -> np.ndarray:
        """Return the probabilities of round 0."""

    @abstractmethod
    def _next(self) -> np.ndarray:
        """Return the probabilities of round ``self.round``; ``self.probabilities`` has those of the round before."""

    def _lay_out(self, n_rounds: int) -> np.ndarray:
        """Return the probabilities (rounds, games, arms) of the current round and the ones after it.

        Subclasses may override this with something faster that gives the same numbers as ``_next``, bit for bit. The
        caller sets ``self.round`` and ``self.probabilities``.
        """
        laid_out = np.empty((n_rounds, self.n_games, self.n_arms))
        laid_out[0] = self.probabilities
        for t in range(1, n_rounds):
            self.round += 1
            laid_out[t] = self.probabilities = self._next()
        return laid_out

    def _pieces(self, n_rounds: int) -> Iterator[slice]:
        """Yield slices of rounds that are small enough for the CPU caches."""
        length = max(1, PIECE // (self.n_games * self.n_arms))
        return (slice(start, min(start + length, n_rounds)) for start in range(0, n_rounds, length))

    def _lay_out_trials(self, n_rounds: int, draw: Callable[[], np.ndarray]) -> np.ndarray:
        """Do the same for a bandit that changes at the start of trials only; ``draw`` returns the new probabilities."""
        border = self.trial_rounds - self.round % self.trial_rounds
        if border >= n_rounds:
            return np.broadcast_to(self.probabilities, (n_rounds, self.n_games, self.n_arms))
        laid_out = np.empty((n_rounds, self.n_games, self.n_arms))
        laid_out[:border] = self.probabilities
        first = self.round
        for start in range(border, n_rounds, self.trial_rounds):
            self.round = first + start
            laid_out[start : start + self.trial_rounds] = draw()
        return laid_out


def pay(probabilities: np.ndarray, uniform: np.ndarray, arms: np.ndarray) -> np.ndarray:
    """Return rewards (games,): 1 where the probability of the pulled arm is above the uniform random number, else 0."""
    n_games, n_arms = probabilities.shape
    arms = one_per_game("arm", arms, n_games, n_arms - 1, WHOLE)
    return (uniform < probabilities[np.arange(n_games), arms]).view(np.int8)


#: Upper limits of a stretch: long enough that its overhead does not matter, small enough for the CPU caches.
MOST_ROUNDS, MOST_PROBABILITIES = 512, 1 << 18


def stretches(n_rounds: int, n_games: int, n_arms: int) -> Iterator[int]:
    """Yield the lengths of the stretches that games of ``n_rounds`` rounds are divided into."""
    longest = max(1, min(MOST_ROUNDS, MOST_PROBABILITIES // (n_games * n_arms)))
    for start in range(0, n_rounds, longest):
        yield min(longest, n_rounds - start)


def lay_out(bandit: Bandit, n_rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Return ``bandit.ahead(n_rounds)``, checked if the bandit is the user's.

    Raises
    ------
    PluginError
        If the array has the wrong shape, or the probabilities are not numbers from 0 to 1.
    """
    probabilities, uniform = bandit.ahead(n_rounds)
    check_laid_out(bandit, probabilities, (n_rounds, bandit.n_games, bandit.n_arms))
    return probabilities, uniform


def check_laid_out(bandit: Bandit, probabilities: np.ndarray, shape: tuple[int, ...]) -> None:
    """Raise a PluginError if the probabilities of a user's bandit are illegal."""
    if type(bandit).__module__.startswith("envs."):
        return
    try:
        if np.shape(probabilities) != shape:
            raise ValueError(f"probabilities must be of shape {shape}, got {np.shape(probabilities)}")
        check_probabilities("probabilities", probabilities)
    except ValueError as error:
        raise PluginError(f"bandit {described(type(bandit))}: {error}") from None


def check_range(name: str, low: float, high: float) -> None:
    """Raise a ValueError unless 0 <= low <= high <= 1."""
    if not 0 <= low <= high <= 1:
        raise ValueError(f"{name} must satisfy 0 <= low <= high <= 1, got {shown(low)} to {shown(high)}")


def check_positive(name: str, value: float, most: float = math.inf) -> None:
    """Raise a ValueError unless 0 < value <= most and the value is finite."""
    if not 0 < value <= most or value == math.inf:
        legal = "above 0" if most == math.inf else f"above 0 and up to {most:g}"
        raise ValueError(f"{name} must be a number {legal}, got {shown(value)}")


def check_probability(name: str, value: float) -> None:
    """Raise a ValueError unless 0 <= value <= 1."""
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, got {shown(value)}")


def reflect(values: np.ndarray, low: float = 0.0, high: float = 1.0) -> np.ndarray:
    """Reflect values at both borders into [low, high]."""
    width = high - low
    if low == 0 and width == 1:  # the formula below, simplified
        return np.abs(values - 2 * np.rint(values / 2))
    widths = (values - low) / width
    return low + width * np.abs(widths - 2 * np.rint(widths / 2))  # rint is much faster than %
