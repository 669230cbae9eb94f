"""``nsa response``: the critical weight w*, and for which games it holds."""

import dataclasses
import json

import numpy as np
import pytest
from guide import model_of
from models import OTHERS

from experiments.core.functions import activities_left, holds_for, respond
from experiments.evolve import strategy as strategies
from experiments.studies.response.study import DEFAULT as SETTINGS
from experiments.studies.response.study import STUDY
from nsa_brian import Coupling, Model, NSANetwork, NSAParameters, load, responses
from nsa_brian.model.model import PAPER

#: U is divided by its own sum over all options: the more arms, the weaker each of them.
NORMALISED = Model(
    name="normalised",
    rate_u="du/dt = (-u + (I_u + I) / (1 + S){noise}) / tau_u : 1",
    couplings=(Coupling("u", "u", "S", "k * phi_u_pre", to="all"),),
    constants={"k": 1.0},
)
SET = NORMALISED.complete(load("minbandit-38").parameters)
SHORT = NSAParameters(tau_u=20, tau_v=30, duration_input=100, duration_free=100)
OTHERS_UNTRAINED = "10 arms, the others untrained"


@pytest.fixture
def settings(tmp_path, monkeypatch):
    """A coupled model, with a set that has a critical weight at 2 arms and none at 10."""
    monkeypatch.chdir(tmp_path)
    NORMALISED.save("normalised.json")
    return dataclasses.replace(SETTINGS, parameters=("minbandit-38",), model="normalised.json", points=51)


@pytest.mark.slow
@pytest.mark.parametrize(("arms", "lasts"), [(2, True), (10, False)])
def test_w_star_of_coupled_options_is_that_of_a_game_with_so_many_arms(arms, lasts):
    found = respond(SET, 51, NORMALISED, arms)
    network = NSANetwork(arms, SET, seed=1, model=NORMALISED)
    network.set_weights([SET.w_max] + [0.0] * (arms - 1))
    network.respond()
    assert found["u"][-1] == pytest.approx(network.u[0, 0], abs=1e-9)
    assert (network.u[0, 0] > 0.1) == lasts
    assert np.isfinite(found["critical"]) == lasts


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["V of other options divides U", "two pools that inhibit each other, one of them carried"]
)
def test_weights_are_computed_in_parts_that_fit_and_come_to_the_same(name, monkeypatch):
    model, w = OTHERS[name], np.linspace(0, SHORT.w_max, 23)
    parameters = model.complete(SHORT)
    whole = activities_left(parameters, model, w, 5)
    monkeypatch.setattr(responses, "OPTIONS_AT_ONCE", 40)  # eight games of five arms
    assert (activities_left(parameters, model, w, 5) == whole).all()


@pytest.mark.slow
def test_the_number_of_arms_is_a_models_that_uses_it():
    model = Model(name="shared", drive_v="Phi_v * phi_u_pre * 2 / n_arms")
    two, ten = (respond(SHORT, 51, model, arms) for arms in (2, 10))
    assert float(two["critical"]) == pytest.approx(float(respond(SHORT, 51)["critical"]))
    assert np.isnan(ten["critical"])
    value = Model(name="n", gaussian_sigmoid="Phi = w / w_max / n_arms : 1")
    assert respond(SHORT, 11, value, 4)["value"][-1] == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (None, "any number of arms"),
        (PAPER, "any number of arms"),
        (NORMALISED, OTHERS_UNTRAINED),
        (Model(name="n", drive_v="Phi_v * phi_u_pre / n_arms"), "10 arms"),
        (
            Model(name="start", synapse="s : 1", drive_v="s * phi_u_pre", initial={"s": "1 / n_arms"}),
            "10 arms; first round of a game (s carried over)",
        ),
        (Model(name="noisy", noise=0.1), "any number of arms; without the noise"),
        (model_of("static_pool.py"), OTHERS_UNTRAINED),
        (model_of("noisy_lateral.py"), f"{OTHERS_UNTRAINED}; without the noise"),
        (OTHERS["learning rate by surprise"], "any number of arms"),
        (
            OTHERS["two pools that inhibit each other, one of them carried"],
            f"{OTHERS_UNTRAINED}; first round of a game (s carried over)",
        ),
        (
            OTHERS["voltage with units, synapse that facilitates, input helper"],
            "any number of arms; first round of a game (y carried over)",
        ),
        (
            Model(name="fading", synapse="dw/dt = -w / (100 * second) : 1"),
            "any number of arms; w at the start of a round",
        ),
    ],
)
def test_what_w_star_means_is_one_phrase(model, said):
    assert holds_for(model, 10) == said


def test_noise_is_left_out_of_w_star():
    noisy = respond(SHORT, 201, Model(name="noisy", noise=0.2))
    assert float(noisy["critical"]) == float(respond(SHORT, 201)["critical"])
    assert (np.diff(noisy["u"]) < -0.05).any()  # the curve has it


def test_the_number_of_arms_is_part_of_the_results_where_it_matters(settings):
    assert dataclasses.replace(SETTINGS, arms=20).id == SETTINGS.id
    assert "arms" not in SETTINGS.to_dict()
    assert dataclasses.replace(settings, arms=20).id != settings.id
    assert settings.to_dict()["arms"] == 10


@pytest.mark.slow
def test_table_json_and_figure_say_for_how_many_arms(settings, tmp_path):
    results, path = STUDY.run(settings, tmp_path)
    assert results.tables[0].rows[0][:3] == ["minbandit-38", "none", OTHERS_UNTRAINED]
    found = json.loads(json.dumps(results.summary.to_json()))["sets"]["minbandit-38"]
    assert (found["critical_weight"], found["arms"], found["holds_for"]) == (None, 10, OTHERS_UNTRAINED)
    assert STUDY.load(path).summary == results.summary
    legend = STUDY.draw(results).axes[0].get_legend()
    assert legend.get_title().get_text().replace("\n", " ") == OTHERS_UNTRAINED
    two, _ = STUDY.run(dataclasses.replace(settings, arms=2), tmp_path)
    assert two.summary.sets["minbandit-38"].critical_share == pytest.approx(0.68, abs=0.01)


def test_where_the_number_does_not_matter_results_say_so(tmp_path):
    results, _ = STUDY.run(dataclasses.replace(SETTINGS, parameters=("evolved",), points=51, arms=3), tmp_path)
    found = results.summary.to_json()["sets"]["evolved"]
    assert found["holds_for"] == "any number of arms"
    assert "arms" not in found


def test_results_of_0_2_are_those_of_two_arms(settings, tmp_path):
    results, path = STUDY.run(settings, tmp_path)
    told = {name: value for name, value in results.settings_dict.items() if name != "arms"}
    STUDY.save(dataclasses.replace(results, settings_dict=told), path)
    assert STUDY.load(path).summary.sets["minbandit-38"].holds_for == "2 arms, the others untrained"


@pytest.mark.slow
def test_the_strategy_of_coupled_options_is_that_of_its_games(monkeypatch):
    monkeypatch.setattr(strategies, "GAMES", (10, 2, 10))
    monkeypatch.setattr(strategies, "DRAWS", 1)
    parameters = NORMALISED.complete(SHORT).replace(k=0.3)
    found = strategies.strategy(parameters, NORMALISED)
    two, ten = (float(respond(parameters, 401, NORMALISED, arms)["critical"]) for arms in (2, 10))
    assert found.critical == ten > two
    assert f"w* = {ten:.3g} ({OTHERS_UNTRAINED})" in found.sentences()[1]
