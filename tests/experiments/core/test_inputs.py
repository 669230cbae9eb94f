"""Input files: read once, part of a result's identity, and refused where a search would continue with others."""

import hashlib
import json
import os
import sys

import pytest

import baselines
import envs
import nsa_brian
from experiments import play, results
from experiments.core.inputs import ChangedInputError
from experiments.core.settings import PlaySettings
from nsa_brian.plugins import load_plugins

#: A bandit whose best arm is the last one, and a policy that replaces a file when it is made.
PLUGIN = """
import pathlib
import numpy as np
import baselines, envs

class Own(envs.Bandit):
    def __init__(self, n_arms=None, *, file="", **settings):
        self.level = float(pathlib.Path(file).read_text()) if file else 0.9
        super().__init__(n_arms, **settings)

    def _begin(self):
        return np.tile(np.linspace(0.1, self.level, self.n_arms), (self.n_games, 1))

    def _next(self):
        return self.probabilities

class Replacing(baselines.POLICIES["random"]):
    def __init__(self, *args, **settings):
        pathlib.Path(INPUT).write_text(REPLACEMENT)
        super().__init__(*args, **settings)

INPUT, REPLACEMENT = "", ""
envs.BANDITS["own"] = Own
baselines.POLICIES["replacing"] = Replacing
"""
OLD, NEW = "0.1,0.9\n" * 20, "0.9,0.1\n" * 20

SCHEDULE = ["play", "--env", "schedule", "--env-option", "table=input.csv", "--trials", "1", "--rounds", "20"]
SCHEDULE += ["--repetitions", "2", "--no-figures", "--json"]
TABLE = ["table", "--preset", "quick", "--envs", "own", "--arms", "3", "--rounds", "20", "--agents", "random,ucb1"]
TABLE += ["--no-figures", "--json", "--plugin", "plugin.py"]
EVOLVE = ["evolve", "--preset", "paper-quick", "--population", "4", "--rounds", "10", "--arms", "3", "--no-figures"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with a schedule and a plugin; plugins and registries as they were afterwards."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "input.csv").write_text(OLD)
    (tmp_path / "plugin.py").write_text(PLUGIN)
    registries = envs.BANDITS, baselines.POLICIES, nsa_brian.MODELS
    before = [dict(registry) for registry in registries]
    yield tmp_path
    load_plugins([])
    for registry, content in zip(registries, before, strict=True):
        registry.clear()
        registry.update(content)


@pytest.fixture
def outcome(nsa):
    """Run a command; what it says in JSON."""
    return lambda *words: json.loads(nsa(*words))


def replacing(text):
    """The plugin, whose policy replaces the input file by this text."""
    given = f"INPUT, REPLACEMENT = {os.path.abspath('input.csv')!r}, {text!r}"
    return PLUGIN.replace('INPUT, REPLACEMENT = "", ""', given)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_schedule_that_is_replaced_in_mid_run_is_the_same_for_all_agents(workers, outcome, folder, workers_at_hand):
    words = [*SCHEDULE, "--agents", "replacing,ucb1,random", "--plugin", "plugin.py", "--workers", workers]
    (folder / "plugin.py").write_text(replacing(OLD))
    expected = outcome(*words)["agents"]
    (folder / "plugin.py").write_text(replacing(NEW))
    assert outcome(*words)["agents"] == expected
    assert (folder / "input.csv").read_text() == NEW


def test_a_schedule_with_other_contents_is_another_result(outcome, folder):
    words = [*SCHEDULE, "--agents", "random,ucb1"]
    first = outcome(*words)
    assert first["settings"]["inputs"] == {"input.csv": digest(folder / "input.csv")}
    written = (folder / first["files"]["results"]).read_bytes()
    (folder / "input.csv").write_text(NEW)
    second = outcome(*words)
    assert second["files"]["results"] != first["files"]["results"]
    assert second["agents"] != first["agents"]
    assert (folder / first["files"]["results"]).read_bytes() == written
    (folder / "input.csv").write_text(OLD)
    assert outcome(*words) == first


def test_results_are_shown_where_the_schedule_is_changed_or_gone(folder):
    settings = PlaySettings(
        env="schedule", env_options={"table": "input.csv"}, arms=2, trials=1, rounds=20, agents=("random",)
    )
    found = play.run(settings)
    results.save(found, "r.npz")
    back = results.load("r.npz")
    assert back.settings == settings
    (folder / "input.csv").write_text(NEW)
    assert results.load("r.npz").summary == found.summary
    assert play.run(back.settings).summary == found.summary  # by what was read
    (folder / "input.csv").unlink()
    assert results.load("r.npz").settings == settings


def test_a_file_that_was_written_after_the_settings_is_refused(folder):
    settings = PlaySettings(env="schedule", env_options={"table": "late.csv"}, arms=2, trials=1, rounds=20)
    (folder / "late.csv").write_text(OLD)
    with pytest.raises(ChangedInputError, match=r"late.csv has changed since the settings were made"):
        settings.make_bandit(1)


def test_a_file_that_a_bandit_of_ones_own_reads_is_an_input_too(outcome, nsa, folder, capsys):
    words = ["play", "--env", "own", "--env-option", "file=input.csv", "--arms", "3", "--trials", "1", "--rounds", "5"]
    words += ["--plugin", "plugin.py", "--repetitions", "2", "--no-figures", "--json"]
    names = set()
    for level in ("0.5", "0.8"):
        (folder / "input.csv").write_text(level)
        found = outcome(*words, "--agents", "random,ucb1")
        assert found["settings"]["inputs"]["input.csv"] == digest(folder / "input.csv")
        names.add(found["files"]["results"])
    assert len(names) == 2
    (folder / "plugin.py").write_text(replacing("0.3"))
    before = sorted((folder / "nsa-results").glob("*.npz"))
    with pytest.raises(SystemExit, match="2"):
        nsa(*words, "--agents", "replacing,ucb1")
    told = capsys.readouterr()
    assert told.err == "nsa play: error: input.csv has changed since the settings were made; run again\n"
    assert (told.out, sorted((folder / "nsa-results").glob("*.npz"))) == ("", before)


def test_an_edited_plugin_is_another_result(outcome, folder):
    first = outcome(*TABLE)
    assert first["settings"]["inputs"] == {"plugin.py": digest(folder / "plugin.py")}
    assert outcome(*TABLE) == first
    (folder / "plugin.py").write_text(PLUGIN.replace("0.1, self.level", "0.5, self.level"))
    second = outcome(*TABLE)
    assert second["files"]["results"] != first["files"]["results"]
    assert second["cells"] != first["cells"]


def test_an_edited_package_of_ones_own_that_a_plugin_imports_is_another_result(outcome, folder, monkeypatch):
    package = folder / "own_package_of_a_test"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "level.py").write_text("LEVEL = 0.9")
    monkeypatch.syspath_prepend(folder)
    imported = "from own_package_of_a_test.level import LEVEL\nimport numpy, json\n"
    (folder / "plugin.py").write_text(imported + PLUGIN.replace("else 0.9", "else LEVEL"))
    first = outcome(*TABLE)
    (package / "level.py").write_text("LEVEL = 0.40")  # another length: bytecode of the same second is not read anew
    for name in [name for name in sys.modules if name.startswith("own_package_of_a_test")]:
        monkeypatch.delitem(sys.modules, name)
    second = outcome(*TABLE)
    assert second["files"]["results"] != first["files"]["results"]
    assert second["cells"] != first["cells"]


@pytest.mark.slow
def test_a_search_is_not_resumed_with_another_plugin(nsa, refused, folder):
    words = [*EVOLVE, "--envs", "own", "--generations", "1", "--plugin", "plugin.py", "--out", "s"]
    nsa(*words)
    resume = ["evolve", "--resume", "s", "--generations", "2", "--no-figures"]
    (folder / "plugin.py").write_text(PLUGIN.replace("0.1, self.level", "0.5, self.level"))
    changed = "nsa evolve: error: plugin.py has changed since the search in s began: restore it"
    assert refused(*resume, "--plugin", "plugin.py", cwd=folder).startswith(changed)
    assert refused(*words, cwd=folder).startswith(changed)
    (folder / "plugin.py").write_text(PLUGIN)
    (folder / "other.py").write_text("")
    said = refused(*resume, "--plugin", "plugin.py", "--plugin", "other.py", cwd=folder)
    assert "the search in s began without other.py" in said
    (folder / "renamed.py").write_text(PLUGIN)
    nsa(*resume, "--plugin", "renamed.py")


def test_a_search_needs_the_plugin_that_it_was_begun_with(nsa, refused, folder):
    nsa(*EVOLVE, "--envs", "MAB-P", "--generations", "1", "--plugin", "plugin.py", "--out", "s")
    said = refused("evolve", "--resume", "s", "--generations", "2", cwd=folder)
    assert "the search in s began with plugin.py: give --plugin plugin.py" in said


@pytest.mark.slow
def test_a_search_with_an_edited_plugin_has_another_folder(outcome, folder):
    words = [*EVOLVE, "--envs", "own", "--generations", "1", "--plugin", "plugin.py", "--json"]
    first = outcome(*words)
    (folder / "plugin.py").write_text(PLUGIN.replace("0.1, self.level", "0.5, self.level"))
    assert outcome(*words)["files"]["champion"] != first["files"]["champion"]


def test_without_input_files_results_have_the_names_of_release_0_2(nsa, folder):
    quick = ["--preset", "quick", "--no-figures"]
    games = [*quick, "--rounds", "20", "--agents", "random,ucb1", "--parameters", "evolved"]  # its default
    nsa("play", *games)
    nsa("table", *games, "--arms", "5")
    nsa("environments", *quick)
    names = {path.name for path in (folder / "nsa-results").glob("*.npz")}
    assert names == {"play-MAB-P-k10-d7f7296d.npz", "table-8738fb37.npz", "environments-8efe3a8f.npz"}
