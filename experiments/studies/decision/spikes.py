"""``nsa decision`` with spiking neurons: the spikes of a decision in the Brian2 network; the firing left by weight."""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.core.cells import Arrays
from experiments.core.functions import respond as rates_respond
from experiments.core.play import trained
from experiments.core.settings import PlaySettings
from nsa_brian.model.reading import names_in
from nsa_brian.spiking.calibration import LASTING, paper_part
from nsa_brian.spiking.network import SpikingNSA
from nsa_brian.spiking.rounds import SpikingRounds

#: The cell that tells the firing left against the weight.
RESPONSE = "response"
#: Weights between 0 and w_max, and rounds of each.
POINTS, ROUNDS = 101, 4


def decide(games: PlaySettings, rounds: int) -> Arrays:
    """Train, put the weights into the Brian2 network, watch it decide."""
    agent, bandit = trained(games, rounds)
    engine: Any = agent.engine
    network = SpikingNSA(
        games.arms, engine.parameters[0], ties=games.ties, seed=games.seed, model=engine.model, name="nsa_decision"
    )
    network.set_weights(engine.w[0])
    best, n = int(np.argmax(engine.w[0])), network.objects.sizes["u"]
    neurons = engine.model.structure.populations["u"]
    potential = next(name for name in neurons.state if name in names_in(neurons.threshold))
    others = [name for name in neurons.state if name != potential]
    decision = network.decide(watch=[*range(best * n, best * n + n)])
    timing = network.timing
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
        "phases": np.array([timing.input_steps, timing.reading_step, timing.round_steps]) * timing.dt,
        "voltage_u": decision.courses["u"][potential][0],
        "voltage_v": decision.courses["v"][potential][0],
        **courses,
    }


def respond(games: PlaySettings) -> Arrays:
    """Firing left at a round's end for weights from 0 to w_max, and the critical weights of both models.

    Each weight is that of the first option of a game of its own, whose others are untrained.
    """
    agent = games.nsa_agent(games.agents[0])
    parameters, model = agent.make_parameters(), agent.make_model()
    engine = SpikingRounds(games.arms, parameters, POINTS, seed=games.seed, model=model)
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
