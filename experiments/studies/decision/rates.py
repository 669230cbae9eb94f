"""Recording of a decision in the Brian2 network: activities, and firing rates of spiking populations."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from experiments.core.cells import Arrays
from experiments.core.play import trained
from experiments.core.settings import PlaySettings
from experiments.studies.decision.network import network_of
from nsa_brian.engines.decision import Decision
from nsa_brian.engines.network import NSANetwork

#: Interval of the stored time steps.
TIME_STEP = 5
#: Window of the firing rate, in seconds.
WINDOW = 0.025


def decide(games: PlaySettings, rounds: int) -> Arrays:
    """Train an agent, copy its weights to the network and record a decision."""
    agent, bandit = trained(games, rounds)
    engine = agent.engine
    network = network_of(games, engine, rounds)
    decision = network.decide()
    u, v = (_course(network, decision, name) for name in "uv")
    borders = np.array([0, *network.course.borders]) * network.course.dt
    on = [span for span, phase in zip(pairwise(borders), network.structure.before, strict=True) if "I" in phase.on]
    return {
        "t": decision.t[::TIME_STEP],
        "u": u[::TIME_STEP],
        "v": v[::TIME_STEP],
        "u_end": network.activity[0, 0].copy(),
        "v_end": network.activity[1, 0].copy(),
        "w": engine.w[0].copy(),
        "probabilities": bandit.probabilities[0],
        "arm": np.array(decision.arm),
        "agreed": np.array(decision.agreed),
        "input_on": np.array(on).reshape(-1, 2),
        "end": borders[-1],
    }


def _course(network: NSANetwork, decision: Decision, name: str) -> np.ndarray:
    """Return the activity, or the firing rate in Hz, of a population over time (steps + 1, arms)."""
    if not network.structure.populations[name].spikes:
        return getattr(decision, name)
    n, width = network.count(name), round(WINDOW / network.course.dt)
    step = np.rint(getattr(decision, f"t_{name}") / network.course.dt).astype(int)
    counts = np.zeros((len(decision.t), network.n_arms))
    np.add.at(counts, (step, getattr(decision, f"i_{name}") // n), 1)
    summed = np.cumsum(np.concatenate([np.zeros((width, network.n_arms)), counts]), axis=0)
    return (summed[width:] - summed[:-width]) / (n * width * network.course.dt)
