"""What must work on every supported Python: import, play, engines that agree, one model compiled."""

import json
import sys
import tomllib
import warnings
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest
from targets import brian2_target

import baselines
import envs
from nsa_brian import NSA, Lateral, Model, load
from nsa_brian.brian2_version import RANGE, check_brian2
from nsa_brian.codegen.code_objects import NumpyRound, code_object_class

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("package", ["nsa_brian", "envs", "baselines", "evolution", "experiments"])
def test_packages_and_their_public_names_can_be_imported(package):
    module = import_module(package)
    assert all(hasattr(module, name) for name in getattr(module, "__all__", []))


def test_one_version_is_told_everywhere():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert version("nsa-brian") == declared
    assert f"\nversion: {declared}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\n## {declared.removesuffix('.dev0')} (" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_nsa_play_plays(nsa, tmp_path):
    told = json.loads(nsa("play", "--preset", "quick", "--rounds", 50, "--json", "--quiet", "--out", tmp_path))
    assert told["agents"]["nsa"]["regret"]["mean"] < told["agents"]["random"]["regret"]["mean"]


def test_engines_make_the_same_choices():
    """A short game on each, the bandit and all luck being the same."""
    parameters, arms = load("minbandit-38").parameters.replace(duration_input=300, duration_free=300), {}
    for engine in ("rounds", "table", "network"):
        with brian2_target("numpy" if engine == "network" else "auto"):
            agent = NSA(n_arms=4, parameters=parameters, engine=engine, seed=3)
            arms[engine] = played(agent, n_rounds=6)
    assert arms["rounds"] == arms["table"] == arms["network"]


def test_a_model_of_ones_own_is_compiled():
    model = Model(
        name="lateral",
        rate_u="du/dt = (-u + I_u + I_lateral + I{noise}) / tau_u : 1",
        lateral=(Lateral("u", "I_lateral", "-0.4 * phi_u_pre"),),
    )
    agent = NSA(n_arms=4, model=model, seed=1)
    assert not issubclass(code_object_class(), NumpyRound)
    assert len(set(played(agent, n_rounds=30))) > 1


def played(agent, n_rounds):
    bandit = envs.make("MAB-P", n_arms=4, seed=7)
    arms = []
    for _ in range(n_rounds):
        arms.append(int(agent.select_arm()))
        agent.update(arms[-1], bandit.pull(arms[-1]))
        bandit.step()
    return arms


def test_a_policy_plays():
    assert len(played(baselines.make("ucb1", n_arms=4, seed=1), n_rounds=20)) == 20


class TestBrian2Version:
    def test_the_installed_one_is_supported(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_brian2()

    @pytest.mark.parametrize("found", ["2.9.0", "2.10.1", "2.11.0.post0", "a build of mine"])
    def test_says_nothing_of_those_that_were_tested(self, found):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_brian2(found)

    def test_warns_of_newer_ones_and_says_what_to_do(self):
        with pytest.warns(UserWarning, match="newer than the versions") as told:
            check_brian2("2.12.0")
        assert f'pip install "brian2{RANGE}"' in str(told[0].message)
        assert "\n" not in str(told[0].message)

    def test_refuses_older_ones(self):
        with pytest.raises(ImportError, match="is too old"):
            check_brian2("2.8.0")

    def test_the_dependencies_say_the_same(self):
        asked = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
        low, high = RANGE.split(",")
        of_brian2 = [line for line in asked if line.startswith("brian2")]
        assert of_brian2
        assert all(high in line for line in of_brian2)
        assert any(low in line for line in of_brian2)


def test_this_python_is_a_supported_one():
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    assert f"Programming Language :: Python :: {sys.version_info[0]}.{sys.version_info[1]}" in text
