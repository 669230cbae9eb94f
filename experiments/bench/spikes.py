"""Time per round of spiking neurons: the Brian2 network, the generated loop, and the hand-written loop."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from experiments.bench.limit import address, compiled, doubles
from experiments.bench.stretches import best
from nsa_brian import load, prepare
from nsa_brian.engines.columns import ColumnRounds
from nsa_brian.engines.network import NSANetwork
from nsa_brian.model.shipped import SPIKING

#: Options, and games in a batch; the model has 20 neurons for each option in U and in V.
ARMS, GAMES = 5, (1, 10)
N_MEASUREMENTS = len(GAMES)
_FIELDS = (
    "C_m", "g_L", "E_L", "V_th", "V_reset", "tau_ref", "tau_s", "opening", "sigma", "I_0", "I_in", "J_u", "J_v",
)  # fmt: skip


class LimitSpikes:
    """Hand-written rounds of the model ``spiking``, with the parameters and weights of an engine.

    Raises
    ------
    FileNotFoundError
        If there is no working C++ compiler.
    """

    def __init__(self, engine: ColumnRounds, seed: int = 0) -> None:
        self._run = compiled("spikes_kernel.cpp").spiking_round
        values, course = engine.values[0], engine.columns.courses[0]
        self._membrane = doubles([*(values[name] for name in _FIELDS), course.dt])
        neurons = int(values["neurons"])
        room = (engine.n_arms * neurons + 7) // 8 * 8
        self._sizes = (engine.n_games, engine.n_arms, neurons)
        self._steps = (course.input_steps, course.reading_step, course.round_steps)
        self._gain = np.ascontiguousarray(engine.static("gain"))
        self._streams = np.random.default_rng(seed).integers(0, 2**62, (engine.n_games, 2, room))
        self.counts = np.zeros((2, engine.n_games, engine.n_arms))

    def respond(self) -> None:
        """Run a round of all games; ``counts`` then has the spike counts of U and V."""
        gain, streams, counts = map(address, (self._gain, self._streams, self.counts))
        self._run(*map(ctypes.c_int, self._sizes), self._membrane, *self._steps, gain, streams, counts)


def measure(network_rounds: int, repeats: int, tick: Callable[[str], None] = lambda what: None) -> dict[str, Any]:
    """Return milliseconds per round of all games, and neuron steps per second, by name."""
    found: dict[str, Any] = {}
    prepared = prepare(SPIKING, load().parameters, ARMS)
    for n_games in GAMES:
        tick(f"spiking neurons, {n_games} games, against the limit")
        network = NSANetwork(ARMS, n_games=n_games, seed=0, model=SPIKING, prepared=prepared)
        rng = np.random.default_rng(0)
        engine = ColumnRounds(ARMS, n_games=n_games, rng=rng, model=SPIKING, prepared=prepared)
        w = np.linspace(0, engine.parameters[0].w_max, ARMS)  # from silent options to a persistent one
        for each in (network, engine):
            each.set_weights(w)
        network.respond()  # compiles the rest
        turns: list[Callable[[], object]] = [engine.respond]
        with contextlib.suppress(FileNotFoundError):  # no compiler, no limit
            turns.append(LimitSpikes(engine).respond)
        times = 1e3 * np.min([[best(turn, 1) for turn in turns] for _ in range(6 * repeats)], axis=0)
        slow = 1e3 * best(partial(network.respond), network_rounds)
        limit = float(times[1]) if len(times) > 1 else None
        steps = sum(engine.columns.neurons.values()) * n_games * engine.columns.courses[0].round_steps
        found |= {
            f"spiking.network_ms_per_round.games{n_games}": slow,
            f"spiking.ms_per_round.games{n_games}": float(times[0]),
            f"limit.spiking_ms_per_round.games{n_games}": limit,
            f"spiking.neuron_steps_per_second.games{n_games}": 1e3 * steps / float(times[0]),
        }
    return found
