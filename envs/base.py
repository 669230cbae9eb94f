"""What every bandit has in common: arms, rounds, trials, luck."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np


class Bandit(ABC):
    """A Bernoulli bandit whose probabilities change from round to round, whatever the agent does.

    Parameters
    ----------
    n_arms : int
        Arms K, at least 2.
    n_games : int, optional
        Games played side by side, each with its own probabilities and luck. Arms and rewards are then arrays
        (games,); by default they are plain numbers.
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

    def __init__(self, n_arms: int, n_games: int | None = None, trial_rounds: int = 2000) -> None:
        for name, value, least in (
            ("n_arms", n_arms, 2),
            ("n_games", 1 if n_games is None else n_games, 1),
            ("trial_rounds", trial_rounds, 1),
        ):
            if not isinstance(value, int | np.integer) or value < least:
                raise ValueError(f"{name} must be a whole number from {least} up, got {value!r}")
        self.n_arms, self.n_games, self.trial_rounds = n_arms, n_games or 1, trial_rounds
        self._single = n_games is None
        self._games = np.arange(self.n_games)
        self.reset(np.random.default_rng())

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

    def reset(self, rng: np.random.Generator) -> None:
        """Start anew at round 0: all probabilities and all luck to come are drawn from ``rng``.

        ``rng`` is asked for arrays whose first axis is the game.
        """
        self.round = 0
        self._rng, self._luck_rng = rng.spawn(2)
        self._luck = self._luck_rng.random(self.n_games)
        self.probabilities = self._begin()

    def step(self) -> None:
        """Go on to the next round: new probabilities, new luck."""
        self.round += 1
        self._luck = self._luck_rng.random(self.n_games)
        self.probabilities = self._next()

    def pull(self, arms: Any) -> Any:
        """Reward, 0 or 1, of the pulled arm (of each game).

        The luck of a round is drawn once, so that all agents that pull in the same round meet the same luck.
        """
        if self._single:
            if not 0 <= arms < self.n_arms:
                raise ValueError(f"arm must be from 0 to {self.n_arms - 1}, got {arms}")
            return int(self._luck[0] < self.probabilities[0, arms])
        try:
            if np.minimum.reduce(arms) < 0:  # would count from the end
                raise IndexError
            return (self._luck < self.probabilities[self._games, arms]).view(np.int8)
        except IndexError:
            message = f"arms must be from 0 to {self.n_arms - 1}, got {min(arms)} to {max(arms)}"
            raise ValueError(message) from None

    @abstractmethod
    def _begin(self) -> np.ndarray:
        """Probabilities of round 0."""

    @abstractmethod
    def _next(self) -> np.ndarray:
        """Probabilities of the round ``self.round``, given those of the round before in ``self.probabilities``."""


def check_range(name: str, low: float, high: float) -> None:
    """Refuse a range of probabilities that is empty or leaves [0, 1]."""
    if not 0 <= low <= high <= 1:
        raise ValueError(f"{name} must satisfy 0 <= low <= high <= 1, got {low} to {high}")


def check_positive(name: str, value: float) -> None:
    """Refuse a setting that is not a finite number above 0."""
    if not 0 < value < np.inf:
        raise ValueError(f"{name} must be a number above 0, got {value}")


def check_probability(name: str, value: float) -> None:
    """Refuse a setting that is not a number from 0 to 1."""
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, got {value}")


def reflect(values: np.ndarray, low: float = 0.0, high: float = 1.0) -> np.ndarray:
    """Fold values back into [low, high], as if both borders were mirrors."""
    width = high - low
    widths = (values - low) / width
    return low + width * np.abs(widths - 2 * np.rint(widths / 2))  # rint is many times faster than a remainder
