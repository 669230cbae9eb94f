"""``best-arm`` and ``oracle-restart``: policies that see the bandit."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from baselines.base import Policy
from baselines.kl_ucb import KLUCB
from baselines.scalars import any_of, where

NO_BANDIT = "this policy needs the bandit: call watch(bandit) before the first round"


class Watched(Protocol):
    """A bandit with the attribute ``best_arm`` for the round to be played: a number, or an array (games,)."""

    @property
    def best_arm(self) -> Any:
        """The arm with the highest probability (of each game)."""


class Watcher(Policy):
    """A policy that needs ``watch(bandit)`` before the first round."""

    _bandit: Watched | None = None

    def watch(self, bandit: Watched) -> None:
        """Set the bandit, which must be in the round to be played whenever an arm is selected."""
        self._bandit = bandit

    def _probabilities(self, offered: np.ndarray) -> np.ndarray:
        raise ValueError(f"{type(self).__name__} sees the bandit: its choices follow from more than arms and rewards")

    def _best_arm(self) -> Any:
        """Return the best arm of each game."""
        if self._bandit is None:
            raise ValueError(NO_BANDIT)
        best = self._bandit.best_arm
        if self._alone:
            return best if type(best) is int else np.ravel(best)[0]
        return np.broadcast_to(best, self.n_games)


class BestArm(Watcher):
    """Pull the best arm, with regret 0."""

    def _select(self) -> Any:
        return self._best_arm()

    def _learn(self, arms: Any, rewards: Any) -> None:
        pass


class OracleRestart(Watcher, KLUCB):
    """kl-UCB that restarts whenever another arm becomes the best, without delay.

    Parameters
    ----------
    exploration, **settings
        See :class:`baselines.kl_ucb.KLUCB`.
    """

    _best: Any = None

    def _select(self) -> Any:
        best = self._best_arm()
        changed = best != (best if self._best is None else self._best)
        if any_of(changed):
            self._forget(np.flatnonzero(changed))
            self._time = where(changed, 0, self._time)
        self._best = best if self._alone else best.copy()
        return super()._select()
