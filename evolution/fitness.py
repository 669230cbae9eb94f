"""Fitness of parameters: their scores on stated games, or the value of a user's function."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from envs.base import lay_out
from envs.base import stretches as laid_out
from evolution.games import FitnessGames
from evolution.random_numbers import CommonRandomNumbers, stream
from nsa_brian.common.texts import shown
from nsa_brian.engines.registry import engine_class
from nsa_brian.model.agreement import N_LUCK
from nsa_brian.parameters import NSAParameters

if TYPE_CHECKING:
    from nsa_brian.engines.base import Engine
    from nsa_brian.model.model import Model

#: A custom fitness: the value of parameters under a seed, larger is better; or, if it is :func:`batched`, the values of
#: a whole generation. It must be picklable for use in other processes, and draw its random numbers from the seed, which
#: all individuals of a generation share.
FitnessFunction = Callable[[NSAParameters, tuple[int, ...]], float] | Callable[..., Any]

Fitness = TypeVar("Fitness", bound=Callable[..., Any])

#: Called with the arms (rounds, games) that were chosen.
Observer = Callable[[np.ndarray], None]

#: Rounds after which a model's activities are checked to be finite.
FINITE_ROUNDS = 5

#: Grid of the response table: a quarter of the default's cost; 1 to 2 of 100 games differ from the engine ``rounds``.
#: Most cells are refined anyway, so 64 cells refined by 256 choose as 256 cells refined by 64.
GRID: dict[str, Any] = {"cells": 64, "refine": 256}
#: The same for tables of several variables: no game of 384 differed.
CELLS: dict[str, Any] = {"error": 1e-6}


class Scores(NamedTuple):
    """Means over all rounds, each an array (individuals, cells of the games).

    Attributes
    ----------
    reward : array
        Reward probability of the chosen arm: the fitness.
    regret : array
        Reward probability of the best arm minus that of the chosen one.
    """

    reward: np.ndarray
    regret: np.ndarray


def scores(games: FitnessGames, seed: tuple[int, ...], individuals: Sequence[NSAParameters]) -> Scores:
    """Play the games with all individuals and return their scores.

    All of them play the same bandits with the same random numbers, which depend on the seed and the cell only. An
    individual's scores do not depend on the others that are scored with it, nor on the process. Where a custom model's
    activity overflows, its neurons count as silent and its weights restart at 0.

    Parameters
    ----------
    games : FitnessGames
    seed : tuple of int
        For example the search's seed and the generation.
    individuals : sequence of NSAParameters
    """
    with np.errstate() if games.model == _paper() else np.errstate(all="ignore"):
        return _scores(games, seed, individuals)


def _scores(
    games: FitnessGames,
    seed: tuple[int, ...],
    individuals: Sequence[NSAParameters],
    observe: Observer = lambda arms: None,
) -> Scores:
    from nsa_brian.preparation import with_prepared  # here: Brian2 takes a second to import

    model, engine = games.model, games.played_by
    individuals = [model.complete(individual) for individual in individuals]
    shared = _shared(games, individuals)
    if games.tolerance is not None:
        shared["tolerance"] = games.tolerance
    if games.inputs:
        shared["inputs"] = games.inputs
    if model.structure.spikes:  # neurons that are not finite count as silent
        shared["lenient"] = True
    named = [(env, iteration) for env in games.envs for iteration in range(games.iterations)]
    players = [individual for individual in individuals for _ in named]
    found = []
    for n_arms in games.arms:
        noise = [stream(seed, f"{env} {n_arms} noise {iteration}") for env, iteration in named]
        shared["rng"] = CommonRandomNumbers(noise, len(individuals))
        options = with_prepared(model, players, n_arms, len(players), shared)
        found.append(_play(engine_class(engine, model)(n_arms, players, len(players), **options), games, seed, observe))
    return Scores(*np.concatenate(found, axis=2))


def _shared(games: FitnessGames, individuals: Sequence[NSAParameters]) -> dict[str, Any]:
    """Return the engine options that all games share."""
    shared: dict[str, Any] = {"model": games.model, **games.integration}
    if games.played_by == "table":
        from nsa_brian.codegen.pairs import distinct_sets  # here: Brian2 takes a second to import
        from nsa_brian.engines.table import make_table

        grid = GRID if games.model.structure.coordinate else CELLS
        sets = distinct_sets(individuals)[0]
        shared["table"] = make_table(games.model, sets, **games.integration, **grid)
    return shared


def any_finite(games: FitnessGames, individuals: Sequence[NSAParameters]) -> bool:
    """Return whether the activities of at least one individual stay finite over a few rounds.

    Always true for the paper's model and for spike counts.
    """
    model = games.model
    if model == _paper() or model.structure.spikes:
        return True
    individuals = [model.complete(individual) for individual in individuals]
    with np.errstate(all="ignore"):
        engine: Engine = engine_class(games.played_by, model)(
            2, individuals, len(individuals), rng=np.random.default_rng(0), **_shared(games, individuals)
        )
        finite = np.ones(len(individuals), dtype=bool)
        for _ in range(FINITE_ROUNDS):
            engine.respond()
            finite &= np.isfinite(engine.activity).all(axis=(0, 2))
            if not finite.any():
                return False
            engine.learn(np.zeros(len(individuals), dtype=int), np.ones(len(individuals)))
    return True


def choices(games: FitnessGames, seed: tuple[int, ...], individuals: Sequence[NSAParameters]) -> np.ndarray:
    """Return the arms that individuals choose in all rounds of all games, (individuals, game-rounds)."""
    n_games, seen = len(games.envs) * games.iterations, list[np.ndarray]()
    with np.errstate(all="ignore"):
        _scores(games, seed, individuals, seen.append)
    return np.concatenate([arms.reshape(len(arms), -1, n_games).swapaxes(0, 1) for arms in seen], axis=1).reshape(
        len(individuals), -1
    )


def batched(fitness: Fitness) -> Fitness:
    """Declare that a custom fitness takes all sets of a generation at once and returns an array of their values.

    Examples
    --------
    >>> import numpy as np
    >>> @batched
    ... def widest(sets, seed):
    ...     return np.array([parameters.w_max for parameters in sets])
    """
    fitness.batched = True  # type: ignore[attr-defined]
    return fitness


def is_batched(fitness: object) -> bool:
    """Return whether a custom fitness takes a whole generation at once."""
    return bool(getattr(fitness, "batched", False))


def function_scores(fitness: FitnessFunction, seed: tuple[int, ...], individuals: Sequence[NSAParameters]) -> Scores:
    """Return the values of a custom fitness as the scores of one cell; the regret is minus the reward."""
    if is_batched(fitness):
        together: Callable[..., Any] = fitness
        values = np.asarray(together(list(individuals), seed))
        if values.shape != (len(individuals),) or values.dtype.kind not in "iuf":
            raise ValueError(
                f"a batched fitness must return one number for each of {len(individuals)} sets, got {shown(values)}"
            )
        found = values.astype(float)
    else:
        found = np.array([float(fitness(individual, seed)) for individual in individuals])
    for value, individual in zip(found.tolist(), individuals, strict=True):
        if not math.isfinite(value):
            raise ValueError(f"a fitness must be a finite number, got {shown(value)} for {individual.to_dict()}")
    return Scores(found[:, None], -found[:, None])


def rounds(games: FitnessGames, seed: tuple[int, ...], n_arms: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the rounds of all games (bandits x iterations) with a number of arms.

    Yields
    ------
    probabilities : array (games, arms)
    uniform : array (games, 4)
        Uniform random numbers: three for NSA's decision, the last one for the reward.
    """
    for probabilities, uniform in stretches(games, seed, n_arms):
        yield from zip(probabilities, uniform, strict=True)


def stretches(
    games: FitnessGames, seed: tuple[int, ...], n_arms: int, n_games: int = 0
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the same in stretches: probabilities (rounds, games, arms) and uniform numbers (rounds, games, 4).

    A stretch is short enough that the arrays of ``n_games``, if that is more games, fit into memory as well.
    """
    bandits = [games.bandit(env, n_arms, stream(seed, f"{env} {n_arms}")) for env in games.envs]
    generators = [stream(seed, f"{env} {n_arms} luck") for env in games.envs]
    for n, length in enumerate(laid_out(games.n_rounds, max(n_games, len(bandits) * games.iterations), n_arms)):
        if n:
            for bandit in bandits:
                bandit.step()
        size = (length, games.iterations, N_LUCK + 1)
        probabilities = np.concatenate([lay_out(bandit, length)[0] for bandit in bandits], axis=1)
        yield probabilities, np.concatenate([rng.random(size) for rng in generators], axis=1)


def _play(engine: Engine, games: FitnessGames, seed: tuple[int, ...], observe: Observer) -> np.ndarray:
    """Return reward and regret (2, individuals, bandits); the engine's games are individuals x those of ``rounds``."""
    n_games = len(games.envs) * games.iterations
    game = np.tile(np.arange(n_games), engine.n_games // n_games)
    best, stretch = np.zeros(n_games), engine.stretch(lenient=True)
    for probabilities, uniform in stretches(games, seed, engine.n_arms, engine.n_games if games.model.noise else 0):
        observe(stretch.play(game, probabilities, uniform)[0])
        # Summed round by round, as the earned reward is: another order would differ in the last bits.
        best = np.add.accumulate(np.vstack([best, probabilities.max(axis=2)]))[-1]
    means = np.stack([stretch.earned, best[game] - stretch.earned]) / games.n_rounds
    return means.reshape(2, -1, len(games.envs), games.iterations).mean(axis=3)


def _paper() -> Model:
    """Return the paper's model; imported here, since Brian2 takes a second to import."""
    from nsa_brian.model.model import PAPER

    return PAPER
