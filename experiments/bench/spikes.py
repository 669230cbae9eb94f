"""Time per round of spiking neurons: the Brian2 network, the generated loop, and the hand-written loop."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from experiments.bench.limit import address, compiled
from experiments.bench.stretches import best
from experiments.bench.timed_set import timed_set
from nsa_brian import prepare
from nsa_brian.engines.columns import ColumnRounds
from nsa_brian.engines.network import NSANetwork
from nsa_brian.model.shipped import EI, SPIKING

#: Games in the lanes of the hand-written loop.
LANES = 16
#: Options; the models have 20 neurons for each option in U and in V.
ARMS = 5
#: Model and games of each measurement.
CASES = ((SPIKING, 1), (SPIKING, LANES), (EI, LANES))
N_MEASUREMENTS = len(CASES)
_MEMBRANE = (
    "C_m", "g_L", "E_L", "V_th", "V_reset", "tau_ref", "tau_s", "opening", "sigma", "I_0", "I_in", "J_u", "J_v",
)  # fmt: skip
_CONDUCTANCES = (
    "C_m", "C_m_I", "g_L", "g_L_I", "E_L", "V_th", "V_reset", "tau_ref", "tau_ref_I", "E_E", "E_I", "tau_A", "tau_G",
    "tau_N", "opening", "Mg", "g_x", "g_xi", "g_xI", "g_NI", "g_AI", "g_GE", "g_GI", "g_u", "g_v", "ampa", "rate_x",
    "rate_xi", "rate_in", "rate_xI",
)  # fmt: skip


class LimitSpikes:
    """Hand-written rounds of ``spiking`` or ``spiking-ei`` in single precision, as an engine is set.

    Parameters
    ----------
    engine : ColumnRounds
        With one game of ``spiking``, or :data:`LANES` games of either model.
    seed : int

    Raises
    ------
    FileNotFoundError
        If there is no working C++ compiler.
    """

    def __init__(self, engine: ColumnRounds, seed: int = 0) -> None:
        values, course, n_games = engine.values[0], engine.columns.courses[0], engine.n_games
        pools = engine.model.name == EI.name
        kernel = compiled("spikes_kernel.cpp")
        self._run = kernel.ei_games if pools else (kernel.spiking_games if n_games > 1 else kernel.spiking_game)
        names = _CONDUCTANCES if pools else _MEMBRANE
        self._values = np.array([*(values[name] for name in names), course.dt], dtype=np.float32)
        sizes = (engine.n_arms, *(int(values[name]) for name in ("neurons", *(["neurons_I"] * pools))))
        self._sizes = tuple(map(ctypes.c_int, sizes))
        self._steps = (course.input_steps, course.reading_step, course.round_steps)
        self._gain = np.ascontiguousarray(engine.static("gain").T, dtype=np.float32)
        self._seed = np.array([seed], dtype=np.uint64)
        self._counts = np.zeros((2, engine.n_arms, n_games), dtype=np.float32)

    @property
    def counts(self) -> np.ndarray:
        """Spike counts (2, games, arms) of U and V in the last round."""
        return self._counts.transpose(0, 2, 1)

    def respond(self) -> None:
        """Run a round of all games."""
        given = (address(self._values), *self._steps, address(self._gain), address(self._seed))
        self._run(*self._sizes, *given, address(self._counts))


def measure(network_rounds: int, repeats: int, tick: Callable[[str], None] = lambda what: None) -> dict[str, Any]:
    """Return nanoseconds per neuron and step by name; of the network, milliseconds per round of all games."""
    found: dict[str, Any] = {}
    for model, n_games in CASES:
        case = f"games{n_games}"
        tick(f"{model.name}, {n_games} games, against the limit")
        prepared = prepare(model, timed_set(), ARMS)
        engines = {
            precision: ColumnRounds(
                ARMS,
                n_games=n_games,
                rng=np.random.default_rng(0),
                model=model,
                prepared=prepared,
                precision=precision,
            )
            for precision in ("double", "single")
        }
        w = np.linspace(0, timed_set().w_max, ARMS)  # from silent options to a persistent one
        for engine in engines.values():
            engine.set_weights(w)
        turns: list[Callable[[], object]] = [engine.respond for engine in engines.values()]
        with contextlib.suppress(FileNotFoundError):  # no compiler, no limit
            turns.append(LimitSpikes(engine).respond)
        steps = sum(engine.columns.neurons.values()) * n_games * engine.columns.courses[0].round_steps
        times = 1e9 * np.min([[best(turn, 1) for turn in turns] for _ in range(6 * repeats)], axis=0) / steps
        for precision, each in zip(engines, times, strict=False):
            found[f"{model.name}.{precision}.ns_per_neuron_step.{case}"] = float(each)
        found[f"limit.{model.name}.ns_per_neuron_step.{case}"] = float(times[2]) if len(times) > 2 else None
        if model is SPIKING:
            network = NSANetwork(ARMS, n_games=n_games, seed=0, model=model, prepared=prepared)
            network.set_weights(w)
            network.respond()  # compiles the rest
            found[f"spiking.network_ms_per_round.{case}"] = 1e3 * best(partial(network.respond), network_rounds)
            found[f"spiking.ms_per_round.{case}"] = float(times[0]) * steps / 1e6
            found[f"spiking.neuron_steps_per_second.{case}"] = 1e9 / float(times[0])
    return found
