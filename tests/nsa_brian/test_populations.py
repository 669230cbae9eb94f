"""Populations, signals, inputs and phases: the order of a round's end, random numbers, models as data."""

import copy
import json
import pickle
import warnings

import numpy as np
import pytest
from selection import mostly_slow
from targets import brian2_target

from nsa_brian import (
    NSA,
    Balance,
    Choice,
    Contacts,
    Coupling,
    Critical,
    Input,
    Model,
    NSANetwork,
    NSAParameters,
    Parameter,
    Phase,
    Population,
    RateMap,
)
from nsa_brian.engines.columns import ColumnRounds
from nsa_brian.engines.rounds import Rounds

SHORT = NSAParameters(tau_u=12, tau_v=16, duration_input=40, duration_free=40)
RATE = "du/dt = (-u + I_u + I{0}{{noise}}) / tau_u : 1"

EQUATIONS = "dm/dt = (-m + 4 * I_v + 0.2 * z + 0.1 * y) / (6 * ms) : 1 (unless refractory)\nds/dt = -s / (10 * ms) : 1"
FIRES = Population(
    "v", EQUATIONS, "option", "size_v", "m > 0.5", "m = 0; s += 0.3", "2 * ms", {"m": "0.1"}, ("s",), ("z",),
    {"y": "(100 + 50 * I) * Hz"},
)  # fmt: skip
OF_GAME = Population("pool", "dp/dt = (-p + into + drug) / (10 * ms) : 1", "game", initial={"p": "0.1"})

#: One with something in every field that models of 0.2 did not have.
EVERYTHING = Model(
    name="everything",
    populations=(FIRES, OF_GAME),
    couplings=(Coupling("v", "pool", "into", "s_pre", over="mean"), Coupling("pool", "u", "G", "0.1 * p_pre")),
    rate_u=RATE.format(" - G + 0.1 * light + 0.1 * cue"),
    drive_u="2 * s_pre",
    synapse="n : 1",
    signals="q : 1",
    signal_update="q += 0.1 * (R - q) * agreed",
    plasticity="w += chosen * Phi_eta * (R * w_max - w) * (1 + q)\nn += 0.1 * chosen",
    initial={"n": "0.5", "q": "0.2"},
    inputs=(Input("light", "option", "", 0.1), Input("drug", "game")),
    phases=(
        Phase("cue", "10 * ms", {"cue": "1"}),
        Phase("input", "duration_input", {"I": "I_ext"}),
        Phase("out", "10 * ms", after_choice=True),
    ),
    choice=Choice("u + 0.1 * n", "s_v", "", "never", "w + n"),
    parameters=(Parameter("size_v", 3),),
)
TWO = {"neurons": 2, "threshold": "m > 1", "reset": "m = 0; s += 1", "per": "option"}
CONTACTS = Model(
    name="contacts",
    populations=(
        Population("u", "dm/dt = (-m + 4 * I_u + 3 * I) / (6 * ms) : 1\nds/dt = -s / ms : 1", **TWO),
        Population("v", "dm/dt = (-m + 4 * I_v) / (6 * ms) : 1\nds/dt = -s / ms : 1", **TWO),
    ),
    drive_u="s_pre",
    drive_v="gain * s_pre",
    synapse="gain = Phi_v / Phi_star : 1",
    contacts=Contacts("b : 1", "b = R * int(since_pre < 9 * ms)"),
    phases=(Phase("input", "duration_input", {"I": "1"}), Phase("out", "10 * ms", after_choice=True)),
    choice=Choice(window="duration_input"),
    plasticity="w = b * w_max",
    prepare=(RateMap(), Balance("back", to="rate"), Critical("strength")),
    parameters=(Parameter("back", 3, "Hz"), Parameter("rate", 2, "Hz"), Parameter("strength", 1)),
)


# Signals -------------------------------------------------------------------------------------------------------------

SIGNAL = Model(
    synapse="n : 1",
    signals="last : 1\nrounds : 1\ntold : 1",
    signal_update="last = w_chosen\nrounds += 1\ntold = agreed + 10 * u_chosen",
    plasticity="w += chosen * (R + 10 * rounds)\nn = last + 100 * rounds",
)


@pytest.mark.parametrize("make", [NSANetwork, Rounds])
def test_signals_change_before_learning_and_see_what_was_there_before_it(make, without_compiler):
    engine = make(3, SHORT, 2, rng=np.random.default_rng(0), model=SIGNAL)
    engine.set_weights(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    engine.respond()
    engine.select()
    engine.agreed = np.array([True, False])
    u = engine.u.copy()
    engine.learn(np.array([1, 2]), np.array([1.0, 0.0]))
    assert engine.signals["last"].tolist() == [2, 6]  # of the chosen options, before they learnt
    assert engine.signals["rounds"].tolist() == [1, 1]
    assert engine.signals["told"] == pytest.approx([1 + 10 * u[0, 1], 10 * u[1, 2]])
    assert engine.w.tolist() == [[1, 2 + 1 + 10, 3], [4, 5, 6 + 10]]  # which knew that a round had passed
    assert engine.synapses["n"].tolist() == [[102.0] * 3, [106.0] * 3]
    assert engine.chosen("w").tolist() == [13, 16]
    assert engine.chosen("u") == pytest.approx(u[[0, 1], [1, 2]])
    assert engine.chosen("rounds").tolist() == [1, 1]
    engine.reset()
    assert all((array == 0).all() for array in engine.signals.values())


def test_signals_start_where_initial_says(without_compiler):
    model = Model(signals="q : 1", signal_update="q = 0.5 * q", initial={"q": "w_max / 2"})
    for make in (NSANetwork, Rounds):
        engine = make(3, SHORT, 2, model=model)
        assert (engine.signals["q"] == SHORT.w_max / 2).all()
        engine.respond()
        engine.learn(np.array([0, 1]), np.ones(2))
        assert (engine.signals["q"] == SHORT.w_max / 4).all()
        engine.reset()
        assert (engine.signals["q"] == SHORT.w_max / 2).all()


# Inputs --------------------------------------------------------------------------------------------------------------

TOLD = Model(
    inputs=(Input("light", default=0.5), Input("drug", "game", "mV", default=2.0)),
    rate_u=RATE.format(" + light + drug / volt"),
    synapse="seen : 1\ntold : 1",
    plasticity="w += chosen * R\nseen = light\ntold = drug / mV",
)


def schedule(make, inputs, n_games=2, n_rounds=4):
    """What options and games are told, round by round."""
    engine = make(3, SHORT, n_games, rng=np.random.default_rng(0), model=TOLD, inputs=inputs)
    found = []
    for _ in range(2):
        for _ in range(n_rounds):
            engine.respond()
            engine.learn(np.zeros(n_games, dtype=int), np.ones(n_games))
            found.append([engine.synapses[name].copy() for name in ("seen", "told")])
        engine.reset()
    return np.array(found)


@pytest.mark.parametrize("make", [NSANetwork, Rounds])
def test_inputs_follow_their_schedule_and_then_their_defaults(make, without_compiler):
    light = np.arange(6.0).reshape(2, 3) / 10
    drug = np.array([[1.0, 3.0], [5.0, 7.0], [9.0, 11.0]])
    found = schedule(make, {"light": light, "drug": drug})
    for game in range(2):
        assert found[:2, 0, game] == pytest.approx(light)
        assert (found[2:4, 0, game] == 0.5).all()
        assert found[:3, 1, game] == pytest.approx(np.repeat(drug[:, game], 3).reshape(3, 3))
        assert found[3, 1, game] == pytest.approx(2.0)
    assert (found[4:] == found[:4]).all()  # a reset goes back to the first round


@pytest.mark.parametrize("make", [NSANetwork, Rounds])
def test_inputs_of_each_game(make, without_compiler):
    light = np.random.default_rng(0).random((4, 2, 3))
    found = schedule(make, {"light": light})
    assert found[:4, 0] == pytest.approx(light)
    assert found[:, 1] == pytest.approx(2.0)


def test_inputs_change_what_neurons_do(without_compiler):
    for make in (NSANetwork, Rounds):
        engine = make(3, SHORT, model=TOLD, inputs={"light": np.array([[0.0, 1.0, 2.0]])})
        engine.respond()
        assert (np.diff(engine.u[0]) > 0.1).all()


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"ligth": np.zeros((2, 3))}, "has no input 'ligth'; did you mean light?"),
        ({"light": np.zeros((2, 4))}, r"input light must be of shape \(rounds, 3\) or \(rounds, 2, 3\), got \(2, 4\)"),
        ({"drug": np.zeros((2, 3))}, r"input drug must be of shape \(rounds,\) or \(rounds, 2\), got \(2, 3\)"),
        ({"light": np.full((2, 3), np.nan)}, "input light must be finite numbers"),
        ({"light": "on"}, "input light must be finite numbers, got 'on'"),
        ([3], "inputs must be a mapping of names to arrays"),
    ],
)
def test_bad_inputs_are_refused(inputs, said):
    with pytest.raises(ValueError, match=said):
        Rounds(3, SHORT, 2, model=TOLD, inputs=inputs)


# Random numbers ------------------------------------------------------------------------------------------------------

NOISY = {
    "rate noise": Model(noise=0.1),
    "noise of a third population": Model(
        rate_u=RATE.format(" - h_third"),
        populations=(Population("third", "dh/dt = (-h + u_u + z) / (20 * ms) : 1", "option", normal=("z",)),),
    ),
    "noise of a game": Model(
        rate_u=RATE.format(" - p_pool"),
        populations=(Population("pool", "dp/dt = (-p + u_u + z) / (20 * ms) : 1", "game", normal=("z",)),),
    ),
    "neurons that fire": Model(
        populations=(FIRES,), drive_u="2 * s_pre", parameters=(Parameter("size_v", 3),), choice=Choice(v="s_v")
    ),
}


def engine_of(name, model):
    if name == "network":
        return NSANetwork
    return Rounds if model.structure.single else ColumnRounds


@pytest.mark.parametrize("name", mostly_slow(NOISY, "neurons that fire"))
def test_network_and_rounds_draw_the_same_numbers(name):
    model, found = NOISY[name], []
    for engine in ("network", "rounds"):
        with brian2_target("numpy" if engine == "network" else "auto"):
            made = engine_of(engine, model)(3, SHORT, 2, rng=np.random.default_rng(3), model=model)
            arms, luck = [], iter(np.random.default_rng(4).random((6, 2)))

            def pull(chosen, arms=arms, luck=luck):
                arms.append(chosen.copy())
                return (next(luck) < 0.5).astype(float)

            made.play(pull, 6)
            found.append((np.array(arms), made.activity.copy(), made.w.copy()))
    assert (found[0][0] == found[1][0]).all()
    for a, b in zip(found[0][1:], found[1][1:], strict=True):
        assert a == pytest.approx(b, abs=1e-9)
    assert np.ptp(found[0][1]) > 0


@pytest.mark.parametrize("engine", ["network", "rounds"])
@pytest.mark.parametrize("name", mostly_slow(NOISY, "rate noise", "neurons that fire"))
def test_a_game_with_random_numbers_does_not_depend_on_those_beside_it(name, engine):
    from nsa_brian.common.game_streams import streams

    model = NOISY[name]
    with brian2_target("numpy" if engine == "network" else "auto"):
        make = engine_of(engine, model)
        alone = make(3, SHORT, 1, rng=streams(0, "a", range(1, 2)), model=model)
        batch = make(3, SHORT, 3, rng=streams(0, "a", range(3)), model=model)
        for each in (alone, batch):
            for _ in range(2):
                each.respond()
                each.learn(np.zeros(each.n_games, dtype=int), np.ones(each.n_games))
            each.respond()
    assert (alone.activity[:, 0] == batch.activity[:, 1]).all()
    assert (batch.activity[:, 0] != batch.activity[:, 1]).any()


def test_numbers_of_neurons_are_the_same_in_all_games_of_a_batch():
    model = NOISY["neurons that fire"]
    sets = [NSAParameters(**SHORT.to_dict(), own={"size_v": n}) for n in (3, 4)]
    with pytest.raises(ValueError, match="size_v must be one whole number for all games, got 3 and 4"):
        ColumnRounds(3, sets, 2, model=model)
    for number, said in ((2.5, "must be one whole number for all games, got 2.5"), (0, "from 1 to 100000, got 0")):
        with pytest.raises(ValueError, match=said):
            ColumnRounds(3, NSAParameters(**SHORT.to_dict(), own={"size_v": number}), model=model)


# Models as data ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [EVERYTHING, CONTACTS, SIGNAL, TOLD], ids=lambda model: model.name)
class TestAsData:
    def test_json(self, model):
        record = json.loads(model.to_json())
        again = Model.from_dict(record)
        assert again == model
        assert again.to_dict() == record
        for name in ("signals", "signal_update", "contacts", "inputs", "phases", "choice", "prepare", "populations"):
            assert getattr(again, name) == getattr(model, name), name

    def test_pickle_and_copies(self, model):
        for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            assert again == model
            assert hash(again) == hash(model)
            assert again.structure.phases == model.structure.phases

    def test_change(self, model):
        renamed = model.change(name="other")
        assert renamed != model
        assert renamed.change(name=model.name) == model


@pytest.mark.parametrize(
    "changes",
    [
        {"signal_update": "q += 0.2 * (R - q) * agreed"},
        {"inputs": (Input("light", "option", "", 0.2), Input("drug", "game"))},
        {"choice": Choice("u + 0.1 * n", "s_v", "", "agreement", "w + n")},
        {"phases": (EVERYTHING.phases[0], Phase("input", "duration_free", {"I": "I_ext"}), EVERYTHING.phases[2])},
        {"populations": (FIRES, Population("pool", OF_GAME.equations, "game"))},
        {"couplings": (Coupling("v", "pool", "into", "s_pre"), EVERYTHING.couplings[1])},
        {"initial": {"n": "0.5", "q": "0.3"}},
        {"parameters": (Parameter("size_v", 4),)},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_models_that_differ_in_one_field_are_not_equal(changes):
    other = EVERYTHING.change(**changes)
    assert other != EVERYTHING
    assert Model.from_dict(other.to_dict()) == other


def test_change_drops_parameters_that_nobody_uses_any_longer():
    changed = EVERYTHING.change(
        populations=(Population("v", FIRES.equations, "option", 2, *["m > 1", "m = 0; s += 1", "2 * ms"], normal=("z",),
                                poisson={"y": "3 * Hz"}), OF_GAME)
    )  # fmt: skip
    assert changed.parameters == ()


def test_parts_are_values():
    for part in (FIRES, OF_GAME, *EVERYTHING.inputs, *EVERYTHING.phases, EVERYTHING.choice, CONTACTS.contacts):
        again = pickle.loads(pickle.dumps(part))
        assert again == part
        assert hash(again) == hash(part)
        assert type(part)(**part.to_dict()) == part


#: As release 0.2 stored it.
OLD = {
    "format": "nsa-model",
    "version": 1,
    "name": "old-pool",
    "rate_u": "du/dt = (-u + I_u + I - G{noise}) / tau_u : 1",
    "rate_v": "dv/dt = (-v + I_v{noise}) / tau_v : 1",
    "drive_u": "phi_v{pre}",
    "drive_v": "Phi_v * phi_u{pre}",
    "response": "\ns = 1 / (1 + exp(-gain * (x - offset))) : 1\nphi = s * int(s > threshold) : 1\n",
    "gaussian_sigmoid": "\nPhi = r / (1 + exp(-beta * (w - alpha))) + "
    "(1 - r) * exp(-(w - mu)**2 / (2 * sigma**2)) : 1\n",
    "synapse": "",
    "plasticity": "w + Phi_eta * (R * w_max - w)",
    "parameters": [
        {
            "name": "tau_p", "default": 10, "unit": "ms", "legal": [0.0, None], "search": None, "scale": "linear",
            "symbol": "", "meaning": "",
        },
        {
            "name": "strength", "default": 0.2, "unit": "", "legal": [None, None], "search": [0.0, 1.0],
            "scale": "linear", "symbol": "", "meaning": "",
        },
    ],
    "initial": {},
    "carried": ["p"],
    "lateral": [],
    "couplings": [
        {"source": "u", "target": "pool", "variable": "into", "drive": "phi_u_pre / n_arms", "to": "all"},
        {"source": "pool", "target": "u", "variable": "G", "drive": "strength * p_pre", "to": "all"},
    ],
    "populations": [{"name": "pool", "equations": "dp/dt = (-p + into) / tau_p : 1", "per": "game"}],
    "noise": 0.0,
}  # fmt: skip


def test_a_model_that_release_0_2_stored_is_read_and_stored_as_it_was():
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "population")
        model = Model.from_dict(json.loads(json.dumps(OLD)))
    assert model.to_dict() == OLD
    assert model.structure.of_games == ["pool"]
    assert model.structure.carried == ["p"]
    with pytest.warns(DeprecationWarning, match='write per="game" or per="option"'):
        implied = Population("pool", "dp/dt = (-p + into) / tau_p : 1")
    assert implied == model.populations[0]


def test_an_agent_plays_everything():
    """The model with something in every field, on both engines, with the same choices."""
    inputs = {"light": np.random.default_rng(0).random((3, 3)), "drug": np.array([0.1, 0.0, 0.3])}
    found = []
    for engine in ("network", "rounds"):
        with brian2_target("numpy" if engine == "network" else "auto"):
            agent = NSA(3, SHORT, engine, seed=1, model=EVERYTHING, inputs=inputs)
            arms = []
            for reward in (1, 0, 1, 1):
                arms.append(agent.select_arm())
                agent.update(arms[-1], reward)
            found.append((arms, agent.engine.w.copy(), agent.engine.signals["q"].copy()))
    assert found[0][0] == found[1][0]
    assert found[0][1] == pytest.approx(found[1][1], abs=1e-9)
    assert found[0][2] == pytest.approx(found[1][2], abs=1e-12)


@pytest.mark.slow
def test_a_pool_without_state_passes_on_what_many_neurons_send():
    pool = Population("pool", "p = into / 2 : 1", "game")
    couplings = (Coupling("v", "pool", "into", "s_pre", over="mean"), Coupling("pool", "u", "G", "0.5 * p_pre"))
    model = NOISY["neurons that fire"].change(
        populations=(FIRES, pool), couplings=couplings, rate_u=RATE.format(" - G"), drive_u="3 * s_pre"
    )
    found = []
    for engine in ("network", "rounds"):
        with brian2_target("numpy" if engine == "network" else "auto"):
            made = engine_of(engine, model)(3, SHORT, 2, rng=np.random.default_rng(3), model=model)
            for _ in range(2):
                made.respond()
            found.append(made.activity.copy())
    assert found[0] == pytest.approx(found[1], abs=1e-9)
    assert found[0].max() > 0


def test_two_populations_may_read_the_same_mean(without_compiler):
    """The network held the synapses of both under one name, and dropped those of one."""
    model = Model(
        rate_u=RATE.format(" - 0.2 * h_third - 0.2 * p_pool"),
        populations=(
            Population("third", "dh/dt = (-h + u_u) / (20 * ms) : 1", "option"),
            Population("pool", "dp/dt = (-p + u_u) / (10 * ms) : 1", "game"),
        ),
        plasticity="w + Phi_eta * (R * w_max - w) * (h + p)",
    )
    engines = [make(3, SHORT, 2, rng=np.random.default_rng(0), model=model) for make in (NSANetwork, Rounds)]
    for engine in engines:
        engine.set_weights(np.array([1.0, 2.0, 3.0]))
        engine.respond()
    network, rounds = engines
    assert network.activity == pytest.approx(rounds.activity, abs=1e-12)
    assert network.state("h") == pytest.approx(rounds.state("h"), abs=1e-12)
    assert network.state("h").min() > 0.01
