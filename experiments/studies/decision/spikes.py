"""Spikes of a decision in the Brian2 network, and final firing rates by weight."""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.core.cells import Arrays
from experiments.core.functions import respond as rates_respond
from experiments.core.play import trained
from experiments.core.settings import PlaySettings
from experiments.studies.decision.network import network_of
from nsa_brian.engines.spiking import SpikingRounds
from nsa_brian.model.reading import names_in
from nsa_brian.preparation import LASTING, paper_part

#: Name of the cell with the final firing rates by weight.
RESPONSE = "response"
#: Number of weights between 0 and w_max, and of rounds for each.
POINTS, ROUNDS = 101, 4


def decide(games: PlaySettings, rounds: int) -> Arrays:
    """Train an agent, copy its weights to the network and record a decision."""
    agent, bandit = trained(games, rounds)
    engine: Any = agent.engine
    network = network_of(games, engine, rounds, "nsa_decision")
    best, n = int(np.argmax(engine.w[0])), network.count("u")
    neurons = engine.structure.populations["u"]
    written = {code: name for name, code in neurons.written.items()}
    potential = next(written[code] for code in neurons.state if code in names_in(neurons.threshold))
    others = [written[code] for code in neurons.state if written[code] != potential]
    decision = network.decide(watch=[*range(best * n, best * n + n)])
    course = network.course
    courses = {f"of_{name}": decision.courses["u"][name].mean(axis=0) for name in others}
    return {
        "t_u": decision.t_u,
        "i_u": decision.i_u,
        "t_v": decision.t_v,
        "i_v": decision.i_v,
        "u_end": decision.u,
        "v_end": decision.v,
        "w": engine.w[0].copy(),
        "probabilities": bandit.probabilities[0],
        "arm": np.array(decision.arm),
        "agreed": np.array(decision.agreed),
        "neurons": np.array(n),
        "phases": np.array([course.input_steps, course.reading_step, course.round_steps]) * course.dt,
        "voltage_u": decision.courses["u"][potential][0],
        "voltage_v": decision.courses["v"][potential][0],
        **courses,
    }


def respond(games: PlaySettings) -> Arrays:
    """Return the final firing rates for weights from 0 to w_max, and the critical weights of both models.

    Each weight belongs to the first option of a separate game; the other options are untrained.
    """
    agent = games.nsa_agent(games.agents[0])
    parameters = agent.parameters
    engine = SpikingRounds(games.arms, parameters, POINTS, seed=games.seed, model=agent.model, **games.integration)
    w = np.linspace(0, parameters.w_max, POINTS)
    weights = np.zeros((POINTS, games.arms))
    weights[:, 0] = w
    engine.set_weights(weights)
    rates = []
    for _ in range(ROUNDS):
        engine.respond()
        rates.append(engine.activity[:, :, 0].copy())
    lasts = (np.array(rates) > LASTING).all(axis=1).mean()
    critical = parameters.w_max * (1 - lasts) if 0 < lasts < 1 else np.nan
    u, v = np.mean(rates, axis=0)
    return {
        "w": w,
        "u": u,
        "v": v,
        "critical": np.array(critical),
        "critical_rate": rates_respond(paper_part(parameters), 2001)["critical"],
    }
