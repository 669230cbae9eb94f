"""``nsa decision --model spiking``: the spikes of a decision, and the firing left against the weight."""

from __future__ import annotations

import numpy as np

from experiments.core.cells import Arrays
from experiments.core.play import trained
from experiments.core.settings import PlaySettings
from experiments.studies.response.functions import respond as rates_respond
from nsa_brian.model.critical import critical
from nsa_brian.spiking.engine import SpikingNSA

#: The cell that tells the firing left against the weight.
RESPONSE = "response"


def decide(games: PlaySettings, rounds: int) -> Arrays:
    """Train the spiking network, then watch one more decision."""
    agent, bandit = trained(games, rounds)
    engine = agent.engine
    decision = engine.decide()
    spiking = engine.spiking
    end = spiking.duration_input + spiking.duration_free
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
        "neurons": np.array(spiking.neurons),
        "phases": np.array([spiking.duration_input, end - spiking.reading, end]) / 1e3,
    }


def respond(games: PlaySettings, points: int = 226) -> Arrays:
    """Firing left at a round's end for weights from 0 to w_max, and the critical weights of both models."""
    parameters = games.nsa_agent(games.agents[0]).make_parameters()
    engine = SpikingNSA(points, parameters, seed=games.seed)  # a weight an option: one round for all of them
    w = np.linspace(0, parameters.w_max, points)
    engine.set_weights(w)
    engine.respond()
    return {
        "w": w,
        "u": engine.u[0].copy(),
        "v": engine.v[0].copy(),
        "critical": np.array(critical(w, engine.u[0])),
        "critical_rate": rates_respond(parameters, 2001)["critical"],
    }
