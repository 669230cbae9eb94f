"""The shipped models beyond the paper: short declarations, sets of their own, engines that agree, their gain."""

import ast
import inspect

import numpy as np
import pytest
from targets import on_target

from evolution import FitnessGames
from evolution.fitness import scores
from experiments.core.named import read_agent, read_set
from nsa_brian import NSA, NSANetwork, check, load, load_model
from nsa_brian.model import beyond
from nsa_brian.model.loading import BEYOND
from nsa_brian.parameter_set import model_names, names

LINES = 30


def test_every_model_has_a_name_and_a_set():
    assert tuple(beyond.MODELS) == BEYOND
    assert set(BEYOND) == set(model_names())
    assert not set(BEYOND) & set(names())


def test_declarations_are_short():
    tree = ast.parse(inspect.getsource(beyond))
    declared = {
        ast.unparse(node.targets[0]): node.end_lineno - node.lineno + 1
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
    }
    assert {"FAMILIARITY", "SURPRISE", "METAPLASTICITY", "KALMAN"} <= set(declared)
    assert max(declared.values()) <= LINES


@pytest.mark.parametrize("name", [name for name in BEYOND if name != "familiarity-spiking"])
def test_a_set_contains_its_model_and_the_search_that_found_it(name):
    chosen = load(name)
    assert chosen.name == name
    assert chosen.model == load_model(name)
    assert chosen.source
    searched = {each.name: each for each in chosen.model.parameters if each.search}
    assert set(searched).isdisjoint(each.partition("=")[0] for each in chosen.evolve["fix"])
    assert 200 in chosen.evolve["arms"]
    for name, info in searched.items():
        assert info.search[0] <= chosen.parameters.to_dict()[name] <= info.search[1], name


def test_the_spiking_version_has_the_values_of_its_rate_model():
    spiking, rates = load("familiarity-spiking"), load("familiarity-surprise")
    assert spiking.model == load_model("familiarity-spiking")
    values, of_rates = spiking.parameters.to_dict(), rates.parameters.to_dict()
    del of_rates["tau"]
    assert values == {**{each.name: each.default for each in spiking.model.parameters}, **of_rates}


def test_spiking_neurons_show_the_aspiration_of_a_new_option():
    agent = NSA(3, model="familiarity-spiking", seed=1)
    agent.engine.set_weights(np.array([[0.0, 0.8, 0.8]]), h=np.array([[1.0, 0.0, 1.0]]))
    agent.engine.respond()
    u, v = agent.engine.activity[:, 0]
    assert u[0] > 100 > 10 > v[0]
    np.testing.assert_allclose(u[1:], v[1:], rtol=0.15)


def test_a_model_is_played_with_its_own_set():
    own = load("familiarity").parameters
    assert own != load_model("familiarity").complete(load().parameters)
    assert read_agent("nsa:familiarity").parameters == read_set(model="familiarity").parameters == own
    assert NSA(2, model="familiarity").engine.parameters[0] == own
    assert read_set("minbandit-38", "familiarity").parameters.tau_u == load("minbandit-38").parameters.tau_u


def test_a_modified_copy_of_a_set_has_another_name(tmp_path):
    file = tmp_path / "mine.json"
    file.write_text(load("familiarity").to_json())
    assert load(file).name == "familiarity"
    file.write_text(load("familiarity").to_json().replace('"eta": 0.', '"eta": 0.1'))
    assert load(file).name == "mine"


def test_u_shows_the_aspiration_of_a_new_option_and_the_weight_of_a_familiar_one():
    agent = NSA(3, model="familiarity-surprise", seed=1)
    agent.engine.respond()
    u, v = agent.engine.activity[:, 0]
    share = 1 - (1 - 1 / 10) ** 50  # of the input that leaky neurons reach in 50 steps
    np.testing.assert_allclose(u, share * load("familiarity-surprise").parameters.a_0)
    np.testing.assert_allclose(v, 0)
    for _ in range(200):
        agent.engine.respond()
        agent.update(0, 1)
    agent.engine.respond()
    u, v = agent.engine.activity[:, 0]
    np.testing.assert_allclose([u[0], v[0]], share, atol=0.01)
    assert u[1] == u[2] > v[1] == v[2] == 0


@pytest.mark.parametrize(("lead", "chosen"), [(0.05, 0), (0.2, 1)])
def test_an_option_is_a_candidate_if_it_leads_in_u_by_a_margin(lead, chosen):
    exact = load("familiarity-noisy").parameters.replace(noise_sd=0, margin=0.1, tau=1)
    agent = NSA(3, exact, seed=1, model="familiarity-noisy")
    aspiration = agent.engine.signals["a"][0]
    weights = np.array([[aspiration - lead, 0.1, 0.1]])
    agent.engine.set_weights(weights, h=np.array([[0.0, 1.0, 0.0]]))
    assert {agent.select_arm() for _ in range(5)} == {chosen}


def test_noise_in_all_neurons_has_the_strength_it_says():
    agent = NSA(
        200, load("familiarity-noisy").parameters.replace(noise_sd=0.05), n_games=50, seed=1, model="familiarity-noisy"
    )
    agent.engine.respond()
    u, v = agent.engine.activity
    for activity in (u, v):
        # Euler's method with a step of a tenth of the time constant overestimates the variance by a twentieth.
        # Of 10,000 neurons the standard error is 0.7%.
        assert activity.std() == pytest.approx(0.05 / np.sqrt(1 - 0.1 / 2), rel=0.028)
    assert abs(np.corrcoef(u.ravel(), v.ravel())[0, 1]) < 0.04


def test_unexpected_failures_make_options_unfamiliar():
    def novelty_of_the_other_option(rewards):
        agent = NSA(2, model="familiarity-surprise", seed=1)
        for _ in range(10):
            agent.update(1, 0)
        for reward in rewards:
            agent.update(0, reward)
        return agent.engine.synapses["h"][0, 1]

    expected, unexpected = [1] * 40, [1] * 34 + [0] * 6
    assert novelty_of_the_other_option(unexpected) > novelty_of_the_other_option(expected) + 0.2


@pytest.mark.slow
@pytest.mark.parametrize("name", BEYOND)
def test_engines_agree(name):
    assert check(load_model(name), name).agree


def test_engines_agree_on_the_best_model(monkeypatch):
    monkeypatch.setattr("nsa_brian.engines.network.NSANetwork", on_target(NSANetwork, "numpy"))  # compiles nothing
    assert check(load_model("familiarity-surprise"), "familiarity-surprise", n_rounds=6, n_games=1).agree


def test_familiarity_beats_the_paper_s_model():
    def regret(name):
        chosen = load(name)
        games = FitnessGames(model=chosen.model, envs=("MAB-P", "MAB-sin"), arms=(10, 100), iterations=8, rounds=500)
        return scores(games, (2026, 1), [chosen.parameters]).regret.mean()

    assert regret("familiarity") < regret("evolved") - 0.01
