"""The spiking model: firing that lasts or dies as the rate model's activity does, and games worth playing."""

import dataclasses
import json

import brian2
import numpy as np
import pytest
from brian2 import ms

import envs
from experiments import play
from experiments.core.metrics import regret
from experiments.core.randomness import streams
from experiments.core.settings import PlaySettings
from experiments.studies.decision.study import STUDY as DECISION
from experiments.studies.response.functions import respond
from nsa_brian import NSA, SpikingNSA, SpikingParameters, load
from nsa_brian.engines.registry import engine_of
from nsa_brian.model.critical import critical
from nsa_brian.spiking.calibration import critical_current, critical_value
from nsa_brian.spiking.network import SpikingNetwork

SHIPPED = {name: load(name).parameters for name in ("minbandit-38", "minbandit-29", "evolved")}
DEFAULT = SHIPPED["minbandit-38"]

#: Fewer neurons and short phases, for what does not hang on them; a coupling of its own, to save the calibration.
SMALL = SpikingParameters(neurons=5, duration_input=100, duration_free=150, reading=100, J_v=2.7)


def small(n_arms=3, n_games=1, **options):
    options = {"spiking": SMALL, "rng": streams(0, "agent", range(n_games)), **options}
    return SpikingNSA(n_arms, n_games=n_games, **options)


@pytest.fixture(scope="module")
def left():
    """Firing left of U and V for weights from 0 to w_max, four options a weight, in one round."""
    w = np.linspace(0, DEFAULT.w_max, 46)
    engine = SpikingNSA(len(w), DEFAULT, n_games=4, seed=0)
    engine.set_weights(w)
    engine.respond()
    return w, engine.activity.copy()


def test_activity_dies_for_weak_weights_and_lasts_for_strong_ones(left):
    w, rates = left
    w_star = critical(w, respond(DEFAULT, 2001)["u"][np.linspace(0, 2000, 46).astype(int)])
    assert (rates[:, :, w < w_star - 0.15] == 0).all()
    assert (rates[:, :, w > w_star + 0.15] > 20).all()


def test_lasting_activity_is_graded_until_the_value_function_is_flat(left):
    w, rates = left
    means = rates.mean(axis=1)[:, (w > 3) & (w < 3.6)]
    assert (np.diff(means[1]) > 2).all()
    assert means[0, -1] > means[0, 0] + 3


def test_the_critical_weight_is_the_rate_models():
    for parameters in SHIPPED.values():
        expected = float(respond(parameters, 2001)["critical"])
        w = np.linspace(expected - 0.2, expected + 0.2, 101)
        engine = SpikingNSA(len(w), parameters, seed=1)
        engine.set_weights(w)
        engine.respond()
        silent = (engine.u[0] < 5).mean()
        assert w[0] + silent * np.ptp(w) == pytest.approx(expected, abs=0.01 * parameters.w_max)


def test_no_neuron_exceeds_150_hz_in_either_phase():
    engine = SpikingNSA(2, seed=2)
    engine.set_weights(np.array([0, DEFAULT.w_max]))
    decision = engine.decide()
    for t, i in ((decision.t_u, decision.i_u), (decision.t_v, decision.i_v)):
        for begin, end in ((0, 0.5), (0.5, 1.2)):
            counts = np.bincount(i[(t >= begin) & (t < end)], minlength=40)
            assert counts.max() / (end - begin) < 150


def test_a_decision_tells_its_spikes_and_the_rates_read_from_them():
    engine = small()
    engine.set_weights(np.array([0, DEFAULT.w_max, 0]))
    for _ in range(2):  # the second is told from its own start as well
        decision = engine.decide()
        assert (decision.arm, decision.agreed) == (1, True)
        for t, i, rates in ((decision.t_u, decision.i_u, decision.u), (decision.t_v, decision.i_v, decision.v)):
            assert 0 <= t.min() <= t.max() < 0.25
            counted = np.bincount(i[t >= 0.15] // SMALL.neurons, minlength=3) / (SMALL.neurons * 0.1)
            assert rates == pytest.approx(counted)
    assert (engine.w == [[0, DEFAULT.w_max, 0]]).all()


def test_a_neuron_left_alone_fluctuates_by_sigma():
    alone = SpikingParameters(neurons=200, V_th=1e6, I_ext=0, J_v=1, duration_input=300, duration_free=300)
    network = SpikingNetwork(1, 2, alone, np.random.default_rng(0))
    found = []
    network.network.add(brian2.NetworkOperation(lambda: found.append(network.U.vm / brian2.mV), dt=20 * ms))
    network.run(4)
    settled = np.array(found).reshape(4, 30, 400)[:, 5:]  # each round begins at rest
    assert settled.mean() == pytest.approx(-70, abs=0.1)
    assert settled.std() == pytest.approx(3, rel=0.03)


def test_the_option_sees_the_mean_of_its_neurons_synapses():
    engine = small(n_games=2)
    engine.set_weights(np.array([0, DEFAULT.w_max, 0]))
    groups = {"s_u": engine.network.U, "s_v": engine.network.V}
    means, summed = [], []
    for when, what in (
        ("before_groups", lambda: means.append([g.s[:].reshape(2, 3, -1).mean(axis=2) for g in groups.values()])),
        ("after_groups", lambda: summed.append([engine.network.option_values(name).copy() for name in groups])),
    ):
        engine.network.network.add(brian2.NetworkOperation(what, dt=5 * ms, when=when))
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


def test_same_seed_same_game_alone_or_in_company():
    arms, rates = game(small(n_games=3), 8, range(3))
    for first in range(3):
        repetition = range(first, first + 1)
        alone = game(small(rng=streams(0, "agent", repetition)), 8, repetition)
        assert (alone[0][:, 0] == arms[:, first]).all()
        assert alone[1][:, :, 0] == pytest.approx(rates[:, :, first])
    assert len({rates[:, :, i].tobytes() for i in range(3)}) == 3


def test_brian2s_own_random_numbers_are_left_alone():
    engine, group = small(), brian2.NeuronGroup(3, "x : 1")
    drawn = []
    for before in (lambda: None, engine.respond):
        brian2.seed(4)
        before()
        group.x = "rand()"
        drawn.append(group.x[:])
    assert (drawn[0] == drawn[1]).all()


def test_a_game_is_a_round_after_the_other():
    whole, stepwise = small(n_games=2), small(n_games=2)
    rewards = iter(np.random.default_rng(0).random((6, 2)) < 0.5)
    tape = []

    def pull(arms):
        tape.append((arms.copy(), whole.activity.copy(), next(rewards)))
        return tape[-1][2]

    whole.play(pull, 6)
    for arms, rates, reward in tape:
        stepwise.respond()
        assert (stepwise.activity == rates).all()
        assert (stepwise.select() == arms).all()
        stepwise.learn(arms, reward)
    assert stepwise.w == pytest.approx(whole.w, abs=1e-12)


def test_untrained_it_explores_all_arms():
    agent = NSA(4, engine="spiking", spiking=SMALL, seed=0, n_games=50)
    assert set(agent.select_arm()) == {0, 1, 2, 3}
    assert 0 < agent.engine.agreed.mean() < 0.6  # one in four by chance


def test_recorded_spikes_are_those_of_all_rounds():
    engine = small(record=True)
    engine.play(lambda arms: np.ones(1), 3)
    t = np.array(engine.spikes["U"].t / ms)
    assert {int(x // 250) for x in t} == {0, 1, 2}
    assert engine.spikes["V"].num_spikes > 0
    decision = engine.decide()
    assert len(decision.t_u) == engine.spikes["U"].num_spikes - len(t)


def test_leaves_the_users_preferences_and_device_alone():
    before, device = brian2.prefs.as_file, brian2.get_device()
    small().respond()
    assert brian2.prefs.as_file == before
    assert brian2.get_device() is device


def test_a_short_game_beats_chance():
    p, rng = np.array([0.15, 0.85]), np.random.default_rng(0)
    spiking = SpikingParameters(J_v=2.7, duration_input=200, duration_free=300, reading=150)
    engine, pulled = SpikingNSA(2, n_games=10, seed=0, spiking=spiking), []

    def pull(arms):
        pulled.append(arms.copy())
        return rng.random(10) < p[arms]

    engine.play(pull, 60)
    better = np.mean(pulled, axis=0)  # the share of the better arm, of each game
    assert better.mean() > 0.7
    assert (better > 0.5).sum() >= 9


BAD = {
    "neurons": ({"neurons": 0}, "neurons must be a whole number from 1 up, got 0"),
    "half a neuron": ({"neurons": 2.5}, "neurons must be a whole number from 1 up, got 2.5"),
    "tau_s": ({"tau_s": 0}, "tau_s must be above 0, got 0"),
    "a text": ({"g_L": "25"}, "g_L must be a number, in nS, got '25'"),
    "nan": ({"E_L": float("nan")}, "E_L must be a number, in mV, got nan"),
    "threshold": ({"V_th": -80}, "V_th must be above E_L and V_reset, got -80"),
    "opening": ({"opening": 1.5}, "opening must be at most 1, got 1.5"),
    "sigma": ({"sigma": -1}, "sigma must be from 0 up, got -1"),
    "reading": ({"reading": 900}, "reading must be at most duration_free, got 900"),
    "coupling": ({"J_v": 0}, "J_v must be above 0, got 0"),
}


@pytest.mark.parametrize(("values", "message"), BAD.values(), ids=BAD)
def test_values_that_make_no_sense_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        SpikingParameters(**values)


def test_time_steps_and_mixed_sets_are_refused():
    with pytest.raises(ValueError, match=r"dt must be above 0 ms and at most 5 ms, the shortest time, got 8 ms"):
        small(dt=8 * ms)
    with pytest.raises(ValueError, match="spiking engine plays all games with the same parameters"):
        SpikingNSA(3, list(SHIPPED.values())[:2], n_games=2, spiking=SMALL)


def test_a_rate_model_without_a_critical_weight_is_refused_before_playing():
    never = DEFAULT.replace(offset_v=5)
    with pytest.raises(ValueError, match="no critical weight"):
        critical_value(never)
    with pytest.raises(ValueError, match="no critical weight"):
        PlaySettings(engine="spiking", parameters=never.to_dict()).check()
    with pytest.raises(ValueError, match="outlasts the input for no currents"):
        critical_current(SpikingParameters(neurons=5, J_u=0.1, duration_input=100, reading=100))


def test_models_and_engines_that_do_not_go_together_are_refused():
    assert engine_of(None, None) is None
    assert engine_of("spiking", None) == engine_of("spiking", "spiking") == "spiking"
    assert engine_of("rate", "table") == "table"
    with pytest.raises(ValueError, match="the spiking model is run by spiking, not by engine 'rounds'"):
        engine_of("spiking", "rounds")
    with pytest.raises(ValueError, match="model must be one of rate, spiking, got 'spikes'"):
        engine_of("spikes", None)


def test_the_command_plays_it(nsa, tmp_path):
    game = ["--arms", "2", "--trials", "1", "--rounds", "3", "--repetitions", "2", "--agents", "nsa"]
    said = nsa("play", "--model", "spiking", *game, "--json", cwd=tmp_path)
    assert json.loads(said)["settings"]["engine"] == "spiking"


@pytest.mark.slow
def test_workers_change_the_time_only():
    settings = PlaySettings(arms=3, trials=1, rounds=20, repetitions=3, agents=("nsa",), engine="spiking")
    one, two = (play.run(settings, workers).records["nsa"] for workers in (1, 2))
    assert (one.arms == two.arms).all()


def test_a_decision_is_watched_from_the_command(tmp_path):
    settings = dataclasses.replace(DECISION.presets["paper"], after=(0, 6), rounds=6, arms=3, engine="spiking")
    results, _ = DECISION.run(settings, tmp_path)
    found = results.summary
    assert found.decisions[0].u_end == [0, 0, 0]
    assert found.critical_weight.spiking == pytest.approx(found.critical_weight.rate, abs=0.1)
    assert "critical weight" in results.tables[0].text()
    assert len(DECISION.draw(results).axes) == 4 * 2 + 2


@pytest.mark.slow
def test_regret_is_near_the_rate_models_and_far_from_chance():
    settings = PlaySettings(arms=5, trials=1, rounds=300, repetitions=10, agents=("nsa", "random"))
    rate = play.run(settings).records
    spiking = play.run(dataclasses.replace(settings, engine="spiking", agents=("nsa",))).records["nsa"]
    assert regret(spiking).mean() < regret(rate["nsa"]).mean() + 0.05
    assert regret(spiking).mean() < regret(rate["random"]).mean() - 0.05
