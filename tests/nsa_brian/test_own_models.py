"""Models of the new parts of the language that are none of the guide's: engines agree, round for round."""

import inspect

import numpy as np
import pytest
from games import SHORT, agree, game
from own_models import OWN_MODELS
from targets import brian2_target

from nsa_brian import NSANetwork
from nsa_brian.engines.registry import engine_class

#: Few neurons and short phases for the one that spikes; input that makes few neurons fire enough.
FEW = {"neurons": 6, "input_time": 60, "free_time": 80, "reading_time": 50, "I_in": 0.8, "J_v": 1.2, "J_u": 1.2}
N_ROUNDS = 30


def engines(make):
    model = make()
    few = {name: value for name, value in FEW.items() if name in model.declared}
    parameters = model.complete(SHORT).replace(**few)
    shapes = {"option": (N_ROUNDS, 2, 4), "game": (N_ROUNDS, 2)}
    rng = np.random.default_rng(3)
    inputs = {name: (rng.random(shapes[each.per]) < 0.3) * 0.9 for name, each in model.structure.inputs.items()}
    ways = {"model": model, **({"inputs": inputs} if inputs else {})}
    rounds = engine_class("rounds", model)(4, parameters, 2, rng=np.random.default_rng(1), **ways)
    with brian2_target("numpy"):
        network = NSANetwork(4, parameters, 2, rng=np.random.default_rng(1), **ways)
    if model.structure.spikes:  # few neurons need weights to respond at all
        for engine in (rounds, network):
            engine.set_weights(np.array([0.5, 2.0, 3.0, 4.0]))
    return rounds, network


@pytest.mark.parametrize("make", OWN_MODELS)
def test_a_model_takes_twenty_lines_at_most(make):
    written = [line for line in inspect.getsource(make).splitlines() if line.strip()][2:]  # but its name and what it is
    assert len(written) <= 20, len(written)
    assert max(map(len, written)) <= 120


@pytest.mark.slow
@pytest.mark.parametrize("make", OWN_MODELS)
def test_network_and_rounds_make_the_same_choices(make):
    rounds, network = engines(make)
    found = game(rounds, N_ROUNDS, 0)
    with brian2_target("numpy"):
        agree(game(network, N_ROUNDS, 0), found)
    assert len(np.unique(found[0])) > 1


@pytest.mark.slow
def test_and_so_does_every_spike():
    (rivals,) = (make for make in OWN_MODELS if make.__name__ == "rivals")
    rounds, network = engines(rivals)
    recorded = engine_class("rounds", rounds.model)(
        4, rounds.parameters[0], 2, rng=np.random.default_rng(1), model=rounds.model, record=True
    )
    for engine in (recorded, network):
        engine.set_weights(np.array([0.5, 2.0, 3.0, 4.0]))
    for _ in range(10):
        recorded.respond()
        with brian2_target("numpy"):
            decision = network.decide()
        for population in ("u", "v"):
            size = recorded.columns.neurons[population]
            ours = {
                (round(t / 0.5e-3), game * size + i)
                for game in range(2)
                for t, i in zip(*(x.tolist() for x in recorded.spikes(population, game)), strict=True)
            }
            times, cells = getattr(decision, f"t_{population}"), getattr(decision, f"i_{population}")
            theirs = set(zip(np.rint(times / 0.5e-3).astype(int).tolist(), cells.tolist(), strict=True))
            assert ours == theirs
            assert len(ours) > 20
