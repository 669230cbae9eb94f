"""``nsa evolve --model``: a model of the user's own from its file to its champion, and bad ones in one line."""

import json
import re
import shutil

import pytest
from guide import PIECES
from search_files import written
from selection import mostly_slow

from evolution import Search
from evolution.checkpoint import read, read_generation, search_id
from experiments.evolve.options import new_settings
from nsa_brian import DEFAULT_SET, ParameterSet, load, load_model

SOURCE = PIECES["adapting.py"]
SET_38 = load("minbandit-38").parameters
EVOLVE = ["evolve", "--envs", "MAB-P", "--arms", "4", "--iterations", "1", "--trials", "1", "--rounds", "30"]
EVOLVE += ["--population", "8", "--seed", "5", "--fix", "duration_input=100", "--fix", "duration_free=100"]


@pytest.fixture(scope="module")
def evolved(tmp_path_factory, nsa_said):
    """A search for the adapting model, one generation and then another, and what it printed."""
    here = tmp_path_factory.mktemp("evolved")
    (here / "adapting.py").write_text(SOURCE)
    nsa_said(*EVOLVE, "--model", "adapting.py", "--generations", "1", "--no-figures", "--out", "s", cwd=here)
    shutil.copytree(here / "s", here / "begun")
    words = ["--model", "adapting.py", "--generations", "2", "--no-figures", "--out", "s", "--json"]
    return here, json.loads(nsa_said(*EVOLVE, *words, cwd=here))


class TestTheCommand:
    def test_evolves_the_models_own_genes(self, evolved):
        here, found = evolved
        assert found["genes"] == 22  # 24 but for two that are fixed
        assert {"b", "tau_a"} <= set(found["champion"]["parameters"])
        assert set(found["champion"]["report"]) == {"champion", DEFAULT_SET, "evolved", "minbandit-38", "minbandit-29"}
        assert (found["settings"]["model"], found["settings"]["engine"]) == ("adapting.py", "table")
        assert read_generation(here / "s", 2)["parameters"].shape == (8, 24)

    def test_leaves_a_champion_that_brings_its_model(self, evolved):
        here, found = evolved
        best = load(here / "s" / "best.json")
        assert best.model == load_model(here / "adapting.py")
        assert best.parameters.to_dict() == found["champion"]["parameters"]
        assert "model adapting" in best.source

    @pytest.mark.parametrize("where", mostly_slow(["here", "two processes", "dask"], "here"))
    def test_goes_on_without_the_models_file(self, evolved, where, tmp_path, nsa, request):
        """In an empty folder, in this process or others: the same files, byte for byte."""
        here, _ = evolved
        shutil.copytree(here / "begun", tmp_path / "s")
        options = ["evolve", "--resume", "s", "--generations", "2", "--no-figures"]
        if where == "dask":
            cluster = request.getfixturevalue("dask_cluster")
            said = nsa(*options, "--scheduler", cluster.scheduler_address, cwd=tmp_path)
        elif where == "two processes":
            request.getfixturevalue("workers_at_hand")
            said = nsa(*options, "--workers", "2", cwd=tmp_path)
        else:
            said = nsa(*options, cwd=tmp_path)
        assert "the model adapting, 22 genes, played by table" in said
        assert written(tmp_path / "s") == written(here / "s")

    @pytest.mark.slow
    def test_draws_the_models_own_parameters(self, evolved, tmp_path, nsa):
        nsa("evolution-figures", evolved[0] / "s", "--out", tmp_path, "--format", "svg")
        for name in ("genome", "parameters"):
            assert re.search(r"<!-- tau_a -->", (tmp_path / f"{name}.svg").read_text())

    def test_starts_from_a_champion_with_its_model(self, evolved, tmp_path, nsa):
        best = tmp_path / "best.json"
        shutil.copy(evolved[0] / "s" / "best.json", best)
        options = [*EVOLVE, "--start", "best.json", "--fix", "b=0.5", "--generations", "1", "--no-figures", "--json"]
        found = json.loads(nsa(*options, "--out", "t", cwd=tmp_path))
        assert (found["genes"], found["champion"]["parameters"]["b"]) == (21, 0.5)
        assert found["settings"]["model"] == "best.json"
        assert "start (best.json)" in found["champion"]["report"]
        assert Search.load(tmp_path / "t").settings.start == load(best).parameters

    def test_names_its_folder_by_what_the_model_says(self, tmp_path):
        ids = []
        for name, source in (("one.py", SOURCE), ("two.py", SOURCE), ("two.py", SOURCE.replace("0.3", "0.4"))):
            (tmp_path / name).write_text(source)
            settings, _ = new_settings("default", {"model": str(tmp_path / name)})
            ids.append(search_id(settings.to_dict()))
        assert ids[0] == ids[1] != ids[2]
        assert search_id(new_settings("default", {})[0].to_dict()) not in ids

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (["--model", "paper"], "has --model adapting.py, not paper; only --generations may differ"),
            (["--model", "other.py"], "has --model adapting.py, not other.py"),
            (["--model", "gone.py"], "gone.py: there is no such file"),
            (["--engine", "rounds"], "has --engine table, not rounds"),
            (["--fix", "b=1"], "has --fix duration_input=100,duration_free=100, not b=1"),
        ],
        ids=lambda value: " ".join(value) if isinstance(value, list) else "",
    )
    def test_refuses_to_go_on_with_another(self, evolved, options, words, refused):
        here, _ = evolved
        (here / "other.py").write_text(SOURCE.replace("0.3", "0.4"))
        assert words in refused("evolve", "--resume", "s", *options, cwd=here)

    def test_says_that_the_models_file_has_changed(self, evolved, tmp_path, refused):
        shutil.copytree(evolved[0] / "begun", tmp_path / "s")
        (tmp_path / "adapting.py").write_text(SOURCE.replace("0.3", "0.4"))
        said = refused("evolve", "--resume", "s", "--model", "adapting.py", cwd=tmp_path)
        assert "has --model adapting.py, which has changed since the search began" in said


BAD = {
    "no file": (["--model", "nowhere.py"], "nowhere.py: there is no such file"),
    "no model": (["--model", "papre"], "no model 'papre'; did you mean paper?"),
    "a file without a model": (["--model", "empty.py"], "it defines no Model"),
    "a file that fails": (["--model", "failing.py"], "ZeroDivisionError"),
    "a file that needs its neighbour": (
        ["--model", "leaning.py"],
        "such a file can import installed packages, but no files beside it",
    ),
    "a bad model": (["--model", "bad.py"], "tau_b"),
    "an engine that refuses": (["--model", "lateral.py", "--engine", "table"], "the engine table cannot run the model"),
    "the network": (["--model", "lateral.py", "--engine", "network"], "engine must be one of table, rounds"),
    "an unknown own gene": (["--model", "adapting.py", "--fix", "tau_b=3"], "did you mean tau_"),
    "an illegal own value": (["--model", "adapting.py", "--fix", "b=-3"], "parameter b must be a number above 0"),
    "an own gene without its model": (["--fix", "b=0.5"], "unknown parameter 'b'"),
    "another model's start": (["--model", "lateral.py", "--start", "best.json"], "brings its own model, adapting"),
    "the paper's, and another's start": (
        ["--model", "paper", "--start", "best.json"],
        "brings its own model, adapting",
    ),
}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    here = tmp_path_factory.mktemp("models")
    (here / "empty.py").write_text("")
    (here / "failing.py").write_text("1 / 0")
    (here / "leaning.py").write_text("from failing import MODEL")
    (here / "bad.py").write_text(SOURCE.replace("/ tau_a", "/ tau_b"))
    (here / "adapting.py").write_text(SOURCE)
    (here / "lateral.py").write_text(
        "from nsa_brian import Lateral, Model\n"
        "rate_u = 'du/dt = (-u + I_u + I - L) / tau_u : 1'\n"
        "MODEL = Model(name='lateral', rate_u=rate_u, lateral=Lateral('u', 'L', '0.2 * phi_u_pre / n_arms'))"
    )
    model = load_model(here / "adapting.py")
    (here / "best.json").write_text(ParameterSet(model.complete(SET_38), model=model).to_json())
    return here


@pytest.mark.parametrize(("options", "words"), BAD.values(), ids=BAD)
def test_bad_models_are_one_line(options, words, models, refused):
    assert words in refused("evolve", *options, cwd=models)


def test_the_checkpoint_has_the_model_in_full(evolved):
    assert read(evolved[0] / "s").settings.model == load_model(evolved[0] / "adapting.py")


@pytest.mark.slow
def test_a_spiking_model_comes_to_its_page_though_no_set_of_so_few_may_hold_a_memory(tmp_path, nsa):
    search = ["--look", "4", "--rungs", "1x1x1", "--population", "4", "--seed", "1", "--out", "spiking"]
    games = ["--envs", "MAB-P", "--arms", "3", "--rounds", "10", "--trials", "1"]
    assert "spiking/search.html" in nsa("evolve", "--model", "spiking", *search, *games, cwd=tmp_path)
    assert "U and V agree in" in (tmp_path / "spiking" / "search.html").read_text()
