"""Bandits, policies and models of the user's own that fail or break their contract: one line that names them."""

import re

import numpy as np
import pytest

import baselines
import envs
import nsa_brian
from envs.base import lay_out
from evolution import FitnessGames, Search
from evolution.settings import Rung, SearchSettings, StagedSettings
from evolution.staged import StagedSearch
from experiments.cli import main
from nsa_brian import Model, Parameter
from nsa_brian.common.plugins import PluginError
from nsa_brian.errors import RunawayError
from nsa_brian.model import equations

BROKEN = """
import numpy as np
from baselines import POLICIES, Policy
from envs import BANDITS, Bandit

class Raising(Policy):
    def _select(self):
        return np.array([1 / 0])
    def _learn(self, arms, rewards):
        pass

class Far(Raising):
    def _select(self):
        return np.full(self.n_games, 10**9)

class Unmade(Raising):
    def __init__(self, *args, **settings):
        raise KeyError("unmade")

class Forgetful(Raising):
    def _select(self):
        return np.zeros(self.n_games, int)
    def _learn(self, arms, rewards):
        raise RuntimeError("two\\nlines")

class Nan(Bandit):
    def _begin(self):
        return np.full((self.n_games, self.n_arms), 0.5)
    def _next(self):
        return np.full((self.n_games, self.n_arms), np.nan)

class Two(Nan):
    def _begin(self):
        return np.full((self.n_games, self.n_arms), 2.0)

class Failing(Nan):
    def _next(self):
        raise ValueError("my fault")

POLICIES.update(raising=Raising, far=Far, unmade=Unmade, forgetful=Forgetful)
BANDITS.update(nan=Nan, two=Two, failing=Failing)
"""
NAN = "bandit Nan of broken.py: probabilities must be numbers from 0 to 1, got nan"
GAMES = "--arms 3 --rounds 5"
EVOLVE = f"evolve --preset paper-quick --population 4 --generations 1 {GAMES} --trials 1 --out s"

CASES = {
    "policy raises": (
        f"play --agents raising {GAMES}",
        "broken.py, line 8, in Raising._select: ZeroDivisionError",
    ),
    "policy's arm": (f"play --agents far {GAMES} --repetitions 1", "policy Far of broken.py: ValueError: arm must be"),
    "policy is not made": (f"play --agents unmade {GAMES}", "broken.py, line 18, in Unmade.__init__: KeyError"),
    "policy learns": (f"play --agents forgetful {GAMES}", "in Forgetful._learn: RuntimeError: two lines"),
    "oracle's bandit": (f"play --env nan --agents best-arm {GAMES}", NAN),
    "NaN": (f"play --env nan --agents random {GAMES}", NAN),
    "NaN and NSA": (f"play --env nan --agents nsa {GAMES}", NAN),
    "two": (f"play --env two --agents random {GAMES}", "bandit Two of broken.py: probabilities must be .*, got 2.0"),
    "bandit raises": (f"play --env failing --agents random {GAMES}", "in Failing._next: ValueError: my fault"),
    "NaN in a table": (f"table --envs nan --agents random,ucb1 {GAMES}", NAN),
    "NaN in a search": (f"{EVOLVE} --envs nan", NAN),
    "bandit raises in a search": (f"{EVOLVE} --envs failing", "in Failing._next: ValueError: my fault"),
    "NaN recorded": (f"record r.csv --env nan {GAMES}", NAN),
    "NaN drawn": (f"environments --envs nan {GAMES}", NAN),
    "NaN in tuning": (f"tune --preset quick --policies epsilon-greedy --envs nan {GAMES} --narrowings 0", NAN),
}


@pytest.fixture
def told(monkeypatch, capsys, tmp_path):
    """Run a command with a plugin that is to end with exit code 2 and one line; that line."""
    registries = [(registry, dict(registry)) for registry in (envs.BANDITS, baselines.POLICIES, nsa_brian.MODELS)]
    monkeypatch.chdir(tmp_path)

    def run(plugin, words):
        (tmp_path / "broken.py").write_text(plugin)
        with pytest.raises(SystemExit) as left:
            main([*words.split(), "--plugin", "broken.py"])
        said = capsys.readouterr().err
        assert (left.value.code, said.count("\n")) == (2, 1), said
        return said

    yield run
    for registry, before in registries:
        registry.clear()
        registry.update(before)


@pytest.mark.parametrize("case", CASES)
def test_what_fails_in_a_plugin_is_named_in_one_line(case, told, tmp_path):
    words, message = CASES[case]
    assert re.search(message, told(BROKEN, words))
    made = {path.relative_to(tmp_path).parts for path in tmp_path.rglob("*") if path.is_file()}
    assert {parts for parts in made if parts[0] != "s"} == {("broken.py",)}  # a search has its folder when it begins


@pytest.mark.slow
@pytest.mark.parametrize("case", ["policy raises", "policy's arm", "NaN", "bandit raises in a search"])
def test_what_fails_in_a_plugin_is_named_in_one_line_by_workers_too(case, told):
    words, message = CASES[case]
    more = "--repetitions 2 --workers 2" if "play" in words else "--workers 2"
    assert message[:30] in told(BROKEN, f"{words} {more}")


ENTERED = {
    'from envs import BANDITS; BANDITS["MAB-P"] = None': "bandit 'MAB-P' .* subclass of envs.Bandit, got None",
    "from envs import BANDITS; BANDITS[3] = BANDITS['MAB-P']": "bandit 3 of a plugin must be",
    'from baselines import POLICIES; POLICIES["x"] = len': "policy 'x' .* subclass of baselines.Policy, got <built-in",
    'from baselines import POLICIES; POLICIES["x"] = int': "policy 'x' .* subclass of baselines.Policy, got <class",
    'import nsa_brian; nsa_brian.MODELS["x"] = 3': "model 'x' of a plugin must be a Model, got 3",
}


@pytest.mark.parametrize("plugin", ENTERED)
def test_what_a_plugin_enters_into_a_registry_is_of_its_kind(plugin, told):
    assert re.search(ENTERED[plugin], told(plugin, f"play --agents random {GAMES}"))


def test_a_bandit_of_ones_own_is_checked_where_its_numbers_enter():
    class Short(envs.Bandit):
        def _begin(self):
            return np.full((self.n_games, self.n_arms), 0.5)

        def _next(self):
            return self.probabilities

        def ahead(self, n_rounds):
            return np.full((n_rounds, self.n_games, 1), 0.5), np.zeros((n_rounds, self.n_games))

    with pytest.raises(PluginError, match=r"^bandit Short: probabilities must be of shape \(4, 1, 3\), got"):
        lay_out(Short(3), 4)


WILD = Model(
    name="wild",
    rate_u=equations.RATE_U.replace("(-u", "(grow * u**2 + 1e3 - u"),
    parameters=(Parameter("grow", 50.0, search=(20, 100)),),
)
SMALL = {"envs": ("MAB-P",), "arms": (3,), "iterations": 1, "trials": 1, "rounds": 5}


class TestModelsThatGrowWithoutBound:
    SAID = "model wild: activities are not finite with any of the first .* parameter sets of the search; bound its"

    def test_a_search_says_so_after_its_first_generation(self):
        search = Search(SearchSettings(games=FitnessGames(**SMALL, model=WILD), population=4, generations=50))
        with pytest.raises(RunawayError, match=self.SAID):
            search.step()

    def test_a_staged_search_says_so_after_its_first_sets(self):
        settings = StagedSettings(games=FitnessGames(**SMALL, model=WILD), sets=4, rungs=(Rung(1, 1, 1),), population=4)
        with pytest.raises(RunawayError, match=self.SAID):
            StagedSearch(settings).step()

    def test_the_command_says_so_in_one_line(self, monkeypatch, capsys, tmp_path):
        monkeypatch.chdir(tmp_path)
        WILD.save(tmp_path / "wild.json")
        with pytest.raises(SystemExit):
            main(f"{EVOLVE} --model wild.json --generations 50 --quiet".split())
        (said,) = capsys.readouterr().err.splitlines()
        assert said.startswith("nsa evolve: error: model wild: activities are not finite with any of the first 4")
        assert not list((tmp_path / "s").glob("generations/*"))

    @pytest.mark.slow
    def test_a_model_that_is_finite_for_some_parameters_is_searched(self):
        growing = Model(
            name="growing",
            rate_u=equations.RATE_U.replace("(-u", "(grow * u**2 - u"),
            parameters=(Parameter("grow", 0.01, search=(1e-6, 1e3), scale="log"),),
        )
        search = Search(
            SearchSettings(games=FitnessGames(**SMALL, model=growing), population=8, generations=1, sigma=3.0)
        )
        search.step()
        assert search.generation == 1
