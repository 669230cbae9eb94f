"""The tuning of one baseline: a grid over its own parameters that widens at its edges and then narrows."""

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

#: Points of a grid in each direction, for one, two and three parameters.
POINTS = {1: 17, 2: 9, 3: 5}

#: Grids at most, those that only widened the range included.
MOST = 12


@dataclass(frozen=True)
class Tuning:
    """All that was tried.

    Attributes
    ----------
    values : array (tried, parameters)
    regret : array (tried,)
        Mean over the cells of the games.
    grid : array (tried,)
        Which grid it was part of, from 0.
    best : int
        Which of them is the best of the last grid.
    default : float
        Regret with the policy's default values.
    """

    values: np.ndarray
    regret: np.ndarray
    grid: np.ndarray
    best: int
    default: float


def tune(name: str, games: FitnessGames, seed: int, narrowings: int) -> Tuning:
    """Search a policy's parameters on games of the kind that NSA's were evolved on.

    A grid spans the declared ranges. If its best point lies on an edge that is not a bound of the legal values, the
    next grid spans as much again beyond that edge. Else the next one spans the steps on both sides of the best point,
    so many times. Each grid is played on the games of another generation.
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
    """Mean regret (settings,) of a policy with some values (settings, parameters) of what is tunable; None: default."""
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
    """Stands in for a numpy Generator where many settings play the same games: all have the same uniform numbers.

    So that settings differ by what they are rather than by luck. Samples of Beta distributions are each its own.
    """

    def __init__(self, rng: np.random.Generator, n_settings: int) -> None:
        self._rng, self._n_settings = rng, n_settings

    def random(self, size: int | tuple[int, ...]) -> np.ndarray:
        """Uniform numbers in [0, 1), the first axis being settings x games."""
        first, *others = size if isinstance(size, tuple) else (size,)
        drawn = self._rng.random((first // self._n_settings, *others))
        return np.concatenate([drawn] * self._n_settings)

    def beta(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Samples of Beta(a, b)."""
        return self._rng.beta(a, b)


def _best(positions: np.ndarray, regret: np.ndarray) -> int:
    """The point of least regret; of several, as where a parameter no longer matters, the one nearest to the middle."""
    equals = np.flatnonzero(regret == regret.min())
    middle = (positions.min(axis=0) + positions.max(axis=0)) / 2
    return int(equals[np.abs(positions[equals] - middle).sum(axis=1).argmin()])


def _reaches_beyond(tunable: list[baselines.Tunable], positions: np.ndarray, way: int) -> np.ndarray:
    """Whether there are legal values beyond these positions."""
    return np.array([t.at(p + way) != t.at(p) for t, p in zip(tunable, positions, strict=True)])
