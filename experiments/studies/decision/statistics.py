"""Firing statistics of spiking neurons: rates and irregularity, untrained and trained, with confidence intervals.

Many games play one round with a long phase 2, so that slowly firing neurons have enough intervals. Every game gives one
value of each statistic; the confidence interval is Student's over games.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import scipy  # submodules are imported on first use

from experiments.core.cells import Arrays
from experiments.core.settings import PlaySettings
from nsa_brian.engines.spiking import SpikingRounds

#: Name of the cell.
STATISTICS = "statistics"
#: Games; phase 2 in ms, and its uncounted start in seconds; weight of the trained option as a share of w_max.
GAMES, FREE, SETTLED, TRAINED = 32, 4000.0, 0.5, 0.8
#: Smallest number of intervals of a neuron; window of the Fano factor in seconds.
INTERVALS, WINDOW = 8, 0.25
#: Number of intervals stored for a histogram.
KEPT = 20_000

#: Groups: an untrained network, a trained option, and the other options beside it.
KINDS = ("untrained", "trained", "beside")
#: Statistics of a population.
KEYS = ("phase_1", "phase_2", "cv", "cv2", "fano")


def measure(games: PlaySettings) -> Arrays:
    """Return the statistics (kinds, populations, keys, games) and intervals."""
    agent = games.nsa_agent(games.agents[0])
    parameters = agent.parameters
    ways: dict[str, Any] = {"model": agent.model, "free_time": FREE, "record": True, **games.integration}
    engine = SpikingRounds(games.arms, parameters, GAMES, seed=games.seed, **ways)
    found = np.full((len(KINDS), 2, len(KEYS), GAMES), np.nan)
    intervals: dict[str, list[float]] = {"u": [], "v": []}
    for trained in (False, True):
        weights = np.zeros(games.arms)
        weights[0] = trained * TRAINED * parameters.w_max
        engine.set_weights(weights)
        engine.respond()
        timing = engine.columns.courses[0]
        border = timing.input_steps * timing.dt
        for place, population in enumerate(("u", "v")):
            n = engine.columns.neurons[population] // games.arms
            for game in range(GAMES):
                t, i = engine.spikes(population, game)
                first = i < n
                parts = {1: first, 2: ~first} if trained else {0: np.ones(len(i), dtype=bool)}
                for kind, own in parts.items():
                    size = n if kind == 1 else n * (games.arms - 1) if kind == 2 else n * games.arms
                    ends = (border, border + SETTLED, timing.round_steps * timing.dt)
                    neurons = _neurons(t[own], i[own] - (n if kind == 2 else 0), size)
                    found[kind, place, :, game], gaps = _of_game(neurons, ends)
                    if kind == 1:
                        intervals[population] += gaps
    return {
        "found": found,
        "intervals_u": np.array(intervals["u"][:KEPT]),
        "intervals_v": np.array(intervals["v"][:KEPT]),
    }


def _neurons(t: np.ndarray, i: np.ndarray, size: int) -> list[np.ndarray]:
    """Return the spike times of each neuron."""
    order = np.argsort(i, kind="stable")
    borders = np.searchsorted(i[order], np.arange(size + 1))
    return [np.sort(t[order][a:b]) for a, b in itertools.pairwise(borders)]


def _of_game(neurons: list[np.ndarray], ends: tuple[float, float, float]) -> tuple[list[float], list[float]]:
    """Return the statistics of a game's neurons and their intervals in phase 2."""
    border, start, end = ends
    cvs, cv2s, fanos, kept, count = [], [], [], [], 0
    edges = np.arange(start, end + 1e-9, WINDOW)
    for t in neurons:
        late = t[t >= start]
        count += len(late)
        gaps = np.diff(late)
        kept += gaps.tolist()
        if len(gaps) >= INTERVALS:
            cvs.append(gaps.std() / gaps.mean())
            cv2s.append(np.mean(2 * np.abs(np.diff(gaps)) / (gaps[1:] + gaps[:-1])))
        counts = np.histogram(late, edges)[0]
        if counts.sum():
            fanos.append(counts.var(ddof=1) / counts.mean())
    early = sum(int((t < border).sum()) for t in neurons)
    rates = [early / (len(neurons) * border), count / (len(neurons) * (end - start))]
    means = [float(np.mean(values)) if values else np.nan for values in (cvs, cv2s, fanos)]
    return [*rates, *means], kept


def summarise(found: np.ndarray) -> dict[str, dict[str, dict[str, object]]]:
    """Return the statistics by kind and population: ``rate`` in both phases, ``cv``, ``cv2``, ``fano``."""
    plain: dict[str, dict[str, dict[str, object]]] = {}
    for kind, name in enumerate(KINDS):
        plain[name] = {}
        for place, population in enumerate(("u", "v")):
            each = {key: _estimate(found[kind, place, k]) for k, key in enumerate(KEYS)}
            late = "spontaneous" if name == "untrained" else "persistent"
            rate = {"phase_1": each.pop("phase_1"), late: each.pop("phase_2")}
            plain[name][population] = {"rate": rate, **each}
    return plain


def _estimate(values: np.ndarray) -> dict[str, float | None]:
    """Return the mean over games and its 95% confidence interval; None with fewer than two values."""
    known = values[np.isfinite(values)]
    if len(known) < 2:
        return {"mean": None, "low": None, "high": None}
    mean = float(known.mean())
    half = float(scipy.stats.t.ppf(0.975, len(known) - 1) * scipy.stats.sem(known))
    return {"mean": mean, "low": mean - half, "high": mean + half}
