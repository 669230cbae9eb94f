"""What rounds cost that are compiled by the stretch, beside the same rounds written by hand."""

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
from experiments.core.randomness import streams
from nsa_brian import NSA, NSAParameters, load
from nsa_brian.engines.base import Engine
from nsa_brian.engines.table import Table
from nsa_brian.model.agreement import N_LUCK

ARMS = policy_bench.ARMS
GAMES = policy_bench.GAMES
#: Individuals scored at once.
INDIVIDUALS = 16
N_MEASUREMENTS = len(ARMS) + 2

#: Plays a stretch, each game against a bandit of its own: probabilities and luck -> arms.
Player = Callable[[np.ndarray, np.ndarray], np.ndarray]


def measure(n_rounds: int, repeats: int, tick: Callable[[str], None] = lambda what: None) -> dict[str, float | None]:
    """Batches, one pair, and a search's scores, by name. The bandits' part is laid out before the clock starts."""
    found: dict[str, float | None] = {}
    parameters = load().parameters
    for k in ARMS:
        tick(f"table, {GAMES} games, {k} arms, against the limit")
        ours, limit = batch(k, parameters, min(n_rounds, 300), repeats)
        found[f"table.us_per_game_round.compiled.k{k}"] = 1e6 * ours
        found[f"limit.table_us.k{k}"] = None if limit is None else 1e6 * limit
        agent = NSA(k, engine="table", n_games=GAMES, rng=streams(0, "agent", range(GAMES)))
        found[f"table.us_per_game_round.by_round.k{k}"] = 1e6 * policy_bench.agent_round(agent, k, 50) / GAMES
    tick("one pair by hand")
    found["limit.rounds_ms.single"] = one_pair(parameters)
    tick("a search's scores")
    found["evolve.game_rounds_per_s"] = scored(repeats)
    return found


def best(function: Callable[[], object], repeats: int) -> float:
    """Seconds of the fastest of some calls."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def batch(n_arms: int, parameters: NSAParameters, n_rounds: int, repeats: int) -> tuple[float, float | None]:
    """Seconds a game and round of games whose answers are looked up: ours, and the limit, taking turns."""
    engine = Table(n_arms, parameters, GAMES)
    engine.respond()
    rounds, turns = [*known_rounds(n_arms, GAMES, n_rounds)], [player(engine)]
    with contextlib.suppress(FileNotFoundError):  # no compiler: then there is no limit
        turns.append(LimitTable(engine).play)
    times = [[best(partial(through, turn, rounds), 1) for turn in turns] for _ in range(4 * repeats)]
    each = np.min(times, axis=0) / n_rounds / GAMES
    return float(each[0]), float(each[1]) if len(each) > 1 else None


def known_rounds(n_arms: int, n_games: int, n_rounds: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rounds of MAB-P in stretches: probabilities (rounds, games, arms) and luck (rounds, games, 4)."""
    bandit, luck = envs.make("MAB-P", n_arms, n_games=n_games, trial_rounds=n_rounds), np.random.default_rng(0)
    bandit.reset(streams(0, "bandit", range(n_games)))
    lengths = [*stretches(n_rounds, n_games, n_arms)]
    chances = np.ascontiguousarray(bandit.ahead(lengths[0])[0])  # the same in all rounds of a trial
    for length in lengths:
        yield chances[:length], luck.random((length, n_games, N_LUCK + 1))


def player(engine: Engine) -> Player:
    """What plays an engine's games, compiled, or round by round where there is no compiler."""
    games, stretch = np.arange(engine.n_games), engine.stretch()
    return lambda chances, luck: stretch.play(games, chances, luck)[0]


def through(player: Player, rounds: list[tuple[np.ndarray, np.ndarray]]) -> None:
    """Play stretches one after the other."""
    for each in rounds:
        player(*each)


def one_pair(parameters: NSAParameters) -> float | None:
    """Milliseconds that a round of one pair takes at least: what a round of one game waits for."""
    try:
        limit = LimitKernel(parameters)
    except FileNotFoundError:
        return None
    return 1e3 * best(partial(limit.respond_one, 0.7), 30)


def scored(repeats: int) -> float:
    """Game-rounds a second of a search in one process, all that it costs to score individuals included."""
    games, genome, rng = FitnessGames(), Genome(), np.random.default_rng(0)
    individuals = [genome.decode(rng.uniform(-math.pi, math.pi, genome.size).tolist()) for _ in range(INDIVIDUALS)]
    seconds = best(partial(scores, games, (0,), individuals), repeats)
    return len(individuals) * len(games.cells) * games.iterations * games.n_rounds / seconds
