"""Arguments of the Python API: what is wrong is a ValueError of one line, with what was given."""

import random
import re

import numpy as np
import pytest
from brian2 import mV

import baselines
import envs
from evolution import FitnessGames, Search
from evolution.settings import SearchSettings, StagedSettings
from nsa_brian import NSA, Model, NSANetwork, Parameter, load, log_likelihood
from nsa_brian.errors import ModelError, shown

P = np.full((4, 1, 3), 0.5)
LUCK = np.full((4, 1), 0.5)


def with_one(array, value):
    changed = array.copy()
    changed[2] = value
    return changed


def play(rounds, engine="rounds"):
    NSA(3, engine=engine).play(lambda arms: np.ones(len(arms)), rounds)


WRONG = {
    "NSA('3')": (lambda: NSA("3"), "n_arms must be a whole number from 2 up, got '3'"),
    "NSA(2.5)": (lambda: NSA(2.5), "n_arms must be a whole number from 2 up, got 2.5"),
    "NSA(True)": (lambda: NSA(True), "n_arms must be a whole number from 2 up, got True"),
    "NSA(n_games)": (lambda: NSA(3, n_games="2"), "n_games must be a whole number from 1 up, got '2'"),
    "NSA(model=5)": (lambda: NSA(3, model=5), "model must be a Model, .* got 5"),
    "NSA(parameters=5)": (lambda: NSA(3, 5), "parameters must be NSAParameters, .* got 5"),
    "NSA(parameters=[5])": (lambda: NSA(3, [5]), "parameters must be NSAParameters, .* got .5."),
    "NSA(rng=5)": (lambda: NSA(3, rng=5), "rng must be a numpy.random.Generator, got 5"),
    "NSA(rng=Random)": (lambda: NSA(3, rng=random.Random(0)), "rng must be a numpy.random.Generator, got <random"),
    "NSA(seed=-1)": (lambda: NSA(3, seed=-1), "seed must be a whole number from 0 up, got -1"),
    "NSA(seed='x')": (lambda: NSA(3, seed="x"), "seed must be a whole number from 0 up, got 'x'"),
    "NSA(seed=1.5)": (lambda: NSA(3, seed=1.5), "seed must be a whole number from 0 up, got 1.5"),
    "NSA(tolerance=inf)": (lambda: NSA(3, tolerance=np.inf), "tolerance must be a number from 0 up, got inf"),
    "NSA(tolerance=nan)": (lambda: NSA(3, tolerance=np.nan), "tolerance must be a number from 0 up, got nan"),
    "NSA(tolerance='x')": (lambda: NSA(3, tolerance="x"), "tolerance must be a number from 0 up, got 'x'"),
    "NSA(ties=5)": (lambda: NSA(3, ties=5), "ties must be one of random, first, got 5"),
    "NSA(engine=5)": (lambda: NSA(3, engine=5), "engine must be one of rounds, table, network, got 5"),
    "play(-1)": (lambda: play(-1), "n_rounds must be a whole number from 0 up, got -1"),
    "play(1.5)": (lambda: play(1.5), "n_rounds must be a whole number from 0 up, got 1.5"),
    "network.play(-1)": (lambda: play(-1, "network"), "n_rounds must be a whole number from 0 up, got -1"),
    "play_ahead of 2": (lambda: NSA(3).play_ahead(with_one(P, 2), LUCK), "probabilities must be .* 0 to 1, got 2.0"),
    "play_ahead of NaN": (lambda: NSA(3).play_ahead(with_one(P, np.nan), LUCK), "probabilities must be .*, got nan"),
    "play_ahead of texts": (lambda: NSA(3).play_ahead([["a"]], LUCK), "probabilities must be numbers"),
    "play_ahead of luck": (lambda: NSA(3).play_ahead(P, with_one(LUCK, np.nan)), "luck must be .*, got nan"),
    "play_ahead of shape": (lambda: NSA(3).play_ahead(0.5, 0.5), "probabilities must be of shape"),
    "rounds(dt)": (lambda: NSA(3, dt=1), "dt must be a time, such as 1 [*] ms, got 1"),
    "table(dt)": (lambda: NSA(3, engine="table", dt=mV), "dt must be a time, such as 1 [*] ms, got 1. [*] mvolt"),
    "rounds(method)": (lambda: NSA(3, method=5), "method must be the name of one of Brian2's methods, got 5"),
    "set_weights": (lambda: NSA(3).engine.set_weights("x"), "w must be finite numbers, got 'x'"),
    "Search(5)": (lambda: Search(5), "settings must be SearchSettings, got 5"),
    "stages(rungs)": (lambda: StagedSettings(rungs=((1, 2),)), "rungs must be a tuple of Rungs, got "),
    "stages(sigmas)": (lambda: StagedSettings(sigmas=5), "sigmas must be a tuple of numbers, got 5"),
    "stages(seed)": (lambda: StagedSettings(seed="x"), "seed must be a whole number from 0 up, got 'x'"),
    "bandit.reset": (lambda: envs.make("MAB-P", 3).reset(5), "rng must be a numpy.random.Generator, got 5"),
    "settings of a bandit": (lambda: envs.settings_of("MAB"), "unknown bandit 'MAB'; did you mean MAB-"),
    "network(dt)": (lambda: NSANetwork(3, dt=1), "dt must be a time, such as 1 [*] ms, got 1"),
    "network(dt=0)": (lambda: NSANetwork(3, dt="x"), "dt must be a time, such as 1 [*] ms, got 'x'"),
    "network(record)": (lambda: NSANetwork(3, record=5), "record must be a sequence of names, got 5"),
    "network(method)": (lambda: NSANetwork(3, method=5), "method must be"),
    "Parameter(search)": (
        lambda: Parameter("q", 1, search=(1e-320, 1e308), scale="log"),
        "parameter q: search must lie within 1e-100 to 1e[+]100, got .1e-320, 1e[+]308",
    ),
    "Parameter(search) linear": (
        lambda: Parameter("q", 1, search=(-1e308, 1e308)),
        "parameter q: search must lie within -1e[+]100 to 1e[+]100, got",
    ),
    "Model(noise=1e308)": (lambda: Model(noise=1e308), "noise must be a number from 0 to 1e[+]06, got 1e[+]308"),
    "Model(noise='x')": (lambda: Model(noise="x"), "noise must be a number from 0 to 1e[+]06, got 'x'"),
    "FitnessGames(arms=5)": (lambda: FitnessGames(arms=5), "arms must be a sequence of whole numbers, got 5"),
    "FitnessGames(arms='5')": (lambda: FitnessGames(arms="5"), "arms must be a sequence of whole numbers, got '5'"),
    "FitnessGames(envs='MAB-P')": (lambda: FitnessGames(envs="MAB-P"), "envs must be a sequence of names, got 'MAB-P'"),
    "FitnessGames(envs=5)": (lambda: FitnessGames(envs=5), "envs must be a sequence of names, got 5"),
    "FitnessGames(envs=(5,))": (lambda: FitnessGames(envs=(5,)), "envs must be a sequence of names, got .5,."),
    "FitnessGames(model=5)": (lambda: FitnessGames(model=5), "model must be a Model, got 5"),
    "FitnessGames(engine=5)": (lambda: FitnessGames(engine=5), "engine must be one of table, rounds here, got 5"),
    "FitnessGames(tolerance=inf)": (
        lambda: FitnessGames(tolerance=np.inf),
        "tolerance must be a number from 0 up, got inf",
    ),
    "settings(games=5)": (lambda: SearchSettings(games=5), "games must be FitnessGames, got 5"),
    "settings(sigma)": (lambda: SearchSettings(sigma="x"), "sigma must be a number from 1e-06 to 1e[+]06, got 'x'"),
    "settings(inexact)": (lambda: SearchSettings(inexact="x"), "inexact must be a number from 0 to 0.25, got 'x'"),
    "settings(start)": (lambda: SearchSettings(start="evolved"), "start must be NSAParameters, got 'evolved'"),
    "settings(fixed)": (lambda: SearchSettings(fixed=5), "fixed must be a mapping of names to numbers, got 5"),
    "settings(seed)": (lambda: SearchSettings(seed=1.5), "seed must be a whole number from 0 up, got 1.5"),
    "likelihood(n_arms)": (
        lambda: log_likelihood([0], [1], "3", "evolved"),
        "n_arms must be a whole number from 2 up, got '3'",
    ),
    "likelihood(lapse)": (
        lambda: log_likelihood([0], [1], 3, "evolved", lapse="x"),
        "lapse must be a number from 0 to 1, got 'x'",
    ),
    "likelihood(rewards)": (lambda: log_likelihood([0], ["x"], 3, "evolved"), "rewards must be numbers, got ..x.."),
    "likelihood(arms)": (lambda: log_likelihood([[0], [1, 2]], [1], 3, "evolved"), "arms must be numbers, got"),
    "likelihood(parameters)": (lambda: log_likelihood([0], [1], 3, 5), "parameters must be NSAParameters, .* got 5"),
    "likelihood(model)": (lambda: log_likelihood([0], [1], 3, "evolved", model=5), "model must be a Model, .* got 5"),
    "load(5)": (lambda: load(5), "no parameter set '5'"),
    "bandit(n_arms)": (lambda: envs.make("MAB-P", "3"), "n_arms must be a whole number from 2 up, got '3'"),
    "bandit(n_arms=True)": (lambda: envs.make("MAB-P", True), "n_arms must be a whole number from 2 up, got True"),
    "bandit(rng)": (lambda: envs.make("MAB-P", 3, rng=5), "rng must be a numpy.random.Generator, got 5"),
    "bandit(seed)": (lambda: envs.make("MAB-P", 3, seed=-1), "seed must be a whole number from 0 up, got -1"),
    "bandit(name)": (lambda: envs.make(5), "unknown bandit 5; known: MAB-P"),
    "bandit(names)": (lambda: envs.make(["MAB-P"]), "unknown bandit .'MAB-P'.; did you mean MAB-P"),
    "bandit.ahead(0)": (lambda: envs.make("MAB-P").ahead(0), "n_rounds must be a whole number from 1 up, got 0"),
    "bandit.ahead('x')": (lambda: envs.make("MAB-P").ahead("x"), "n_rounds must be a whole number from 1 up, got 'x'"),
    "policy(n_arms)": (lambda: baselines.make("ucb1", "3"), "n_arms must be a whole number from 2 up, got '3'"),
    "policy(n_games)": (
        lambda: baselines.make("ucb1", 3, n_games=1.5),
        "n_games must be a whole number from 1 up, got 1.5",
    ),
    "policy(rng)": (lambda: baselines.make("ucb1", 3, rng=5), "rng must be a numpy.random.Generator, got 5"),
    "policy(seed)": (lambda: baselines.make("ucb1", 3, seed="x"), "seed must be a whole number from 0 up, got 'x'"),
    "policy(name)": (lambda: baselines.make(5, 3), "unknown policy 5; known: thompson"),
    "policy(names)": (lambda: baselines.make(["ucb1"], 3), "unknown policy .'ucb1'.; did you mean ucb1"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_argument_is_a_value_error_with_name_legal_values_and_what_was_given(case):
    call, words = WRONG[case]
    with pytest.raises(ValueError, match=f"^{words}") as told:
        call()
    assert type(told.value) in (ValueError, ModelError)
    assert "\n" not in str(told.value)


#: For each, the argument that is huge.
HUGE = {
    "arms": lambda value: NSA(value),
    "seed": lambda value: NSA(3, seed=str(value)),
    "model": lambda value: NSA(3, model=value),
    "engine": lambda value: NSA(3, engine=value),
    "ties": lambda value: NSA(3, ties=value),
    "parameters": lambda value: NSA(3, value),
    "bandit": lambda value: envs.make(value),
    "setting": lambda value: envs.make("MAB-sin", spacing=value),
    "policy": lambda value: baselines.make(value, 3),
    "games": lambda value: FitnessGames(engine=value),
    "equation": lambda value: Model(plasticity=value),
    "unit": lambda value: Model(rate_u=value),
    "name": lambda value: Model(parameters=value),
    "likelihood": lambda value: log_likelihood(value, [1], 3, "evolved"),
}


@pytest.mark.parametrize("argument", HUGE)
@pytest.mark.parametrize("value", ["x" * 100_000, "x y " * 5000, [1] * 5000], ids=["word", "words", "list"])
def test_an_error_repeats_80_characters_of_a_value(argument, value):
    with pytest.raises(ValueError, match=r".") as told:
        HUGE[argument](value)
    text = str(told.value)
    assert len(text) < 700
    assert not re.search(r"(x{80}|(x y ){20}|(1, ){27})", text)


def test_what_is_shown_of_a_value_is_one_short_line():
    assert shown("a\nb\x1b[0m") == r"'a\nb\x1b[0m'"
    assert shown(np.zeros(3)) == "array([0., 0., 0.])"
    assert len(shown("x" * 1000)) == len(shown(np.zeros((50, 50)))) == 80
    assert shown(10**5000) == "a value of type int"
    assert shown("x" * 78) == repr("x" * 78)


def test_a_likelihood_takes_a_set_by_name_by_values_and_from_a_file(tmp_path):
    chosen = load("minbandit-38")
    path = tmp_path / "set.json"
    path.write_text(chosen.to_json())
    subject = ([0, 2, 2, 1, 1, 2, 2, 2, 0], [0, 1, 1, 0, 0, 0, 0, 1, 1], 3)
    found = log_likelihood(*subject, chosen.parameters)
    for parameters in ("minbandit-38", path, chosen.parameters.to_dict()):
        assert log_likelihood(*subject, parameters) == found
    assert log_likelihood(*subject, "evolved") != found
