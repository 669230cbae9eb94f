"""What every bandit has in common: arms, rounds, trials, luck."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np

from envs.draws import Randomness, random_rounds
from nsa_brian.common.checks import WHOLE, check_integer, check_probabilities, make_rng, one_per_game
from nsa_brian.common.overrides import overrides
from nsa_brian.common.plugins import PluginError, described
from nsa_brian.common.texts import shown

#: Probabilities that are laid out in one go.
PIECE = 8192

#: Rounds and numbers of things at most in a bandit's settings: beyond, floating-point numbers have gaps.
MOST = 10**12


class Bandit(ABC):
    """A Bernoulli bandit whose probabilities change from round to round, whatever the agent does.

    Parameters
    ----------
    n_arms : int
        Arms K, at least 2.
    n_games : int, optional
        Games played side by side, each with its own probabilities and luck. Arms and rewards are then arrays
        (games,); by default they are plain numbers.
    seed : int, optional
        Same seed, same probabilities and luck.
    rng : numpy.random.Generator, optional
        Instead of ``seed``; see :meth:`reset`.
    trial_rounds : int
        Rounds of a trial.

    Attributes
    ----------
    probabilities : array (games, arms)
        Reward probability of each arm in the present round.
    round : int
        The present round, from 0.
    presets : dict
        Named groups of settings, for :func:`envs.make`.
    default_arms : int
        Arms that :func:`envs.make` gives the bandit if it is asked for none; None if the bandit knows by itself.
    """

    presets: ClassVar[dict[str, dict[str, Any]]] = {}
    default_arms: ClassVar[int | None] = 10

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        made_by = [next(c for c in cls.__mro__ if name in vars(c)) for name in ("_next", "_lay_out")]
        if not issubclass(made_by[1], made_by[0]):  # a parent's short cut is to the parent's rounds
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
        """The present trial, from 0."""
        return self.round // self.trial_rounds

    @property
    def best_arm(self) -> Any:
        """The arm with the highest probability in the present round (of each game)."""
        best = self.probabilities.argmax(axis=1)
        return int(best[0]) if self._single else best

    @property
    def plays_ahead(self) -> bool:
        """Whether the rewards are those that :meth:`ahead` implies; not if a subclass overrides :meth:`pull`."""
        return not overrides(type(self), Bandit, "pull")

    def reset(self, rng: Randomness) -> None:
        """Start anew at round 0: all probabilities and all luck to come are drawn from ``rng``.

        ``rng`` is asked for arrays whose first axis is the game.
        """
        make_rng(None, rng, "spawn")  # refuses what is none
        self.round = 0
        self._rng, self._luck_rng = rng.spawn(2)
        self._luck = self._luck_rng.random(self.n_games)
        self.probabilities = self._begin()

    def step(self) -> None:
        """Go on to the next round: new probabilities, new luck."""
        self.round += 1
        self._luck = self._luck_rng.random(self.n_games)
        self.probabilities = self._next()

    def ahead(self, n_rounds: int) -> tuple[np.ndarray, np.ndarray]:
        """Lay out rounds, the present one and those after it, for whoever plays many at a time.

        The bandit then stands at the last of them, as it does after ``n_rounds - 1`` steps.

        Returns
        -------
        probabilities : array (rounds, games, arms)
            To be read only: where nothing changes, rounds may share memory.
        luck : array (rounds, games)
            Uniform numbers: an arm pays in a round if its probability is above them.
        """
        check_integer("n_rounds", n_rounds, 1)
        if overrides(type(self), Bandit, "step"):
            return self._ahead_by_steps(n_rounds)
        first = self.round
        laid_out = self._lay_out(n_rounds)
        self.round, self.probabilities = first + n_rounds - 1, laid_out[-1].copy()
        luck = np.concatenate([self._luck[None], random_rounds(self._luck_rng, n_rounds - 1, (self.n_games,))])
        self._luck = luck[-1].copy()
        return laid_out, luck

    def _ahead_by_steps(self, n_rounds: int) -> tuple[np.ndarray, np.ndarray]:
        """The same for a bandit that steps in a way of its own."""
        rounds = [(self.probabilities.copy(), self._luck)]
        for _ in range(1, n_rounds):
            self.step()
            rounds.append((self.probabilities.copy(), self._luck))
        probabilities, luck = (np.array(each) for each in zip(*rounds, strict=True))
        return probabilities, luck

    def pull(self, arms: Any) -> Any:
        """Reward, 0 or 1, of the pulled arm (of each game).

        The luck of a round is drawn once, so that all agents that pull in the same round meet the same luck.
        """
        rewards = pay(self.probabilities, self._luck, arms)
        return int(rewards[0]) if self._single else rewards

    @abstractmethod
    def _begin(self) -> np.ndarray:
        """Probabilities of round 0."""

    @abstractmethod
    def _next(self) -> np.ndarray:
        """Probabilities of the round ``self.round``, given those of the round before in ``self.probabilities``."""

    def _lay_out(self, n_rounds: int) -> np.ndarray:
        """Probabilities (rounds, games, arms) of the present round and of those after it.

        A bandit may do this faster than by ``_next``, round by round, as long as the numbers are the same to the last
        bit. ``self.round`` and ``self.probabilities`` are seen to afterwards.
        """
        laid_out = np.empty((n_rounds, self.n_games, self.n_arms))
        laid_out[0] = self.probabilities
        for t in range(1, n_rounds):
            self.round += 1
            laid_out[t] = self.probabilities = self._next()
        return laid_out

    def _pieces(self, n_rounds: int) -> Iterator[slice]:
        """Rounds in pieces that stay in the processor's caches while one computes on them."""
        length = max(1, PIECE // (self.n_games * self.n_arms))
        return (slice(start, min(start + length, n_rounds)) for start in range(0, n_rounds, length))

    def _lay_out_trials(self, n_rounds: int, draw: Callable[[], np.ndarray]) -> np.ndarray:
        """The same for a bandit that changes at the start of a trial only, to what is then drawn."""
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


def pay(probabilities: np.ndarray, luck: np.ndarray, arms: np.ndarray) -> np.ndarray:
    """Rewards (games,), 0 or 1, of the arms (games,) pulled in a round: 1 where the probability is above the luck."""
    n_games, n_arms = probabilities.shape
    arms = one_per_game("arm", arms, n_games, n_arms - 1, WHOLE)
    return (luck < probabilities[np.arange(n_games), arms]).view(np.int8)


#: Rounds and probabilities of a stretch at most: enough to make what it costs to begin one nothing, few enough to stay
#: in the processor's caches.
MOST_ROUNDS, MOST_PROBABILITIES = 512, 1 << 18


def stretches(n_rounds: int, n_games: int, n_arms: int) -> Iterator[int]:
    """The lengths of stretches that games of so many rounds are laid out in."""
    longest = max(1, min(MOST_ROUNDS, MOST_PROBABILITIES // (n_games * n_arms)))
    for start in range(0, n_rounds, longest):
        yield min(longest, n_rounds - start)


def lay_out(bandit: Bandit, n_rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Return ``bandit.ahead(n_rounds)``; what a bandit of the user's own gives is checked.

    Raises
    ------
    PluginError
        If the array has another shape, or the probabilities are not numbers from 0 to 1.
    """
    probabilities, luck = bandit.ahead(n_rounds)
    check_laid_out(bandit, probabilities, (n_rounds, bandit.n_games, bandit.n_arms))
    return probabilities, luck


def check_laid_out(bandit: Bandit, probabilities: np.ndarray, shape: tuple[int, ...]) -> None:
    """Check the probabilities of a bandit of the user's own."""
    if type(bandit).__module__.startswith("envs."):
        return
    try:
        if np.shape(probabilities) != shape:
            raise ValueError(f"probabilities must be of shape {shape}, got {np.shape(probabilities)}")
        check_probabilities("probabilities", probabilities)
    except ValueError as error:
        raise PluginError(f"bandit {described(type(bandit))}: {error}") from None


def check_range(name: str, low: float, high: float) -> None:
    """Refuse a range of probabilities that is empty or leaves [0, 1]."""
    if not 0 <= low <= high <= 1:
        raise ValueError(f"{name} must satisfy 0 <= low <= high <= 1, got {shown(low)} to {shown(high)}")


def check_positive(name: str, value: float, most: float = math.inf) -> None:
    """Refuse a setting that is not a finite number above 0, or above a bound."""
    if not 0 < value <= most or value == math.inf:
        legal = "above 0" if most == math.inf else f"above 0 and up to {most:g}"
        raise ValueError(f"{name} must be a number {legal}, got {shown(value)}")


def check_probability(name: str, value: float) -> None:
    """Refuse a setting that is not a number from 0 to 1."""
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, got {shown(value)}")


def reflect(values: np.ndarray, low: float = 0.0, high: float = 1.0) -> np.ndarray:
    """Fold values back into [low, high], as if both borders were mirrors."""
    width = high - low
    if low == 0 and width == 1:  # as below, without what would change nothing
        return np.abs(values - 2 * np.rint(values / 2))
    widths = (values - low) / width
    return low + width * np.abs(widths - 2 * np.rint(widths / 2))  # rint is many times faster than a remainder
