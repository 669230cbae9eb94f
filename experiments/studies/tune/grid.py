"""Grid search for the parameters of one baseline; grids extend at their edges, then narrow."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

import baselines
from evolution import FitnessGames
from evolution.fitness import rounds
from evolution.search import GAMES
from nsa_brian.common.checks import WHOLE, one_per_game
from nsa_brian.common.plugins import naming_plugins

#: Points of a grid per dimension, for one to four parameters.
POINTS = {1: 17, 2: 9, 3: 5, 4: 4}

#: Largest number of grids, including those that extend the range.
MOST = 12


@dataclass(frozen=True)
class Tuning:
    """All points of a grid search.

    Attributes
    ----------
    values : array (tried, parameters)
    regret : array (tried,)
        Mean over the cells of the games.
    grid : array (tried,)
        Index of the grid.
    best : int
        Index of the best point of the last grid.
    default : float
        Regret with the policy's default values.
    """

    values: np.ndarray
    regret: np.ndarray
    grid: np.ndarray
    best: int
    default: float


def tune(name: str, games: FitnessGames, seed: int, narrowings: int) -> Tuning:
    """Tune the parameters of a policy on the kind of games that NSA was evolved on.

    The first grid spans the declared ranges. If the best point lies on an edge that is not a bound of the legal values,
    the next grid extends beyond that edge by its width. Else it spans one step to both sides of the best point,
    ``narrowings`` times. Each grid is played on the games of another generation.
    """
    tunable = list(baselines.POLICIES[name].tunable.values())
    points = POINTS[len(tunable)]
    low, high = np.zeros(len(tunable)), np.ones(len(tunable))
    tried, found, which, narrowed = [], [], [], 0
    for number in range(MOST):
        axes = np.linspace(low, high, points)
        positions = np.array(list(itertools.product(*axes.T)))
        values = np.stack([t.at(column) for t, column in zip(tunable, positions.T, strict=True)], axis=1)
        regret = regrets(name, values, games, (seed, GAMES, number))
        tried.append(values)
        found.append(regret)
        which.append(np.full(len(regret), number))
        chosen = _best(positions, regret)
        best = positions[chosen]
        step = (high - low) / (points - 1)
        below = np.isclose(best, low) & _reaches_beyond(tunable, low, -1)
        above = np.isclose(best, high) & _reaches_beyond(tunable, high, +1)
        if (below | above).any():
            width = high - low
            low, high = np.where(below, low - width, low), np.where(above, high + width, high)
            continue
        if narrowed == narrowings:
            break
        narrowed += 1
        low, high = best - step, best + step
    default = regrets(name, None, games, (seed, GAMES, number))[0]
    last = sum(map(len, found[:-1]))
    return Tuning(np.concatenate(tried), np.concatenate(found), np.concatenate(which), last + chosen, float(default))


def regrets(name: str, values: np.ndarray | None, games: FitnessGames, seed: tuple[int, ...]) -> np.ndarray:
    """Return the mean regret (settings,) of a policy for values (settings, parameters); None for the defaults."""
    n_settings = 1 if values is None else len(values)
    n_games = len(games.envs) * games.iterations
    game = np.tile(np.arange(n_games), n_settings)
    total = np.zeros(n_settings)
    for n_arms in games.arms:
        named = {} if values is None else dict(zip(baselines.POLICIES[name].tunable, values.T, strict=True))
        rng: Any = SharedLuck(np.random.default_rng([*seed, n_arms]), n_settings)
        repeated = {key: column.repeat(n_games) for key, column in named.items()}
        policy: Any = baselines.make(name, n_arms, n_games=len(game), rng=rng, **repeated)
        shown = SimpleNamespace()
        if hasattr(policy, "watch"):
            policy.watch(shown)
        missed = np.zeros(len(game))
        for probabilities, luck in rounds(games, seed, n_arms):
            shown.best_arm = probabilities.argmax(axis=1)[game]
            with naming_plugins(policy=policy):
                arms = one_per_game("arm", policy.select_arm(), len(game), n_arms - 1, WHOLE)
            expected = probabilities[game, arms]
            policy.update(arms, (luck[game, -1] < expected).view(np.int8))
            missed += probabilities.max(axis=1)[game] - expected
        total += missed.reshape(n_settings, n_games).mean(axis=1) / games.n_rounds
    return total / len(games.arms)


class SharedLuck:
    """A replacement for a numpy Generator that gives all settings the same uniform numbers, to reduce variance.

    Samples of Beta distributions are independent.
    """

    def __init__(self, rng: np.random.Generator, n_settings: int) -> None:
        self._rng, self._n_settings = rng, n_settings

    def random(self, size: int | tuple[int, ...]) -> np.ndarray:
        """Return uniform numbers in [0, 1); the first axis is settings x games."""
        first, *others = size if isinstance(size, tuple) else (size,)
        drawn = self._rng.random((first // self._n_settings, *others))
        return np.concatenate([drawn] * self._n_settings)

    def beta(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return samples of Beta(a, b)."""
        return self._rng.beta(a, b)


def _best(positions: np.ndarray, regret: np.ndarray) -> int:
    """Return the index of the lowest regret; ties, as of parameters without effect, go to the most central point."""
    equals = np.flatnonzero(regret == regret.min())
    middle = (positions.min(axis=0) + positions.max(axis=0)) / 2
    return int(equals[np.abs(positions[equals] - middle).sum(axis=1).argmin()])


def _reaches_beyond(tunable: list[baselines.Tunable], positions: np.ndarray, way: int) -> np.ndarray:
    """Return whether there are legal values beyond these positions."""
    return np.array([t.at(p + way) != t.at(p) for t, p in zip(tunable, positions, strict=True)])
