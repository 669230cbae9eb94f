"""``switching``: abrupt switches at random times."""

from __future__ import annotations

from typing import Any

import numpy as np

from envs.base import check_probability
from envs.draws import Draws, random_rounds
from envs.stationary import Stationary
from nsa_brian.common.texts import shown

SCOPES = ("all", "one")


class Switching(Stationary):
    """As ``MAB-P``, but at random times: a switch occurs in each round with probability ``rate``.

    Probabilities are p ~ N(mean, sd), clipped to [0, 1]. The time between switches is geometric, 1 / rate rounds on
    average. Trials have no effect.

    Parameters
    ----------
    rate : float
        Probability of a switch in a round.
    scope : {"all", "one"}
        Which arms a switch redraws: all, or a random one.
    mean, sd, **settings
        See :class:`envs.stationary.Stationary`.

    References
    ----------
    J. Mellor and J. Shapiro, Thompson sampling in switching environments with Bayesian online change detection,
    AISTATS, 2013.
    """

    def __init__(self, n_arms: int, *, rate: float = 0.002, scope: str = "all", **settings: Any) -> None:
        check_probability("rate", rate)
        if scope not in SCOPES:
            raise ValueError(f"scope must be one of {', '.join(SCOPES)}, got {shown(scope)}")
        self.rate, self.scope = rate, scope
        super().__init__(n_arms, **settings)

    def _begin(self) -> np.ndarray:
        (self._times,) = self._rng.spawn(1)  # Draws needs a generator of its own
        self._draws = Draws(self._draw, self.n_games)
        return self._draws.next(self._games)

    def _next(self) -> np.ndarray:
        when, which = self._times.random((self.n_games, 2)).T
        games = np.flatnonzero(when < self.rate)
        return self._switched(self.probabilities, games, which) if games.size else self.probabilities

    def _lay_out(self, n_rounds: int) -> np.ndarray:
        when, which = np.moveaxis(random_rounds(self._times, n_rounds - 1, (self.n_games, 2)), 2, 0)
        switches = when < self.rate
        laid_out = np.empty((n_rounds, self.n_games, self.n_arms))
        since, probabilities = 0, self.probabilities
        for t in np.flatnonzero(switches.any(axis=1)):
            laid_out[since : t + 1] = probabilities
            since, probabilities = t + 1, self._switched(probabilities, np.flatnonzero(switches[t]), which[t])
        laid_out[since:] = probabilities
        return laid_out

    def _switched(self, before: np.ndarray, games: np.ndarray, which: np.ndarray) -> np.ndarray:
        """Return the probabilities after a switch in some of the games."""
        probabilities, drawn = before.copy(), self._draws.next(games)
        if self.scope == "all":
            probabilities[games] = drawn
        else:
            arms = (which[games] * self.n_arms).astype(np.intp)
            probabilities[games, arms] = drawn[np.arange(games.size), arms]
        return probabilities
