"""Time per round of compiled stretches of rounds, compared with hand-written code."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

import envs
from envs.base import stretches
from evolution import FitnessGames, scores
from evolution.genome import Genome
from experiments.bench import policies as policy_bench
from experiments.bench.limit import LimitKernel, LimitTable
from experiments.bench.timed_set import timed_set
from nsa_brian import NSA, NSAParameters
from nsa_brian.common.game_streams import streams
from nsa_brian.engines.base import Engine
from nsa_brian.engines.table import Table
from nsa_brian.model.agreement import N_LUCK

ARMS = policy_bench.ARMS
GAMES = policy_bench.GAMES
#: Individuals scored together.
INDIVIDUALS = 16
N_MEASUREMENTS = len(ARMS) + 2

#: Function that plays a stretch: probabilities and uniform numbers -> arms.
Player = Callable[[np.ndarray, np.ndarray], np.ndarray]


def measure(n_rounds: int, repeats: int, tick: Callable[[str], None] = lambda what: None) -> dict[str, float | None]:
    """Return measurements of batches, one pair and a search by name; bandits are computed before timing."""
    found: dict[str, float | None] = {}
    parameters = timed_set()
    for k in ARMS:
        tick(f"table, {GAMES} games, {k} arms, against the limit")
        ours, limit = batch(k, parameters, min(n_rounds, 300), repeats)
        found[f"table.us_per_game_round.compiled.k{k}"] = 1e6 * ours
        found[f"limit.table_us.k{k}"] = None if limit is None else 1e6 * limit
        agent = NSA(k, timed_set(), engine="table", n_games=GAMES, rng=streams(0, "agent", range(GAMES)))
        found[f"table.us_per_game_round.by_round.k{k}"] = 1e6 * policy_bench.agent_round(agent, k, 50) / GAMES
    tick("one pair by hand")
    found["limit.rounds_ms.single"] = one_pair(parameters)
    tick("a search's scores")
    found["evolve.game_rounds_per_s"] = scored(repeats)
    return found


def best(function: Callable[[], object], repeats: int) -> float:
    """Return the seconds of the fastest call."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def batch(n_arms: int, parameters: NSAParameters, n_rounds: int, repeats: int) -> tuple[float, float | None]:
    """Return seconds per game and round with tabulated responses, of our code and of the limit, interleaved."""
    engine = Table(n_arms, parameters, GAMES)
    engine.respond()
    rounds, turns = [*known_rounds(n_arms, GAMES, n_rounds)], [player(engine)]
    with contextlib.suppress(FileNotFoundError):  # no compiler, no limit
        turns.append(LimitTable(engine).play)
    times = [[best(partial(through, turn, rounds), 1) for turn in turns] for _ in range(4 * repeats)]
    each = np.min(times, axis=0) / n_rounds / GAMES
    return float(each[0]), float(each[1]) if len(each) > 1 else None


def known_rounds(n_arms: int, n_games: int, n_rounds: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield stretches of MAB-P: probabilities (rounds, games, arms) and uniform numbers (rounds, games, 4)."""
    bandit, luck = envs.make("MAB-P", n_arms, n_games=n_games, trial_rounds=n_rounds), np.random.default_rng(0)
    bandit.reset(streams(0, "bandit", range(n_games)))
    lengths = [*stretches(n_rounds, n_games, n_arms)]
    chances = np.ascontiguousarray(bandit.ahead(lengths[0])[0])  # constant within a trial
    for length in lengths:
        yield chances[:length], luck.random((length, n_games, N_LUCK + 1))


def player(engine: Engine) -> Player:
    """Return a function that plays an engine's games, compiled, or round by round without a compiler."""
    games, stretch = np.arange(engine.n_games), engine.stretch()
    return lambda chances, luck: stretch.play(games, chances, luck)[0]


def through(player: Player, rounds: list[tuple[np.ndarray, np.ndarray]]) -> None:
    """Play stretches in sequence."""
    for each in rounds:
        player(*each)


def one_pair(parameters: NSAParameters) -> float | None:
    """Return the milliseconds of a hand-written round of one pair, a lower bound for a round of one game."""
    try:
        limit = LimitKernel(parameters)
    except FileNotFoundError:
        return None
    return 1e3 * best(partial(limit.respond_one, 0.7), 30)


def scored(repeats: int) -> float:
    """Return game-rounds per second of a search in one process, including all costs of scoring."""
    games, genome, rng = FitnessGames(), Genome(), np.random.default_rng(0)
    individuals = [genome.decode(rng.uniform(-math.pi, math.pi, genome.size).tolist()) for _ in range(INDIVIDUALS)]
    seconds = best(partial(scores, games, (0,), individuals), repeats)
    return len(individuals) * len(games.cells) * games.iterations * games.n_rounds / seconds
