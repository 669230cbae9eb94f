"""Spiking games small enough to test with."""

from contextlib import contextmanager

import numpy as np
from targets import brian2_target

from nsa_brian import Parameter, Pool, SpikingModel, SpikingNSA, load
from nsa_brian.spiking.rounds import SpikingRounds
from nsa_brian.spiking.shipped import SPIKING

DT = 0.5e-3
#: Few neurons, short phases, and synapses that forget in time.
SMALL = {"neurons": 5, "input_time": 100, "free_time": 200, "reading_time": 100}

#: All that a declaration can have: a pool with Poisson background, couplings by spikes of the step before, no
#: refractory time in V's and U's neurons, learning by spikes; and no coupling that has to be found first.
OWN = SpikingModel(
    name="own",
    neuron="""
        dx/dt = (drive - x + 0.3 * noise) / tau : 1
        dq/dt = -q / (20 * ms) : 1
    """,
    u="drive = 2 * I + 4 * spiked_v + 3 * q_v - inhibition * y_shared + push * choice : 1",
    v="drive = strength * gain * (q_u + spiked_u) - inhibition * y_shared + push * choice : 1",
    threshold="x > 1",
    reset="x = 0; q += 0.4 * (1 - q)",
    refractory="",
    initial={"x": "0.1"},
    pools=(
        Pool(
            "shared",
            """
                dx/dt = (3 * q_u + 2 * q_v - y_shared - x) / (5 * ms) + 0.1 * n / dt : 1 (unless refractory)
                dy/dt = -y / (8 * ms) : 1
            """,
            threshold="x > 1",
            reset="x = 0; y += 1",
            refractory="2 * ms",
            poisson={"n": "background"},
            neurons="n_shared",
        ),
    ),
    gain="Phi_v",
    flips="b += int(chance < Phi_eta) * int(since_pre < 50 * ms) * int(since_post < 50 * ms) * (R - b)",
    parameters=(
        Parameter("tau", 10, "ms"),
        Parameter("inhibition", 0.2),
        Parameter("strength", 4),
        Parameter("push", 3),
        Parameter("background", 300, "Hz"),
        Parameter("n_shared", 3),
        Parameter("outcome_time", 60, "ms"),
    ),
    critical="",
)


def small(model=SPIKING, **changes):
    """Parameters of few neurons and short phases."""
    return model.complete(load().parameters).replace(**{**SMALL, **changes})


def unfound(model):
    """The same with couplings and background as they are declared, which saves finding them."""
    return model.change(critical="", homeostasis="")


@contextmanager
def interpreted():
    """Brian2 without its C++ compiler, which takes half a minute for a network of spiking neurons."""
    with brian2_target("numpy"):
        yield


def both(n_arms, parameters, n_games, **options):
    """The two engines, compiled and Brian2's; the first one finds what there is to be found."""
    rounds = SpikingRounds(n_arms, parameters, n_games, record=True, **options)
    with interpreted():
        network = SpikingNSA(n_arms, parameters, n_games, **options)
    return rounds, network


def spikes_of_rounds(rounds, population):
    """Pairs of time step and neuron, the neurons of all games counted through."""
    found = set()
    for game in range(rounds.n_games):
        t, i = rounds.spikes(population, game)
        first = game * rounds.games.neurons[population]
        found |= {(round(time / DT), first + neuron) for time, neuron in zip(t, i.tolist(), strict=True)}
    return found


def spikes_of_network(t, i):
    """The same of a decision's spikes."""
    return set(zip(np.rint(t / DT).astype(int).tolist(), i.tolist(), strict=True))
