"""Time per round of a model with several synaptic variables that learns by statements, compared with a loop by hand."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from experiments.bench import stretches as stretch_bench
from experiments.bench.limit import CURVE, FIELDS, address, compiled, doubles
from experiments.bench.stretches import best
from experiments.bench.timed_set import timed_set
from nsa_brian import Model, NSAParameters, Parameter
from nsa_brian.engines.base import Engine
from nsa_brian.engines.response_table import ResponseTable
from nsa_brian.engines.rounds import Rounds
from nsa_brian.engines.table import Table
from nsa_brian.model.model import PAPER
from nsa_brian.model.timing import steps_of

ARMS = (5, 40, 200)
STEPS = (200, 2400)
GAMES = 32
#: Number of arms for the comparison of statements with an expression.
MANY = 200
N_MEASUREMENTS = len(ARMS) * len(STEPS) + 1

#: Novelty `n` adds to U's input, fades in all options and is lost by choices; a trace `c` of choices slows learning.
NOVELTY = Model(
    name="bench-novelty",
    synapse="n : 1\nc : 1",
    initial={"n": "start"},
    rate_u="du/dt = (-u + I_u + I * (1 + kappa * n){noise}) / tau_u : 1",
    plasticity="""
        c += chosen - forget * c
        w += chosen * Phi_eta * (R * w_max - w) / (1 + slow * c)
        n -= fade * n + chosen * lose * n
    """,
    parameters=(
        Parameter("start", 1, search=(0, 1), meaning="novelty of an unknown option"),
        Parameter("kappa", 0.2, search=(0, 1), meaning="input to U added by novelty"),
        Parameter("fade", 0.01, search=(0.0001, 0.1), scale="log", meaning="share of novelty lost in a round"),
        Parameter("lose", 0.5, search=(0, 0.9), meaning="share of novelty lost by a choice"),
        Parameter("forget", 0.1, search=(0.01, 1), scale="log", meaning="share of the trace lost in a round"),
        Parameter("slow", 0.1, search=(0, 1), meaning="slower learning by the trace"),
    ),
)
_OWN = ("kappa", "fade", "lose", "forget", "slow")
#: The paper's learning rule as a statement.
STATEMENT = Model(name="bench-statement", plasticity="w += chosen * Phi_eta * (R * w_max - w)")


def measure(n_rounds: int, repeats: int, tick: Callable[[str], None] = lambda what: None) -> dict[str, float | None]:
    """Return microseconds per game and round by name."""
    found: dict[str, float | None] = {}
    for steps in STEPS:
        parameters = of_length(timed_set(), steps)
        for k in ARMS:
            tick(f"three synaptic variables, {steps} steps, {k} arms, against the limit")
            for name, seconds in batch(k, parameters, min(n_rounds, 100), max(repeats, 2)).items():
                found[f"{name}.s{steps}.k{k}"] = None if seconds is None else 1e6 * seconds
    tick(f"statements against an expression, {MANY} arms")
    return found | {f"several.{name}_us.k{MANY}": 1e6 * each for name, each in rules(n_rounds, repeats).items()}


def of_length(parameters: NSAParameters, steps: int) -> NSAParameters:
    """Return a parameter set with rounds of so many steps of 1 ms: its times are scaled."""
    share = steps / steps_of(parameters)[1]
    scaled = {name: getattr(parameters, name) * share for name in ("tau_u", "tau_v")}
    first = round(parameters.duration_input * share)
    return parameters.replace(**scaled, duration_input=first, duration_free=steps - first)


def batch(n_arms: int, parameters: NSAParameters, n_rounds: int, repeats: int) -> dict[str, float | None]:
    """Return seconds per game and round from a game's start, of both engines and of the limit, interleaved.

    The first repeat fills the table.
    """
    complete = NOVELTY.complete(parameters)
    engine = Rounds(n_arms, complete, GAMES, model=NOVELTY)
    rounds = [*stretch_bench.known_rounds(n_arms, GAMES, n_rounds)]
    turns = [played(engine), played(Table(n_arms, complete, GAMES, model=NOVELTY))]
    with contextlib.suppress(FileNotFoundError):  # no compiler, no limit
        limit = LimitNovelty(engine)
        turns.append(limit.restarted)
    times = [[best(partial(stretch_bench.through, turn(), rounds), 1) for turn in turns] for _ in range(repeats)]
    each = np.min(times, axis=0) / n_rounds / GAMES
    names = ("several.us_per_game_round", "several.table_us_per_game_round", "limit.several_us")
    return dict(zip(names, [*each.tolist(), None], strict=False))


def played(engine: Engine) -> Callable[[], stretch_bench.Player]:
    """Return a function that restarts an engine's games and returns their player."""
    play = stretch_bench.player(engine)

    def restart() -> stretch_bench.Player:
        engine.reset()
        engine.respond()
        return play

    return restart


def rules(n_rounds: int, repeats: int) -> dict[str, float]:
    """Return seconds per game and round with the paper's learning rule as an expression and as a statement."""
    rounds = [*stretch_bench.known_rounds(MANY, GAMES, min(n_rounds, 1000))]
    turns = {}
    for name, model in (("expression", PAPER), ("statements", STATEMENT)):
        engine = Table(MANY, timed_set(), GAMES, model=model)
        assert isinstance(engine.table, ResponseTable)
        engine.table.make_all()
        turns[name] = played(engine)
    times = [
        [best(partial(stretch_bench.through, turn(), rounds), 1) for turn in turns.values()] for _ in range(4 * repeats)
    ]
    each = np.min(times, axis=0) / sum(len(luck) for _, luck in rounds) / GAMES
    return dict(zip(turns, each.tolist(), strict=True))


class LimitNovelty:
    """Whole games of the model by hand: options never chosen are integrated once a game.

    Parameters
    ----------
    engine : Rounds
        The engine of the model, with one parameter set.

    Raises
    ------
    FileNotFoundError
        If there is no working C++ compiler.
    """

    def __init__(self, engine: Rounds) -> None:
        self._kernel, self._tolerance = compiled(), ctypes.c_double(engine.tolerance)
        p = engine.parameters[0]
        self._start, self._shape = float(p.start), (engine.n_games, engine.n_arms)
        curves = [getattr(p, f"{name}_{which}") for which in ("eta", "v") for name in CURVE]
        own = [getattr(p, name) for name in _OWN]
        self._numbers = doubles([*(getattr(p, name) for name in FIELDS), *curves, p.w_max, *own])
        first = round(p.duration_input)
        self._steps = (first, first + round(p.duration_free))

    def restarted(self) -> stretch_bench.Player:
        """Restart the games, and return their player."""
        self.earned = np.zeros(self._shape[0])
        w, n, c, u, v = np.zeros((5, *self._shape))
        n[:] = self._start
        self.state: tuple[Any, ...] = (w, n, c, u, v, np.zeros(self._shape, dtype=np.int8))
        return self.play

    def play(self, chances: np.ndarray, luck: np.ndarray) -> np.ndarray:
        """Return arms (rounds, games), given probabilities (rounds, games, arms) and uniforms (rounds, games, 4)."""
        arms = np.empty(chances.shape[:2], dtype=np.int32)
        sizes = (*self._shape, len(arms), self._numbers, *self._steps, self._tolerance)
        self._kernel.play_novelty(*sizes, *map(address, (chances, luck, *self.state, arms, self.earned)))
        return arms
