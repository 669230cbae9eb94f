"""A game on an engine, and whether two engines played the same one."""

import numpy as np
import pytest

from nsa_brian import NSAParameters

#: Rounds of 160 steps.
SHORT = NSAParameters(tau_u=12, tau_v=16, duration_input=80, duration_free=80)


def game(engine, n_rounds, seed):
    """Arms, activities, synapses and signals of every round."""
    luck = iter(np.random.default_rng(seed).random((n_rounds, engine.n_games)))
    chances = np.random.default_rng(seed + 100).permutation(np.linspace(0.1, 0.6, engine.n_arms))
    arms, found = [], []

    def pull(chosen):
        arms.append(chosen.copy())
        lasting = [*engine.synapses.values(), *engine.signals.values()]
        found.append(np.concatenate([engine.activity.ravel(), *(x.ravel() for x in lasting)]))
        return (next(luck) < chances[chosen]).astype(float)

    engine.play(pull, n_rounds)
    return np.array(arms), np.array(found)


def agree(network, rounds):
    assert (network[0] == rounds[0]).all()
    assert rounds[1] == pytest.approx(network[1], abs=1e-9)
