"""Both engines of spiking models: spike for spike the same, noise and all."""

import dataclasses
import re

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from spiking import OWN, both, interpreted, small, spikes_of_network, spikes_of_rounds, unfound

from nsa_brian import Parameter, SpikingNSA, check, load
from nsa_brian.spiking.rounds import SpikingRounds
from nsa_brian.spiking.shipped import MODELS

W = np.array([[0, 2.4, 3.1], [4.5, 1.2, 0.6]])
#: Input that makes few neurons fire enough.
DRIVEN = {
    "spiking": {"I_in": 0.8, "J_v": 1.2, "J_u": 1.2},
    "spiking-learning": {"I_in": 0.8, "J_v": 1.2, "J_u": 1.2, "I_choice": 0.8},
    "spiking-adex": {"I_in": 1.2, "J_v": 1.5},
    "spiking-ei": {"rate_x": 3000, "g_v": 90},
    "spiking-ei-learning": {"rate_x": 3000, "g_v": 90},
}


def agree_in_every_spike(model, parameters, n_rounds=2):
    """Rounds, with what is learnt between them; how many spikes U and V had."""
    rounds, network = both(3, parameters, 2, model=model, seed=0)
    rounds.set_weights(W)
    network.set_weights(W)
    n_spikes = np.zeros(2, dtype=int)
    for _ in range(n_rounds):
        rounds.respond()
        with interpreted():
            decision = network.decide()
        for place, key in enumerate("uv"):
            expected = spikes_of_network(getattr(decision, f"t_{key}"), getattr(decision, f"i_{key}"))
            assert spikes_of_rounds(rounds, key) == expected
            n_spikes[place] += len(expected)
        assert (rounds.activity == network.activity).all()
    return n_spikes


# Among the slow ones that with pools, whose code a compiler got wrong once; the model below has a pool too.
@pytest.mark.parametrize(
    "name", [name if name == "spiking" else pytest.param(name, marks=pytest.mark.slow) for name in MODELS]
)
def test_shipped_models_agree_in_every_spike(name):
    model = unfound(MODELS[name])
    assert (agree_in_every_spike(model, small(model, **DRIVEN[name])) > 20).all()


any_values = given(
    tau=st.floats(3, 15),
    inhibition=st.floats(0, 1),
    strength=st.floats(1, 10),
    background=st.floats(0, 3000),
    neurons=st.integers(1, 17),
    n_shared=st.integers(1, 9),
    input_time=st.integers(40, 100),
)


def drawn(n_examples):
    return settings(max_examples=n_examples, derandomize=True, deadline=None, phases=[Phase.explicit, Phase.generate])


@pytest.mark.parametrize("background", [0, 500, 20_000])
def test_many_and_few_poisson_events_are_the_same_in_both_engines(background):
    assert agree_in_every_spike(OWN, small(OWN, background=background, n_shared=9, input_time=40), n_rounds=1)[0] > 0


@pytest.mark.slow
@drawn(1)
@any_values
def test_a_model_of_ones_own_agrees_in_every_spike(**values):
    assert agree_in_every_spike(OWN, small(OWN, **values), n_rounds=1)[0] > 0


@pytest.mark.slow
@drawn(20)
@any_values
def test_a_model_of_ones_own_with_many_more_values_agrees_in_every_spike(**values):
    assert agree_in_every_spike(OWN, small(OWN, **values), n_rounds=1)[0] > 0


@pytest.mark.slow
def test_names_that_engines_use_for_themselves_can_be_ones_own():
    """Of a pool, of variables, of parameters in a reset: generated code has such names too, and keeps them apart."""
    names = {"q": "last", "y": "wait", "x": "free", "shared": "game", "0.4": "step", "inhibition": "block"}
    words = re.compile(rf"(\bd|\b|_)({'|'.join(map(re.escape, names))})(?=\b|_)")

    def renamed(text):
        return words.sub(lambda found: found[1] + names[found[2]], text)

    (pool,) = OWN.pools
    model = OWN.change(
        name="named",
        **{name: renamed(getattr(OWN, name)) for name in ("neuron", "u", "v", "threshold", "reset")},
        initial={"free": "0.1"},
        pools=dataclasses.replace(
            pool, name="game", **{name: renamed(getattr(pool, name)) for name in ("neuron", "threshold", "reset")}
        ),
        parameters=(Parameter("step", 0.4), Parameter("block", 0.2)),
    )
    assert (agree_in_every_spike(model, small(model)) == agree_in_every_spike(OWN, small(OWN))).all()


def test_a_pool_may_be_called_uv():
    model = OWN.change(
        name="uv",
        pools=dataclasses.replace(OWN.pools[0], name="uv", neuron=OWN.pools[0].neuron.replace("_shared", "_uv")),
        **{name: getattr(OWN, name).replace("_shared", "_uv") for name in "uv"},
    )
    with interpreted():
        engine = SpikingNSA(2, small(model), model=model, seed=0)
    assert {engine.pools["uv"].name, engine.UV.name} == {"nsa_spiking_uv", "nsa_spiking_UV"}


def test_without_a_compiler_only_the_network_runs():
    with interpreted():
        with pytest.raises(ValueError, match="neurons that spike, need compiled code, for the engine rounds"):
            SpikingRounds(3, small(OWN), model=OWN)
        engine = SpikingNSA(3, small(OWN), model=OWN, seed=0)
        engine.respond()
    assert engine.activity.shape == (2, 1, 3)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_the_check_says_that_they_agree(name):
    model = unfound(MODELS[name])
    found = check(model, small(model, **DRIVEN[name]), n_rounds=4)
    assert found.agree, str(found)
    assert "cannot run" in next(engine for engine in found.engines if engine.engine == "table").refusal


def test_games_of_different_parameters_are_each_as_if_alone():
    sets = [small(), small(I_0=0.2, tau_s=80), small(free_time=260, tau_ref=4), small(top=1.6)]
    seeds = [7, 8, 9, 10]

    def played(chosen):
        engine = SpikingRounds(3, [sets[i] for i in chosen], len(chosen), rng=_Side(seeds[i] for i in chosen))
        engine.set_weights(np.array([0, 2.5, 4.0]))
        found = []
        for _ in range(3):
            engine.respond()
            found.append(engine.activity.copy())
        return np.array(found)

    together = played(range(4))
    for i in range(4):
        assert (played([i])[:, :, 0] == together[:, :, i]).all()
    assert len({together[:, :, i].tobytes() for i in range(4)}) == 4


@pytest.mark.slow
def test_a_learning_rate_is_to_the_last_bit_what_it_is_alone():
    sets = [small(sigma_eta=2.759, mu_eta=1.0, r_eta=0.3), small(sigma_eta=0.4)]  # 2.759: numpy has two squares of it

    def rates(chosen):
        engine = SpikingRounds(7, chosen, len(chosen))
        engine.set_weights(np.linspace(0, 4, 7))
        return engine.static("Phi_eta")[0]

    assert (rates(sets) == rates(sets[:1])).all()


def test_games_of_one_kind_share_their_code_and_nothing_else():
    def engine(n_arms, **changes):
        found = SpikingRounds(n_arms, small(OWN, **changes), 2, model=OWN, seed=n_arms)
        found.set_weights(np.linspace(0, load().parameters.w_max, n_arms))
        return found

    def respond(games):
        games.respond()
        return games.activity.copy()

    kinds = [(3, {}), (5, {"tau": 12})]
    alone = []
    for n_arms, changes in kinds:
        games = engine(n_arms, **changes)
        alone.append([respond(games) for _ in range(3)])
    both = [engine(n_arms, **changes) for n_arms, changes in kinds]
    assert both[0].columns._run.func is both[1].columns._run.func
    found = [[respond(games) for games in both] for _ in range(3)]
    for i, of_kind in enumerate(alone):
        assert all((each[i] == expected).all() for each, expected in zip(found, of_kind, strict=True))
        assert np.any(of_kind)
    faster = OWN.change(name="faster", neuron=OWN.neuron.replace("tau :", "(0.5 * tau) :"))
    other = SpikingRounds(3, small(faster), 2, model=faster, seed=0)
    assert other.columns._run.func is not both[0].columns._run.func
    single = SpikingRounds(3, small(OWN), 2, model=OWN, seed=0, precision="single")
    assert single.columns._run.func is not both[0].columns._run.func


class _Side:
    """Streams side by side: the numbers of each game come from a generator of its own."""

    def __init__(self, seeds):
        self.each = [np.random.default_rng(seed) for seed in seeds]

    def random(self, size):
        return np.array([rng.random(size[1:]) for rng in self.each])

    def spawn(self, n_children):
        return [self] * n_children


def test_one_number_of_neurons_serves_all_games():
    with pytest.raises(ValueError, match="neurons must be one whole number for all games, got 5"):
        SpikingRounds(2, [small(), small(neurons=6)], 2)
    with pytest.raises(ValueError, match=r"neurons must be one whole number for all games, got 2\.5"):
        SpikingRounds(2, small(neurons=2.5))


def test_the_network_plays_one_set():
    SpikingRounds(3, [small(), small(I_0=0.2)], 2)  # finds the couplings, with the compiler
    with interpreted(), pytest.raises(ValueError, match="network plays all games with the same parameters; use rounds"):
        SpikingNSA(3, [small(), small(I_0=0.2)], 2)
