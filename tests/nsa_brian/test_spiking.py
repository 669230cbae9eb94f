"""Spiking models: firing that lasts or dies as the rate model's activity does, and games worth playing."""

import dataclasses
import json

import brian2
import numpy as np
import pytest
from brian2 import ms
from spiking import interpreted, small, unfound
from targets import on_target

import envs
from experiments import play
from experiments.core.functions import respond
from experiments.core.metrics import regret
from experiments.core.settings import PlaySettings
from experiments.studies.decision import network as decision_network
from experiments.studies.decision import statistics
from experiments.studies.decision.study import STUDY as DECISION
from nsa_brian import NSA, ParameterSet, SpikingNSA, load
from nsa_brian.common.game_streams import streams
from nsa_brian.engines.network import NSANetwork
from nsa_brian.model.model import Model
from nsa_brian.spiking.rounds import SpikingRounds
from nsa_brian.spiking.shipped import EI, MODELS, SPIKING

DEFAULT = load().parameters
#: The coupling as it is declared, so that the network needs no compiler to find it.
PLAIN = unfound(SPIKING)


def network(n_arms=3, n_games=1, **options):
    options = {"parameters": small(PLAIN), "rng": streams(0, "agent", range(n_games)), "model": PLAIN, **options}
    with interpreted():
        return SpikingNSA(n_arms, n_games=n_games, **options)


@pytest.fixture(scope="module")
def left():
    """Firing left of U and V for weights from 0 to w_max, in 46 games, four rounds of each."""
    w = np.linspace(0, DEFAULT.w_max, 46)
    engine = SpikingRounds(2, DEFAULT, len(w), model=SPIKING, seed=0)
    engine.set_weights(np.column_stack([w, 0 * w]))
    found = []
    for _ in range(4):
        engine.respond()
        found.append(engine.activity[:, :, 0].copy())
    return w, np.mean(found, axis=0)


def test_activity_dies_for_weak_weights_and_lasts_for_strong_ones(left):
    w, rates = left
    w_star = float(respond(DEFAULT, 2001)["critical"])
    assert (rates[:, w < 0.8 * w_star] < 6).all()
    assert (rates[:, w > 1.2 * w_star] > 15).all()


def test_lasting_activity_is_graded():
    """With a set whose values rise above the critical weight; those of the default set hardly do."""
    parameters = load("evolved").parameters
    w_star = float(respond(parameters, 2001)["critical"])
    w = np.repeat([1.12 * w_star, parameters.w_max], 100)
    engine = SpikingRounds(2, parameters, len(w), model=SPIKING, seed=0)
    engine.set_weights(np.column_stack([w, 0 * w]))
    engine.respond()
    rates = engine.activity[:, :, 0].reshape(2, 2, 100)  # population, weight, game
    errors = rates.std(axis=2) / 10
    assert (rates[:, 1].mean(axis=1) - rates[:, 0].mean(axis=1) > 4 * np.hypot(*errors.T)).all()
    assert (rates < 100).all()


def test_a_decision_tells_its_spikes_and_the_rates_read_from_them():
    engine = network()
    engine.set_weights(np.array([0, DEFAULT.w_max, 0]))
    for _ in range(2):  # the second is told from its own start as well
        with interpreted():
            decision = engine.decide()
        for t, i, rates in ((decision.t_u, decision.i_u, decision.u), (decision.t_v, decision.i_v, decision.v)):
            assert 0 <= t.min() <= t.max() < 0.3
            counted = np.bincount(i[t >= 0.2 - 1e-9] // 5, minlength=3) / (5 * 0.1)
            assert rates == pytest.approx(counted)
    assert (engine.w == [[0, DEFAULT.w_max, 0]]).all()


@pytest.mark.slow
def test_a_neuron_left_alone_fluctuates_by_sigma():
    alone = small(PLAIN, neurons=200, V_th=1e6, I_0=0, I_in=1e-9, free_time=300)
    engine, found = network(2, parameters=alone), []
    engine.network.add(brian2.NetworkOperation(lambda: found.append(engine.U.vm / brian2.mV), dt=20 * ms))
    with interpreted():
        for _ in range(4):
            engine.respond()
    settled = np.array(found).reshape(4, 20, 400)[:, 6:]  # each round begins at rest
    assert settled.mean() == pytest.approx(-70, abs=0.15)
    assert settled.std() == pytest.approx(5, rel=0.03)


def test_the_option_sees_the_mean_of_its_neurons_synapses():
    engine = network(n_games=2)
    engine.set_weights(np.array([0, DEFAULT.w_max, 0]))
    groups = {"s_u_in_v": engine.U, "s_v_in_u": engine.V}
    means, summed = [], []
    for when, what in (
        ("before_groups", lambda: means.append([g.s[:].reshape(6, -1).mean(axis=1) for g in groups.values()])),
        ("after_groups", lambda: summed.append([np.array(getattr(engine.options, name)) for name in groups])),
    ):
        engine.network.add(brian2.NetworkOperation(what, dt=5 * ms, when=when))
    with interpreted():
        engine.respond()
    assert np.max(summed) > 0.1
    assert np.array(summed) == pytest.approx(np.array(means), abs=1e-12)


def game(engine, n_rounds, repetitions):
    bandit = envs.make("MAB-P", engine.n_arms, n_games=engine.n_games, trial_rounds=n_rounds)
    bandit.reset(streams(0, "bandit", repetitions))
    tape = []

    def pull(arms):
        tape.append((arms.copy(), engine.activity.copy()))
        return bandit.pull(arms)

    engine.play(pull, n_rounds)
    return np.array([arms for arms, _ in tape]), np.array([rates for _, rates in tape])


def compiled(n_games=1, **options):
    options = {"rng": streams(0, "agent", range(n_games)), **options}
    return SpikingRounds(3, small(), n_games, model=SPIKING, **options)


@pytest.mark.parametrize(
    ("make", "n_rounds"), [(compiled, 12), pytest.param(network, 2, marks=pytest.mark.slow)], ids=["rounds", "network"]
)
def test_same_seed_same_game_alone_or_in_company(make, n_rounds):
    with interpreted() if make is network else _nothing():
        arms, rates = game(make(n_games=3), n_rounds, range(3))
        for first in range(3):
            repetition = range(first, first + 1)
            alone = game(make(rng=streams(0, "agent", repetition)), n_rounds, repetition)
            assert (alone[0][:, 0] == arms[:, first]).all()
            assert (alone[1][:, :, 0] == rates[:, :, first]).all()
    assert len({rates[:, :, i].tobytes() for i in range(3)}) == 3


class _nothing:  # noqa: N801  # stands where interpreted() does
    def __enter__(self):
        pass

    def __exit__(self, *error):
        pass


def test_brian2s_own_random_numbers_preferences_and_device_are_left_alone():
    engine, watched, group = compiled(), network(), brian2.NeuronGroup(3, "x : 1")
    before, device, drawn = brian2.prefs.as_file, brian2.get_device(), []
    for runs in ((), (engine, watched)):
        brian2.seed(4)
        with interpreted():
            for each in runs:
                each.respond()
            group.x = "rand()"
        drawn.append(group.x[:])
    assert (drawn[0] == drawn[1]).all()
    assert brian2.prefs.as_file == before
    assert brian2.get_device() is device


def test_untrained_it_explores_all_arms():
    agent = NSA(4, small(), model=SPIKING, seed=0, n_games=50)
    assert set(agent.select_arm()) == {0, 1, 2, 3}
    assert 0 < agent.engine.agreed.mean() < 0.6  # one in four by chance


def test_recorded_spikes_are_those_of_all_rounds():
    engine = network(record=True)
    with interpreted():
        engine.play(lambda arms: np.ones(1), 2)
        t = np.array(engine.spikes["U"].t / ms)
        assert {int(x // 300) for x in t} == {0, 1}
        assert engine.spikes["V"].num_spikes > 0
        decision = engine.decide()
    assert len(decision.t_u) == engine.spikes["U"].num_spikes - len(t)


def test_compiled_rounds_keep_their_last_spikes_if_asked_to():
    engine = compiled(n_games=2, record=True)
    engine.respond()
    for game in range(2):
        t, i = engine.spikes("u", game)
        counted = np.bincount(i[t >= 0.2 - 1e-9] // 5, minlength=3) / (5 * 0.1)
        assert engine.u[game] == pytest.approx(counted)
    with pytest.raises(ValueError, match="there is no population 'w'; known: u, v"):
        engine.spikes("w")
    with pytest.raises(ValueError, match="spikes were not recorded; pass record=True to the engine"):
        compiled().spikes("u")


def test_a_short_game_beats_chance():
    p, rng, pulled = np.array([0.15, 0.85]), np.random.default_rng(0), []
    engine = SpikingRounds(2, DEFAULT, 10, model=SPIKING, seed=0)

    def pull(arms):
        pulled.append(arms.copy())
        return rng.random(10) < p[arms]

    engine.play(pull, 60)
    better = np.mean(pulled, axis=0)  # the share of the better arm, of each game
    assert better.mean() > 0.7
    assert (better > 0.5).sum() >= 9


BAD = {
    "neurons": ({"neurons": 0}, "neurons must be a number from 1 to 100000, got 0"),
    "tau_s": ({"tau_s": 0}, "tau_s must be a number above 0, got 0"),
    "a text": ({"g_L": "25"}, "g_L must be a number above 0, got '25'"),
    "nan": ({"E_L": float("nan")}, "E_L must be any finite number, got nan"),
    "opening": ({"opening": 1.5}, r"opening must be a number from 0 to 1, got 1\.5"),
    "sigma": ({"sigma": -1}, "sigma must be a number from 0 to 100, got -1"),
    "top": ({"top": 1}, r"top must be a number from 1\.0001 to 100, got 1"),
    "a name": ({"J_w": 1}, r"unknown parameter 'J_w'; did you mean J_v\?"),
}


@pytest.mark.parametrize(("values", "message"), BAD.values(), ids=BAD)
def test_values_that_make_no_sense_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        NSA(2, {**DEFAULT.to_dict(), **values}, model=SPIKING)


def test_the_name_of_the_engine_that_was_means_the_model():
    agent = NSA(2, engine="spiking", seed=0)
    assert repr(agent) == "NSA(n_arms=2, model='spiking', engine='rounds')"
    with pytest.raises(ValueError, match="the engine table cannot run the model spiking: its neurons spike"):
        NSA(2, engine="table", model="spiking")
    with pytest.raises(ValueError, match="model must be a Model"):
        SpikingRounds(2, model=MODELS)
    assert all(isinstance(model, Model) and model.structure.spikes for model in MODELS.values())


GAME = ["--arms", "2", "--trials", "1", "--rounds", "3", "--repetitions", "2", "--agents", "nsa"]
GAME += ["--no-figures", "--json"]


def test_the_command_plays_them(nsa, tmp_path):
    SPIKING.change(name="mine", parameters=[SPIKING.declared[name] for name in ("tau_s",)]).save(tmp_path / "mine.json")
    (tmp_path / "mine.py").write_text(
        "from nsa_brian.spiking.shipped import SPIKING\nMODEL = SPIKING.change(name='mine')\n"
    )
    told = [nsa("play", *chosen, *GAME, cwd=tmp_path) for chosen in CHOSEN]
    settings = [json.loads(text)["settings"] for text in told]
    assert {each["engine"] for each in settings} == {"rounds"}
    assert [each["model"]["name"] for each in settings] == ["spiking", "spiking", "mine", "mine"]


CHOSEN = (["--model", "spiking"], ["--engine", "spiking"], ["--model", "mine.py"], ["--model", "mine.json"])


@pytest.mark.slow
def test_workers_change_the_time_only():
    settings = PlaySettings(
        arms=3, trials=1, rounds=20, repetitions=3, agents=("nsa",), nsa=ParameterSet(DEFAULT, model=SPIKING)
    )
    one, two = (play.run(settings, workers).records["nsa"] for workers in (1, 2))
    assert (one.arms == two.arms).all()


@pytest.mark.slow
def test_a_decision_is_watched_from_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr(statistics, "GAMES", 4)
    monkeypatch.setattr(decision_network, "NSANetwork", on_target(NSANetwork, "numpy"))
    model = SPIKING.change(name="few", parameters=[dataclasses.replace(SPIKING.declared["neurons"], default=5)])
    model.save(tmp_path / "few.json")
    chosen = {"model": str(tmp_path / "few.json"), "after": (0, 6), "rounds": 6, "arms": 3}
    settings = dataclasses.replace(DECISION.presets["paper"], **chosen)
    results, _ = DECISION.run(settings, tmp_path)
    found = results.summary
    assert found.critical_weight.spiking == pytest.approx(found.critical_weight.rate, rel=0.15)
    assert "critical weight" in results.tables[0].text()
    assert "CV2" in results.tables[1].text()
    for kind in ("untrained", "trained", "beside"):
        for population in ("u", "v"):
            told = found.statistics[kind][population]
            assert set(told) == {"rate", "cv", "cv2", "fano"}
            late = told["rate"]["spontaneous" if kind == "untrained" else "persistent"]
            assert late["low"] <= late["mean"] <= late["high"]
    assert found.statistics["trained"]["v"]["rate"]["persistent"]["mean"] > 15
    json.dumps(found.to_json())
    assert len(DECISION.draw(results).axes) >= 4 * 2 + 2


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_regret_is_near_the_rate_models_and_far_from_chance(name):
    settings = PlaySettings(arms=5, trials=1, rounds=300, repetitions=10, agents=("nsa", "random"))
    rate = play.run(settings).records
    chosen = dataclasses.replace(settings, model=MODELS[name].to_dict(), agents=("nsa",))
    spiking = play.run(chosen).records["nsa"]
    assert regret(spiking).mean() < regret(rate["nsa"]).mean() + 0.05
    assert regret(spiking).mean() < regret(rate["random"]).mean() - 0.05


@pytest.mark.slow
@pytest.mark.parametrize("n_arms", [5, 10])
def test_excitation_and_inhibition_fire_as_cortex_does(n_arms):
    games = PlaySettings(arms=n_arms, agents=("nsa",), nsa=ParameterSet(DEFAULT, model=EI))
    found = statistics.summarise(statistics.measure(games)["found"])
    for population in ("u", "v"):
        assert 1 < found["untrained"][population]["rate"]["spontaneous"]["mean"] < 8
        assert 15 < found["trained"][population]["rate"]["persistent"]["mean"] < 60
        assert found["trained"][population]["cv"]["low"] > 0.6
