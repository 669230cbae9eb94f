"""Time per round of a model whose neurons read a signal of the game, compared with a loop by hand.

The signal changes in every round, so every option responds anew in every round.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from experiments.bench import stretches as stretch_bench
from experiments.bench.limit import address, compiled, doubles
from experiments.bench.several import ARMS, GAMES, played
from experiments.bench.stretches import best
from experiments.bench.timed_set import timed_set
from nsa_brian import Choice, Model, NSAParameters, Parameter
from nsa_brian.engines.rounds import Rounds

STEPS = (20, 100)
#: Rounds of a game, from its start.
ROUNDS = 500
N_MEASUREMENTS = len(ARMS) * len(STEPS)

#: V shows the weight `w`, U the weight or, for a new option, the aspiration `a`; novelty `h` is lost by choices.
FAMILIARITY = Model(
    name="bench-familiarity",
    synapse="h : 1",
    signals="a : 1",
    initial={"h": "1", "a": "hope"},
    rate_u="du/dt = (-u + (1 - h) * w + h * a) / tau_u : 1",
    rate_v="dv/dt = (-v + w) / tau_v : 1",
    signal_update="a += (up * int(R > a) + down * int(R <= a)) * (R - a)",
    plasticity="""
        w += chosen * clip(rate + extra * h, 0, 1) * (R - w)
        h += recover * (1 - h) - chosen * lose * h
    """,
    choice=Choice(explore="int(u > u_at_v)"),
    parameters=(
        Parameter("hope", 0.9, meaning="aspiration at first"),
        Parameter("up", 0.02, meaning="how fast it rises"),
        Parameter("down", 0.05, meaning="how fast it falls"),
        Parameter("rate", 0.1, meaning="learning rate"),
        Parameter("extra", 0.7, meaning="added to it by novelty"),
        Parameter("recover", 0.003, meaning="recovery of novelty in a round"),
        Parameter("lose", 0.4, meaning="share of novelty lost by a choice"),
    ),
)
_OWN = ("hope", "up", "down", "rate", "extra", "recover", "lose")


def measure(repeats: int, tick: Callable[[str], None] = lambda what: None) -> dict[str, float | None]:
    """Return microseconds per game and round by name."""
    found: dict[str, float | None] = {}
    for steps in STEPS:
        for k in ARMS:
            tick(f"a signal in U's input, {steps} steps, {k} arms, against the limit")
            for name, seconds in batch(k, of_length(steps), ROUNDS, max(repeats, 2)).items():
                found[f"{name}.s{steps}.k{k}"] = None if seconds is None else 1e6 * seconds
    return found


def of_length(steps: int) -> NSAParameters:
    """Return a parameter set with rounds of so many steps of 1 ms."""
    times = {"tau_u": 7, "tau_v": 5, "duration_input": steps // 2, "duration_free": steps - steps // 2}
    return FAMILIARITY.complete(timed_set()).replace(**times)


def batch(n_arms: int, parameters: NSAParameters, n_rounds: int, repeats: int) -> dict[str, float | None]:
    """Return seconds per game and round from a game's start, of the engine and of the limit, interleaved."""
    engine = Rounds(n_arms, parameters, GAMES, model=FAMILIARITY)
    rounds = [*stretch_bench.known_rounds(n_arms, GAMES, n_rounds)]
    turns = [played(engine)]
    with contextlib.suppress(FileNotFoundError):  # no compiler, no limit
        turns.append(LimitFamiliarity(engine).restarted)
    times = [[best(partial(stretch_bench.through, turn(), rounds), 1) for turn in turns] for _ in range(repeats)]
    each = np.min(times, axis=0) / n_rounds / GAMES
    return dict(zip(("signals.us_per_game_round", "limit.signals_us"), [*each.tolist(), None], strict=False))


class LimitFamiliarity:
    """Whole games of the model by hand.

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
        self._hope, self._shape = float(p.hope), (engine.n_games, engine.n_arms)
        self._numbers = doubles([1 / p.tau_u, 1 / p.tau_v, *(getattr(p, name) for name in _OWN)])
        self._steps = round(p.duration_input) + round(p.duration_free)

    def restarted(self) -> stretch_bench.Player:
        """Restart the games, and return their player."""
        self.earned = np.zeros(self._shape[0])
        w, h, u, v = np.zeros((4, *self._shape))
        h[:] = 1
        self.state: tuple[Any, ...] = (w, h, np.full(self._shape[0], self._hope), u, v)
        return self.play

    def play(self, chances: np.ndarray, luck: np.ndarray) -> np.ndarray:
        """Return arms (rounds, games), given probabilities (rounds, games, arms) and uniforms (rounds, games, 4)."""
        arms = np.empty(chances.shape[:2], dtype=np.int32)
        sizes = (*self._shape, len(arms), self._numbers, self._steps, self._tolerance)
        self._kernel.play_familiarity(*sizes, *map(address, (chances, luck, *self.state, arms, self.earned)))
        return arms
