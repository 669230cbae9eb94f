"""A decision of the rate model, watched in the Brian2 network."""

from __future__ import annotations

import numpy as np

from experiments.core.cells import Arrays
from experiments.core.play import trained
from experiments.core.settings import PlaySettings
from nsa_brian.engines.network import NSANetwork

#: One in so many time steps is kept.
TIME_STEP = 5


def decide(games: PlaySettings, rounds: int) -> Arrays:
    """Train, put the weights into the network, watch."""
    agent, bandit = trained(games, rounds)
    engine = agent.engine
    network = NSANetwork(games.arms, engine.parameters[0], ties=games.ties, seed=games.seed, model=engine.model)
    network.set_weights(**{name: values[0] for name, values in engine.synapses.items()})
    for name in engine.model.carried if rounds else ():
        network.state(name)[:] = engine.state(name)
    decision = network.decide()
    return {
        "t": decision.t[::TIME_STEP],
        "u": decision.u[::TIME_STEP],
        "v": decision.v[::TIME_STEP],
        "u_end": decision.u[-1],
        "v_end": decision.v[-1],
        "w": engine.w[0],
        "probabilities": bandit.probabilities[0],
        "arm": np.array(decision.arm),
        "agreed": np.array(decision.agreed),
    }
