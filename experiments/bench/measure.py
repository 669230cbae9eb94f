"""Measurements of ``nsa bench``."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import baselines
import envs
from experiments.bench import calibration as calibration_bench
from experiments.bench import policies as policy_bench
from experiments.bench import several as several_bench
from experiments.bench import signals as signal_bench
from experiments.bench import spikes as spike_bench
from experiments.bench import stretches as stretch_bench
from experiments.bench.limit import LimitKernel
from experiments.bench.stretches import best
from experiments.bench.timed_set import timed_set
from experiments.core.game import play
from nsa_brian import NSA, Lateral, Model, NSAParameters
from nsa_brian.codegen.pairs import Pairs
from nsa_brian.common.game_streams import streams
from nsa_brian.engines.network import NSANetwork
from nsa_brian.engines.response_table import ResponseTable
from nsa_brian.engines.rounds import Rounds
from nsa_brian.engines.table import Table
from nsa_brian.model.expression import numpy_function
from nsa_brian.model.model import PAPER
from nsa_brian.model.timing import steps_of

ARMS = (10, 100, 1000)
GAMES = (1, 10, 100, 1000)
UNITS = 1000
#: Numbers of arms in games with lateral inhibition.
COUPLED_ARMS = (10, 100)
#: Strength of the inhibition from every neuron of U to all others of U.
INHIBITION = 0.4
N_MEASUREMENTS = (
    4 * len(ARMS)
    + len(GAMES[1:])
    + len(ARMS[1:])
    + len(stretch_bench.ARMS)
    + stretch_bench.N_MEASUREMENTS
    + 1
    + len(COUPLED_ARMS)
    + several_bench.N_MEASUREMENTS
    + signal_bench.N_MEASUREMENTS
    + spike_bench.N_MEASUREMENTS
    + calibration_bench.N_MEASUREMENTS
    + len(baselines.compared())
)


@dataclass(frozen=True)
class Effort:
    """Rounds per game for slow engines, fast engines and policies, and number of repeats."""

    slow_rounds: int
    fast_rounds: int
    policy_rounds: int
    repeats: int


FULL = Effort(slow_rounds=20, fast_rounds=2000, policy_rounds=300, repeats=5)
QUICK = Effort(slow_rounds=4, fast_rounds=300, policy_rounds=30, repeats=3)


def measure(effort: Effort, tick: Callable[[str], None] = lambda what: None) -> dict[str, float | None]:
    """Return all measurements by name. Times are the best of the repeats."""
    parameters = timed_set()
    steps = steps_of(parameters)[1]
    found: dict[str, float | None] = {"steps_per_round": steps}
    for k in ARMS:
        tick(f"numpy loop, {k} arms")
        found[f"numpy.ms_per_round.k{k}"] = 1e3 * best(partial(numpy_round, np.zeros(k), parameters), effort.repeats)
        tick(f"network, {k} arms")
        found[f"network.ms_per_round.k{k}"] = 1e3 * network_round(k, parameters, effort)
        tick(f"rounds, {k} arms")
        rounds = game_round("rounds", k, 1, effort.fast_rounds, effort.repeats)
        tick(f"table, {k} arms")
        table = game_round("table", k, 1, effort.fast_rounds, effort.repeats)
        found |= {f"rounds.ms_per_round.k{k}": 1e3 * rounds, f"table.ms_per_round.k{k}": 1e3 * table}
        if k == 10:
            found |= {"rounds.ms_per_round.single": 1e3 * rounds, "table.us_per_game_round.single": 1e6 * table}
    for n in GAMES[1:]:
        tick(f"rounds and table, {n} games")
        for engine, least in (("rounds", 10), ("table", 300)):
            seconds = game_round(engine, 10, n, max(least, effort.fast_rounds // n), effort.repeats)
            found[f"{engine}.us_per_game_round.games{n}"] = 1e6 * seconds / n
    for k in ARMS[1:]:
        tick(f"rounds, 1000 games, {k} arms")
        seconds = game_round("rounds", k, 1000, 10, effort.repeats)
        found[f"rounds.us_per_game_round.games1000.k{k}"] = 1e6 * seconds / 1000
    for k in stretch_bench.ARMS:
        tick(f"table, 256 games, {k} arms")
        seconds = game_round("table", k, 256, 300, effort.repeats)
        found[f"table.us_per_game_round.k{k}"] = 1e6 * seconds / 256
    found |= stretch_bench.measure(effort.fast_rounds, effort.repeats, tick)
    tick("a batch of pairs, against the limit")
    found["rounds.engine_share"] = engine_share(effort)
    generated, limit = unit_step(parameters, steps, effort)
    found["rounds.ns_per_unit_step"], found["limit.ns_per_unit_step"] = generated, limit
    for k in COUPLED_ARMS:
        tick(f"options that inhibit each other, {k} arms, against the limit")
        found |= coupled(k, parameters, steps, effort)
    found["coupled.ns_per_unit_step"] = found[f"coupled.ns_per_unit_step.k{COUPLED_ARMS[0]}"]
    found |= several_bench.measure(effort.fast_rounds, effort.repeats, tick)
    found |= signal_bench.measure(effort.repeats, tick)
    found |= spike_bench.measure(min(effort.slow_rounds, 5), effort.repeats, tick)
    found |= calibration_bench.measure(effort.repeats, tick)
    policies = policy_bench.measure(effort.policy_rounds, tick)
    return found | ratios(found) | policies


def ratios(found: dict[str, Any]) -> dict[str, float | None]:
    """Return ratios of measurements."""
    ratio: dict[str, float | None] = {}
    for k in ARMS:
        one = found[f"rounds.ms_per_round.k{k}"]
        for other in ("network", "numpy"):
            ratio[f"ratio.{other}_over_rounds.k{k}"] = found[f"{other}.ms_per_round.k{k}"] / one
    ratio["ratio.rounds_k1000_over_k10"] = found["rounds.ms_per_round.k1000"] / found["rounds.ms_per_round.k10"]
    limit = found["limit.ns_per_unit_step"]
    ratio["ratio.rounds_over_limit"] = found["rounds.ns_per_unit_step"] / limit if limit else None
    limit = found["limit.rounds_ms.single"]
    ratio["ratio.rounds_over_limit.single"] = found["rounds.ms_per_round.single"] / limit if limit else None
    for k in stretch_bench.ARMS:
        limit = found[f"limit.table_us.k{k}"]
        ratio[f"ratio.table_over_limit.k{k}"] = (
            found[f"table.us_per_game_round.compiled.k{k}"] / limit if limit else None
        )
    for k in COUPLED_ARMS:
        compiled, by_hand = found[f"coupled.ns_per_unit_step.k{k}"], found[f"limit.coupled_ns_per_unit_step.k{k}"]
        ratio[f"ratio.coupled_over_limit.k{k}"] = compiled / by_hand if by_hand else None
        network = found[f"coupled.network_ms_per_round.k{k}"]
        ratio[f"ratio.network_over_coupled.k{k}"] = network / found[f"coupled.ms_per_round.k{k}"]
    for model, n in spike_bench.CASES:
        case = f"ns_per_neuron_step.games{n}"
        by_hand = found[f"limit.{model.name}.{case}"]
        for precision in ("double", "single"):
            one = found[f"{model.name}.{precision}.{case}"]
            ratio[f"ratio.{model.name}.{precision}_over_limit.games{n}"] = one / by_hand if by_hand else None
        network = found.get(f"{model.name}.network_ms_per_round.games{n}")
        if network:
            rounds = found[f"{model.name}.ms_per_round.games{n}"]
            ratio[f"ratio.{model.name}_network_over_rounds.games{n}"] = network / rounds
    ratio["rounds.game_rounds_per_second.games1000"] = 1e6 / found["rounds.us_per_game_round.games1000"]
    ratio["table.game_rounds_per_second.games1000"] = 1e6 / found["table.us_per_game_round.games1000"]
    return ratio


def game_round(engine: str, n_arms: int, n_games: int, n_rounds: int, repeats: int) -> float:
    """Return seconds per round of whole games on MAB-P, including bandit and record."""
    agent = NSA(n_arms, timed_set(), engine=engine, n_games=n_games, rng=streams(0, "agent", range(n_games)))
    if isinstance(agent.engine, Table) and isinstance(agent.engine.table, ResponseTable):
        agent.engine.table.make_all()  # not part of the time
    bandit = envs.make("MAB-P", n_arms, n_games=n_games)

    times = []
    for _ in range(repeats):
        bandit.reset(streams(0, "bandit", range(n_games)))
        times.append(best(lambda: play(agent, bandit, n_rounds), 1))
    return min(times) / n_rounds


def coupled(n_arms: int, parameters: NSAParameters, steps: int, effort: Effort) -> dict[str, float | None]:
    """Measure one game with lateral inhibition: the network, the generated loop, and the hand-written loop."""
    model = Model(
        name="lateral",
        rate_u="du/dt = (-u + I_u + I_lateral + I{noise}) / tau_u : 1",
        lateral=(Lateral("u", "I_lateral", "-inhibition * phi_u_pre"),),
        constants={"inhibition": INHIBITION},
    )
    few = dataclasses.replace(effort, slow_rounds=3, repeats=min(2, effort.repeats))
    network = network_round(n_arms, parameters, few, model)
    engine = Rounds(n_arms, parameters, model=model)
    w = np.linspace(0, parameters.w_max, n_arms)
    engine.set_weights(w)
    value = numpy_function("Phi_v", model.function_of_weight("v"), model.values_in_si(parameters))(w=w)
    turns: list[Callable[[], object]] = [engine.respond]
    with contextlib.suppress(FileNotFoundError):  # no compiler, no limit
        turns.append(partial(LimitKernel(parameters).respond_coupled, value, INHIBITION))
    times = np.min([[best(turn, 1) for turn in turns] for _ in range(30)], axis=0)
    each = times * 1e9 / n_arms / steps
    return {
        f"coupled.network_ms_per_round.k{n_arms}": 1e3 * network,
        f"coupled.ms_per_round.k{n_arms}": 1e3 * float(times[0]),
        f"coupled.ns_per_unit_step.k{n_arms}": float(each[0]),
        f"limit.coupled_ns_per_unit_step.k{n_arms}": float(each[1]) if len(each) > 1 else None,
    }


def network_round(n_arms: int, parameters: NSAParameters, effort: Effort, model: Model = PAPER) -> float:
    """Return seconds per round of a game in one ``Network.run``, without the start of the run."""
    network = NSANetwork(n_arms, parameters, seed=0, model=model)
    times: list[float] = []

    def reward(arms: np.ndarray) -> np.ndarray:
        times.append(time.perf_counter())
        return np.ones(1)

    network.play(reward, 1)  # compiles
    found = []
    for _ in range(effort.repeats):
        times.clear()
        network.play(reward, effort.slow_rounds)
        found.append((times[-1] - times[0]) / (effort.slow_rounds - 1))
    return min(found)


def engine_share(effort: Effort) -> float:
    """Return the share of the compiled round in a user's loop (one game, 10 arms), in the fastest repeat."""
    agent = NSA(10, timed_set(), engine="rounds", n_games=1, rng=streams(0, "agent", range(1)))
    assert isinstance(agent.engine, Rounds)
    pairs, bandit = agent.engine.pairs, envs.make("MAB-P", 10, n_games=1)
    runs: list[tuple[float, float]] = []
    run = pairs.run_round
    for _ in range(effort.repeats):
        inside = 0.0

        def timed() -> None:
            nonlocal inside
            begin = time.perf_counter()
            run()
            inside += time.perf_counter() - begin

        pairs.run_round = timed
        bandit.reset(streams(0, "bandit", range(1)))
        start = time.perf_counter()
        for _ in range(effort.fast_rounds):
            arms = agent.select_arm()
            agent.update(arms, bandit.pull(arms))
            bandit.step()
        total = time.perf_counter() - start
        runs.append((total, inside / total))
    pairs.run_round = run
    return min(runs)[1]


def unit_step(parameters: NSAParameters, steps: int, effort: Effort) -> tuple[float, float | None]:
    """Return nanoseconds per pair and time step in a batch, of generated code and of the limit, interleaved."""
    pairs, value = Pairs([PAPER.values_in_si(parameters)], UNITS, given=("Phi_v",)), np.linspace(0, 1, UNITS)
    given = (np.zeros(UNITS, dtype=int), {"Phi_v": value})
    try:
        limit = LimitKernel(parameters)
    except FileNotFoundError:
        return 1e9 * best(lambda: pairs.respond(*given), effort.repeats) / UNITS / steps, None
    times = [(best(lambda: pairs.respond(*given), 1), best(lambda: limit.respond(value), 1)) for _ in range(30)]
    generated, by_hand = np.min(times, axis=0) * 1e9 / UNITS / steps
    return float(generated), float(by_hand)


def numpy_round(w: np.ndarray, p: NSAParameters) -> tuple[np.ndarray, np.ndarray]:
    """Run a round of one game in plain numpy: all arms at once, a Python loop over time."""

    def response(x: np.ndarray, gain: float, offset: float, threshold: float) -> np.ndarray:
        s = 1 / (1 + np.exp(-gain * (x - offset)))
        return np.where(s > threshold, s, 0)

    u, v = np.zeros_like(w), np.zeros_like(w)
    value = p.r_v / (1 + np.exp(-p.beta_v * (w - p.alpha_v)))
    value += (1 - p.r_v) * np.exp(-((w - p.mu_v) ** 2) / (2 * p.sigma_v**2))
    n_input, n_free = round(p.duration_input), round(p.duration_free)
    for step in range(n_input + n_free):
        current = p.I_ext if step < n_input else 0
        du = (-u + response(v, p.gain_v, p.offset_v, p.threshold_v) + current) / p.tau_u
        dv = (-v + value * response(u, p.gain_u, p.offset_u, p.threshold_u)) / p.tau_v
        u, v = u + du, v + dv
    return u, v
