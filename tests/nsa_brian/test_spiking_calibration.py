"""From rates to spikes: the critical weight is kept, what has none is refused or mended."""

import dataclasses
from functools import partial

import numpy as np
import pytest
from brian2 import ms
from selection import mostly_slow
from spiking import OWN, interpreted, small

from experiments.core.functions import respond
from experiments.core.settings import PlaySettings
from nsa_brian import (
    MODELS,
    NSA,
    Balance,
    Critical,
    NSAParameters,
    ParameterSet,
    RateMap,
    SpikingNSA,
    load,
    preparation,
    prepare,
)
from nsa_brian.codegen.pairs import answers
from nsa_brian.engines.columns import ColumnRounds
from nsa_brian.model.critical import critical
from nsa_brian.preparation import LASTING, critical_value, gain_function
from nsa_brian.spiking.rounds import SpikingRounds
from nsa_brian.spiking.shipped import ADEX, EI, SPIKING

SHIPPED = ("minbandit-38", "minbandit-29", "evolved")


def measured(model, parameters, n_arms, n_rounds=4):
    """The weight from which on activity lasts, beside untrained options, and the rate model's."""
    expected = float(respond(parameters, 2001)["critical"])
    w = np.linspace(0.7 * expected, min(1.3 * expected, parameters.w_max), 101)
    engine = SpikingRounds(n_arms, parameters, len(w), model=model, seed=1)
    engine.set_weights(np.column_stack([w, *[0 * w] * (n_arms - 1)]))
    lasts = []
    for _ in range(n_rounds):
        engine.respond()
        lasts.append((engine.activity[:, :, 0] > LASTING).all(axis=0))
    return w[0] + (1 - np.mean(lasts)) * np.ptp(w), expected


@pytest.mark.parametrize("name", mostly_slow(SHIPPED, "evolved"))
def test_the_critical_weight_is_the_rate_models(name):
    found, expected = measured(SPIKING, load(name).parameters, 2)
    assert found == pytest.approx(expected, rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("model", [EI, ADEX], ids=lambda model: model.name)
@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("n_arms", [5, 10])
def test_the_critical_weight_is_the_rate_models_for_all_neurons(model, name, n_arms):
    found, expected = measured(model, load(name).parameters, n_arms)
    assert found == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize("name", SHIPPED)
def test_the_gain_has_three_fixed_points_and_rises_with_the_value(name):
    parameters = SPIKING.complete(load(name).parameters)
    (values,) = prepare(SPIKING, [parameters], 2)
    star, top = values["Phi_star"], values["Phi_top"]
    kappa = (top / star - values["top"]) / (top / star * (values["top"] - 1))
    value = np.linspace(0, top, 101)
    gain = (1 + kappa) * value / (star + kappa * value)
    assert (gain[0], gain[-1]) == pytest.approx((0, parameters.top))
    assert np.interp(star, value, gain) == pytest.approx(1, abs=0.01)
    assert (np.diff(gain) > 0).all()
    w = np.linspace(0, parameters.w_max, 400)
    assert gain_function(SPIKING, values)(w=w).max() == pytest.approx(parameters.top, rel=1e-3)


def test_what_is_found_is_found_once_and_is_the_same_every_time():
    sets = [small(I_0=0.1), small(I_0=0.2)]
    together = prepare(SPIKING, sets, 2)
    assert prepare(SPIKING, sets, 2)[0] is together[0]
    assert together[0]["J_v"] > together[1]["J_v"]  # more background, less coupling
    assert SpikingRounds(2, sets[1]).values[0] is together[1]
    with interpreted():
        assert SpikingNSA(2, sets[1]).values[0] is together[1]
    assert prepare(SPIKING, sets[:1], 2, 0.4 * ms)[0] is not together[0]


@pytest.mark.slow
@pytest.mark.parametrize("model", [SPIKING, EI], ids=lambda model: model.name)
def test_what_is_found_for_a_set_does_not_depend_on_those_beside_it(model, monkeypatch):
    sets = [small(model), small(model, tau_ref=3), small(model, top=1.6)]

    def anew(chosen):
        preparation._known.clear()
        return prepare(model, chosen, 2)

    alone = [anew([each])[0] for each in sets]
    assert alone[0][model.critical] != alone[1][model.critical]
    assert anew(sets) == alone
    assert anew(sets[::-1]) == alone[::-1]
    monkeypatch.setattr(preparation, "BATCH", 2)
    assert anew(sets) == alone


@pytest.mark.parametrize("model", mostly_slow((SPIKING, ADEX), SPIKING), ids=lambda model: model.name)
def test_an_option_without_neighbours_is_simulated_alone_to_the_same_end(model, monkeypatch):
    sets = [small(model, tau_ref=4), small(model, top=1.7)]
    alone = prepare(model, sets, 3)
    preparation._known.clear()
    monkeypatch.setattr(preparation, "_find_critical", partial(preparation._find_critical, whole=True))
    monkeypatch.setitem(preparation._STEPS, Critical, preparation._find_critical)
    assert prepare(model, sets, 3) == alone


def test_a_search_finds_nearly_the_same_with_fewer_rounds():
    sets = [SPIKING.complete(load().parameters).replace(I_0=0.16, tau_ref=each) for each in (2, 3)]
    for quick, full in zip(prepare(SPIKING, sets, 2, lenient=True), prepare(SPIKING, sets, 2), strict=True):
        assert quick["J_v"] != full["J_v"]
        assert quick["J_v"] == pytest.approx(full["J_v"], rel=0.05)


def test_a_search_calibrates_in_single_precision(monkeypatch):
    made, made_columns = [], preparation.Columns

    def columns(*given):
        made.append(made_columns(*given))
        return made[-1]

    monkeypatch.setattr(preparation, "Columns", columns)
    for lenient, bytes_of_number in ((False, 8), (True, 4)):
        made.clear()
        prepare(SPIKING, small(tau_ref=2.5), 2, lenient=lenient)
        assert {array.itemsize for games in made for array in games.states["u"].values()} == {bytes_of_number}


def test_a_search_does_not_simulate_sets_whose_rate_model_has_no_memory(monkeypatch):
    lost, other = SPIKING.complete(NEVER).replace(neurons=5), small(I_0=0.13)
    alone = prepare(SPIKING, [other], 2, lenient=True)[0]
    preparation._known.clear()
    assert [each["J_v"] for each in prepare(SPIKING, [lost, other, lost], 2, lenient=True)] == [0, alone["J_v"], 0]
    preparation._known.clear()
    monkeypatch.setattr(preparation, "Columns", None)
    assert prepare(SPIKING, [lost], 2, lenient=True)[0]["J_v"] == 0


@pytest.mark.parametrize("name", SHIPPED)
def test_the_critical_value_is_that_of_the_whole_grid(name):
    sets = [load(name).parameters.replace(I_ext=each) for each in (0.9, 1.0)]
    preparation._stars.clear()
    for parameters, found in zip(sets, preparation._critical_values(sets), strict=True):
        u, _ = answers(parameters, preparation.GRID, "Phi_v")
        assert found == critical(preparation.GRID, u)


def test_sets_of_other_numbers_of_neurons_are_refused_before_anything_is_found():
    few, many = small(I_0=0.11), small(I_0=0.11, neurons=6)
    with pytest.raises(ValueError, match="neurons must be one whole number for all games, got 5 and 6"):
        SpikingRounds(2, [few, many], 2)
    assert not [key for key in preparation._known if key[1] in (few, many)]
    with pytest.raises(ValueError, match=r"neurons must be one whole number for all games, got 2\.5"):
        PlaySettings(nsa=ParameterSet(small(neurons=2.5), model=SPIKING)).check()


NEVER = load("minbandit-38").parameters.replace(offset_v=5)
TOO_LITTLE = load("minbandit-38").parameters.replace(alpha_v=60)


def test_rate_parameters_without_a_critical_weight_are_refused_before_playing():
    with pytest.raises(ValueError, match=r"no critical weight .* always or never"):
        critical_value(NEVER)
    for parameters in (NEVER, TOO_LITTLE):
        with pytest.raises(ValueError, match="no critical weight"):
            SpikingRounds(2, parameters)
        with pytest.raises(ValueError, match="no critical weight"):
            PlaySettings(nsa=ParameterSet(SPIKING.complete(parameters), model=SPIKING)).check()


def test_neurons_without_a_critical_strength_are_refused():
    said = {
        "fired at most at": {"J_u": 0.001, "tau_s": 5},
        "fired, but none of them at the round's end": {"J_u": 0.001, "tau_s": 5, "sigma": 0.1, "I_0": 0, "I_in": 2},
        "stayed silent, even while the input was on": {"V_th": 1e6},
    }
    for did, changes in said.items():
        told = rf"^no value of J_v in \[0\.035, 3\.5\] nA gives persistent activity: neurons {did}.*; the model spiking"
        with pytest.raises(ValueError, match=told):
            prepare(SPIKING, small(**changes), 2)
    told = r"^every value of J_v in .*: neurons fire without input, at \d+ Hz while untrained"
    with pytest.raises(ValueError, match=told):
        prepare(SPIKING, small(I_0=5), 2)


def test_a_model_says_what_must_be_found_and_engines_find_nothing_themselves():
    assert SPIKING.prepare == (RateMap(), Critical("J_v"))
    assert EI.prepare == (RateMap(), Balance(EI.homeostasis, to="spontaneous"), Critical(EI.critical))
    assert OWN.prepare == MODELS["paper"].prepare == ()
    with pytest.raises(
        ValueError, match=r"^the model spiking must be prepared: pass prepared=nsa_brian\.prepare\(model,"
    ):
        ColumnRounds(2, small(), model=SPIKING)
    prepared = prepare(SPIKING, [small(), small(I_0=0.2), small()], 2)
    assert prepared[0] is prepared[2] is prepare(SPIKING, small(), 2)[0]
    engine = SpikingRounds(2, small(), 3, prepared=prepared[:1], free_time=400)
    assert len(engine.values) == 3
    assert engine.values[0] is engine.values[2]
    assert engine.values[0] == {**prepared[0], "free_time": 0.4}
    with pytest.raises(ValueError, match="prepared must have one entry, or one for each of 3 games, got 2"):
        ColumnRounds(2, small(), 3, model=SPIKING, prepared=prepared[:2])


def test_a_model_that_has_nothing_to_find_is_prepared_at_once():
    for model in (MODELS["paper"], OWN):
        parameters = model.complete(load().parameters)
        assert prepare(model, [load().parameters, parameters], 2) == [model.values_in_si(parameters)] * 2


@pytest.mark.slow
def test_a_search_mends_what_has_no_critical_weight():
    engine = SpikingRounds(2, [small(), small(J_u=0.001, tau_s=5)], 2, lenient=True, seed=0)
    assert engine.values[0]["J_v"] > 0
    assert engine.values[1]["J_v"] == 0
    engine = SpikingRounds(
        2, [SPIKING.complete(NSAParameters()), SPIKING.complete(TOO_LITTLE)], 2, lenient=True, seed=0
    )
    engine.set_weights(np.array([0, engine.parameters[0].w_max]))
    engine.respond()
    assert (engine.activity[:, 0, 1] > LASTING).all()
    assert (engine.activity[:, 1] < LASTING).all()


def test_a_search_mends_rate_parameters_whose_activity_never_lasts():
    engine = SpikingRounds(2, NEVER, lenient=True, seed=0)
    engine.respond()
    assert (engine.activity < LASTING).all()


@pytest.mark.slow
def test_homeostasis_brings_the_spontaneous_rate_about():
    parameters = EI.complete(load().parameters)
    for changes in ({}, {"spontaneous": 2.0}, {"g_x": 4.4, "g_L": 23}):
        engine = SpikingRounds(5, parameters.replace(**changes), 32, model=EI, seed=1)
        engine.respond()
        assert engine.u.mean() == pytest.approx(engine.parameters[0].spontaneous, rel=0.15)


def test_times_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="reading_time must be at most free_time = 200 ms, got 300 ms"):
        SpikingRounds(2, small(reading_time=300))
    with pytest.raises(ValueError, match=r"input_time must be at least dt = 0\.5 ms, got 0\.1 ms"):
        SpikingRounds(2, small(input_time=0.1))
    with pytest.raises(ValueError, match="dt must be above 0 ms"):
        SpikingRounds(2, small(), dt=0 * ms)
    with pytest.raises(ValueError, match=r"a round may have .* time steps at most"):
        SpikingRounds(2, small(free_time=1e12))
    with pytest.raises(ValueError, match="parameter neurons must be a number from 1 to 100000, got 0"):
        SPIKING.complete(small().replace(neurons=0))


@pytest.mark.parametrize("engine", ["rounds", "network"])
def test_without_compiled_code_a_coupling_cannot_be_found_and_that_is_said(engine):
    changed = SPIKING.change(name="unfound", parameters=(dataclasses.replace(SPIKING.declared["J_u"], default=0.46),))
    with interpreted(), pytest.raises(ValueError, match=r"need compiled code.*codegen\.target is not 'auto'"):
        NSA(3, model=changed, engine=engine)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"model": "spiking"}, "model must be a Model, got 'spiking'"),
        ({"parameters": [1]}, "parameters must be NSAParameters, or a sequence of them"),
        ({"n_arms": 1}, "n_arms must be a whole number from 2 up, got 1"),
        ({"dt": 3}, "dt must be a time"),
    ],
)
def test_bad_arguments_of_prepare_are_refused(change, said):
    with pytest.raises(ValueError, match=said):
        prepare(**{"model": SPIKING, "parameters": small(), "n_arms": 2, **change})
