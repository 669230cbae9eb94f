"""Fitness: what parameters earn on stated games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from envs import Bandit, make
from nsa_brian.engines.registry import engine_class
from nsa_brian.model.agreement import N_LUCK, select
from nsa_brian.parameters import NSAParameters

if TYPE_CHECKING:
    from nsa_brian.engines.base import Engine

ENGINES = ("table", "rounds")

#: The table's grid: a quarter of the default's cost; games part ways with ``rounds`` in 1 to 2 of 100.
GRID: dict[str, Any] = {"cells": 256, "refine": 64}


@dataclass(frozen=True, kw_only=True)
class Games:
    """The games that individuals are judged by: every bandit with every number of arms, some iterations of each.

    Attributes
    ----------
    envs : tuple of str
        Bandits, each a name of ``envs.BANDITS`` or ``NAME:PRESET``.
    arms : tuple of int
    iterations : int
        Games of a bandit and a number of arms.
    trials, rounds : int
        Trials of a game, rounds of a trial.
    engine : {"table", "rounds"}
    """

    envs: tuple[str, ...] = ("MAB-P", "MAB-D", "MAB-sin")
    arms: tuple[int, ...] = (40, 200)
    iterations: int = 2
    trials: int = 2
    rounds: int = 2000
    engine: str = "table"

    def __post_init__(self) -> None:
        for name in ("iterations", "trials", "rounds"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be a whole number from 1 up, got {getattr(self, name)}")
        if self.engine not in ENGINES:
            raise ValueError(f"engine must be one of {', '.join(ENGINES)} here, got {self.engine!r}")
        for name in ("envs", "arms"):
            values = getattr(self, name)
            if not values or len(set(values)) < len(values):
                raise ValueError(f"{name} must name at least one, each once, got {', '.join(map(str, values))!r}")
        for env in self.envs:
            for n_arms in self.arms:
                self._make(env, n_arms)

    @property
    def n_rounds(self) -> int:
        """Rounds of a game."""
        return self.trials * self.rounds

    @property
    def cells(self) -> list[tuple[str, int]]:
        """Bandits and numbers of arms, in the order of the scores."""
        return [(env, n_arms) for n_arms in self.arms for env in self.envs]

    def bandit(self, env: str, n_arms: int, rng: np.random.Generator) -> Bandit:
        """A bandit of these games, at its start."""
        made = self._make(env, n_arms)
        made.reset(rng)
        return made

    def _make(self, env: str, n_arms: int) -> Bandit:
        name, _, preset = env.partition(":")
        made = make(name, n_arms, preset=preset or None, n_games=self.iterations, trial_rounds=self.rounds)
        if made.horizon is not None and made.horizon < self.n_rounds:
            raise ValueError(f"the {name} lasts {made.horizon} rounds, but {self.n_rounds} were asked for")
        return made


class Scores(NamedTuple):
    """Means over all rounds, each (individuals, cells of the games).

    Attributes
    ----------
    reward : reward probability of the chosen arm, the fitness
    regret : what was missing to the best arm's
    """

    reward: np.ndarray
    regret: np.ndarray


def scores(games: Games, seed: tuple[int, ...], individuals: Sequence[NSAParameters]) -> Scores:
    """Let individuals play.

    All of them meet the same bandits and the same luck, which depend on the seed and on the cell alone. So an
    individual's scores are the same whoever is scored beside it, in this process or in another.

    Parameters
    ----------
    games : Games
    seed : tuple of int
        Such as the search's seed and the generation.
    individuals : sequence of NSAParameters
    """
    shared: dict[str, Any] = {}
    if games.engine == "table":
        from nsa_brian.codegen.pairs import distinct_sets  # here: Brian2 takes a second to import
        from nsa_brian.engines.table import ResponseTable

        shared["table"] = ResponseTable(distinct_sets(individuals)[0], **GRID)
    n_games = len(games.envs) * games.iterations
    players = [individual for individual in individuals for _ in range(n_games)]
    found = []
    for n_arms in games.arms:
        engine = engine_class(games.engine)(n_arms, players, len(players), **shared)
        found.append(_play(engine, games, seed))
    return Scores(*np.concatenate(found, axis=2))


def rounds(games: Games, seed: tuple[int, ...], n_arms: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The rounds of all games with some number of arms, environments x iterations, in all their randomness.

    Yields
    ------
    probabilities : array (games, arms)
    luck : array (games, 4)
        Uniform numbers: three for NSA's decision, the last one for the reward.
    """
    bandits = [games.bandit(env, n_arms, _stream(seed, f"{env} {n_arms}")) for env in games.envs]
    streams = [_stream(seed, f"{env} {n_arms} luck") for env in games.envs]
    size = (games.n_rounds, games.iterations, N_LUCK + 1)
    luck = np.concatenate([stream.random(size) for stream in streams], axis=1)
    for t in range(games.n_rounds):
        if t:
            for bandit in bandits:
                bandit.step()
        yield np.concatenate([bandit.probabilities for bandit in bandits]), luck[t]


def _play(engine: Engine, games: Games, seed: tuple[int, ...]) -> np.ndarray:
    """Reward and regret (2, individuals, environments); the engine's games are individuals x those of ``rounds``."""
    n_games = len(games.envs) * games.iterations
    game = np.tile(np.arange(n_games), engine.n_games // n_games)
    earned, best = np.zeros(engine.n_games), np.zeros(n_games)
    for probabilities, luck in rounds(games, seed, engine.n_arms):
        drawn = luck[game]
        engine.respond()
        arms, _ = select(engine.activity, drawn[:, :N_LUCK], engine.ties, engine.tolerance)
        expected = probabilities[game, arms]
        engine.learn(arms, (drawn[:, N_LUCK] < expected).view(np.int8))
        earned += expected
        best += probabilities.max(axis=1)
    means = np.stack([earned, best[game] - earned]) / games.n_rounds
    return means.reshape(2, -1, len(games.envs), games.iterations).mean(axis=3)


def _stream(seed: tuple[int, ...], name: str) -> np.random.Generator:
    return np.random.default_rng([*seed, int.from_bytes(name.encode(), "big")])
