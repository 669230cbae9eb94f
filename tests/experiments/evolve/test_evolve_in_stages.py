"""``nsa evolve`` from nothing: what it says, its files and its page, stopped and gone on with, bad input."""

import dataclasses
import json
import os
import shutil
import signal
import subprocess

import pytest
from search_files import files, written

from evolution import FitnessGames, Search, SearchSettings, StagedSearch, StagedSettings, evaluation
from evolution.evaluation import ONE_PAIR
from evolution.search import WIDE, WIDE_STEP
from experiments.evolve import measured
from experiments.evolve import strategy as strategies
from experiments.evolve.options import PRESETS, Sources, new_settings, options_of, preset_for, to_plain
from experiments.evolve.page import report_table
from experiments.evolve.progress import Clock
from experiments.evolve.requests import from_record
from experiments.evolve.strategy import strategy
from nsa_brian import DEFAULT_SET, load
from nsa_brian.model.model import PAPER

GAMES = ["--envs", "MAB-P", "--arms", "3", "--trials", "1", "--rounds", "40", "--population", "6", "--seed", "5"]
EVOLVE = ["evolve", "--look", "96", "--rungs", "2x2x1,1x2x2", *GAMES]


@pytest.fixture(scope="module")
def searched(tmp_path_factory, nsa_said):
    """A search in one process, and what it printed."""
    here = tmp_path_factory.mktemp("stages")
    return here / "s", nsa_said(*EVOLVE, "--no-figures", "--out", "s", cwd=here)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory, nsa_said):
    """The same with its figures and its page."""
    here = tmp_path_factory.mktemp("drawn")
    return here / "s", nsa_said(*EVOLVE, "--out", "s", cwd=here)


class TestASearch:
    def test_tells_each_stage_with_the_time_left(self, searched):
        told = searched[1].splitlines()
        stages = [line for line in told if line.endswith(" left")]
        assert [sum(line.startswith(word) for line in stages) for word in ("screening ", "rung 1", "rung 2")] == [
            3,
            5,
            3,
        ]
        assert stages[-1].endswith("0:00 left")
        assert any("rung 1/2 is over, on held-out games: run " in line and "1 of 2 continue" in line for line in stages)

    def test_leaves_a_champion_that_says_how_it_was_found(self, searched):
        best = load(searched[0] / "best.json")
        assert best.source.startswith(
            "nsa evolve: random search over 96 sets, then successive halving of CMA-ES runs with 6 individuals: "
            "2 runs of 2 generations on 1 game of each kind"
        )
        assert best.source.endswith("seed 5")

    @pytest.mark.slow
    def test_ends_with_a_page_that_has_every_stage_and_the_strategy_in_words(self, drawn):
        folder, told = drawn
        assert told.rstrip().endswith("s/search.html")
        page = (folder / "search.html").read_text()
        for words in (
            "Random search",
            "Which genes matter",
            "Successive halving",
            "U and V agree in",
            "With U silenced",
        ):
            assert words in page
        assert page.count("data:image/png") == 7

    @pytest.mark.slow
    def test_figures_are_drawn_again_from_the_folder(self, drawn, tmp_path, nsa):
        nsa("evolution-figures", drawn[0], "--out", tmp_path)
        again, before = files(tmp_path), files(drawn[0])
        assert {"look.png", "race.png", "sensitivity.png", "fitness.png"} <= set(again)
        assert all(before[name] == image for name, image in again.items())

    @pytest.mark.slow
    def test_what_was_measured_is_stored_and_not_played_again(self, drawn, tmp_path, nsa, monkeypatch):
        """No game is played for figures and page of a finished search, and they are the same, byte for byte."""
        shutil.copytree(drawn[0], tmp_path / "s")
        for module in (evaluation, strategies):
            monkeypatch.setattr(module, "scores", _fail)
        monkeypatch.setattr(strategies, "NSA", _fail)
        nsa("evolve", "--resume", "s", cwd=tmp_path)
        nsa("evolution-figures", "s", cwd=tmp_path)
        assert files(tmp_path / "s") == files(drawn[0])

    @pytest.mark.slow
    @pytest.mark.parametrize("content", [None, b"damaged"], ids=["missing", "damaged"])
    def test_what_is_not_stored_is_measured_once_and_told(self, content, drawn, tmp_path, nsa_script):
        shutil.copytree(drawn[0], tmp_path / "s")
        if content is None:
            (tmp_path / "s" / "measured.npz").unlink()
        else:
            (tmp_path / "s" / "measured.npz").write_bytes(content)
        first, second = (nsa_script("evolution-figures", "s", "--out", "f", cwd=tmp_path) for _ in range(2))
        assert "note: playing evolved-0.3, evolved, minbandit-38, minbandit-29 on the held-out games" in first.stderr
        assert "playing" not in second.stderr
        assert (tmp_path / "f" / "race.png").read_bytes() == (drawn[0] / "race.png").read_bytes()

    def test_a_shipped_set_with_other_values_is_played_again(self, searched, tmp_path, monkeypatch):
        """A release may ship other values under the same name."""
        folder, told = shutil.copytree(searched[0], tmp_path / "s"), []
        search = StagedSearch.load(folder)
        before = measured.shipped_regrets(search, folder, told.append)
        assert measured.shipped_regrets(search, folder, told.append) == before
        assert len(told) == 1
        changed = dataclasses.replace(load("evolved"), parameters=load("minbandit-38").parameters)
        monkeypatch.setattr(measured, "load", lambda name: changed if name == "evolved" else load(name))
        after = measured.shipped_regrets(search, folder, told.append)
        assert len(told) == 2
        assert after == {**before, "evolved": before["minbandit-38"]}

    def test_stopped_in_the_look_it_has_a_champion_and_goes_on_to_the_same_bytes(self, searched, tmp_path, nsa):
        assert "champion: look, best" in nsa(*EVOLVE, "--time-limit", "0.0001", "--out", "s", cwd=tmp_path)
        assert StagedSearch.load(tmp_path / "s").generation == 0
        best = load(tmp_path / "s" / "best.json")
        assert "stopped after 96 of 96, then 0 of 12 sets screened" in best.source
        assert best.evolve is None  # who would run it again would run it to its end
        page = (tmp_path / "s" / "search.html").read_text()
        assert "nan" not in best.note + page
        assert "<h2>Its strategy</h2>" in page
        told = nsa(*EVOLVE, "--no-figures", "--out", "s", cwd=tmp_path)
        assert "resuming after 96 of 96, then 0 of 12 sets screened" in told
        assert written(tmp_path / "s") == written(searched[0])

    @pytest.mark.slow
    def test_on_a_dask_cluster_that_loses_a_worker(self, drawn, tmp_path, nsa_process):
        distributed = pytest.importorskip("distributed")
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, local_directory=tmp_path / "d"
        )
        with cluster:
            options = [*EVOLVE, "--scheduler", cluster.scheduler_address, "--out", "s"]
            search = subprocess.Popen(nsa_process.words(*options), cwd=tmp_path, stdout=subprocess.PIPE, text=True)
            for line in search.stdout:
                if line.startswith("screening 2/"):
                    break
            os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
            search.communicate(timeout=200)
        assert search.returncode == 0
        assert files(tmp_path / "s") == files(drawn[0])


def _fail(*_, **__):
    raise AssertionError("a game is played")


BAD = {
    "rungs that are none": (["--rungs", "8x15x1,many"], "--rungs takes RUNSxGENERATIONSxGAMES"),
    "a rung without games": (["--rungs", "2x1"], "--rungs takes RUNSxGENERATIONSxGAMES"),
    "more runs later": (["--rungs", "2x1x1,3x1x1"], "cannot have more runs than the one before, got 3 after 2"),
    "fewer sets than starts": (["--look", "1", "--rungs", "4x1x1"], "must be at least the number of starts, 2, got 1"),
    "a step size twice": (["--sigma", "0.1,0.1"], "at least one step size, each once"),
    "a step size of nothing": (["--sigma", "0.1,0"], "sigma must be a number from 1e-06"),
    "generations": (
        ["--preset", "quick", "--generations", "3"],
        "--generations is an option of a single run (--preset paper-main)",
    ),
    "a start": (["--preset", "default", "--start", "evolved"], "--start is an option of a single run"),
    "genes that are nowhere": (["--inexact", "0.3"], "inexact must be a number from 0 to 0.25, got 0.3"),
    "a look, of one run": (["--preset", "paper-main", "--look", "9"], "--look is an option of a staged search"),
}


@pytest.mark.parametrize(("options", "words"), BAD.values(), ids=BAD)
def test_bad_input_is_one_line(options, words, tmp_path, refused):
    assert words in refused("evolve", "--rungs", "2x1x1", *options, cwd=tmp_path)


@pytest.mark.parametrize(("options", "words"), [(["--look", "97"], "has --look 96, not 97; nothing may differ")])
def test_going_on_with_other_settings_is_refused(options, words, searched, refused):
    before = files(searched[0])
    assert words in refused("evolve", "--resume", "s", *options, cwd=searched[0].parent)
    assert files(searched[0]) == before


def test_the_time_left_is_not_told_before_work_is_done(searched):
    assert Clock(StagedSearch.load(searched[0])).left == "? left"


def test_from_nothing_is_what_is_meant_unless_an_option_of_one_run_is_given():
    assert preset_for([], "") == preset_for(["arms", "population"], "") == "default"
    assert preset_for(["start", "arms"], "") == preset_for(["generations"], "spiking-ei") == "paper-main"
    assert preset_for([], "spiking-ei") == "spiking"


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_what_its_search_says_it_is(name):
    settings, sources = new_settings(name, {})
    assert type(settings) is PRESETS[name].kind
    assert sources == Sources("paper", PRESETS[name].options.get("start", ""))
    again, named = from_record(json.loads(json.dumps(to_plain(options_of(settings, sources)))))
    assert named == sources
    assert dataclasses.replace(again, games=dataclasses.replace(again.games, engine="")) == settings
    assert {**options_of(settings, sources), **PRESETS[name].options} == options_of(settings, sources)


def test_the_command_searches_as_the_library_does():
    assert new_settings("default", {})[0] == StagedSettings()
    assert new_settings("paper-main", {})[0] == SearchSettings()


@pytest.fixture(scope="module")
def evolved():
    return strategy(load("evolved").parameters, PAPER)


class TestStrategy:
    def test_counts_the_rewards_and_misses_that_eq_3_needs(self, evolved):
        """One reward takes a new arm of `evolved` over w*; of misses it takes five."""
        assert (evolved.rewards, evolved.misses) == (1, 5)
        assert evolved.critical == pytest.approx(2.27, abs=0.02)

    def test_silencing_u_leaves_blind_choice(self, evolved):
        assert evolved.regret < 0.1
        assert evolved.silenced == pytest.approx(evolved.chance, abs=0.03)

    def test_genes_that_are_a_little_off_hardly_matter_to_it(self, evolved):
        exact, off = evolved.off
        assert off == pytest.approx(exact, abs=0.01)

    def test_is_told_in_words(self, evolved):
        learns, remembers, explores, silenced, off = evolved.sentences()
        assert "learns fast from rewards" in learns
        assert "1 reward in a row to get there from nothing, 5 misses in a row" in remembers
        assert f"U and V agree in {evolved.agreement:.1%}" in explores
        assert "regret rises from" in silenced
        assert off.endswith("it is robust.")


def test_steps_that_stay_wide_are_seen_and_end_a_run_that_may_end():
    for stagnation, stops in ((0, ""), (100, f"steps stayed wide for {WIDE} generations")):
        search = Search(SearchSettings(population=4, generations=1000, stagnation=stagnation), lambda *_: 0.0)
        for i in range(WIDE):
            assert not search.wide
            search.logbook.record(restart=0, regret=0.0, sigma=WIDE_STEP + 0.1, generation=i)
        assert search.wide
        assert search.stop == stops


@pytest.fixture(scope="module")
def like_the_default_set(tmp_path_factory, nsa_said):
    """A small search with the preset that found the default set of 0.2, and what it printed."""
    small = ["--generations", "1", "--population", "4", "--rounds", "5", "--arms", "2", "--iterations", "1"]
    options = ["--preset", "evolved", *small, "--fix", "gain_v=30", "--no-figures", "--json", "--out", "s"]
    here = tmp_path_factory.mktemp("preset")
    return here / "s", json.loads(nsa_said("evolve", *options, cwd=here))


@pytest.mark.slow
class TestThePresetOfTheDefaultSet:
    def test_what_is_fixed_is_fixed_beside_what_it_fixes(self, like_the_default_set):
        _, told = like_the_default_set
        assert told["genes"] == 13
        assert set(told["settings"]["fix"]) == {*to_plain(PRESETS["evolved"].options)["fix"], "gain_v=30"} - {
            "gain_v=20"
        }

    def test_judges_inexactly_and_says_so(self, like_the_default_set):
        folder, told = like_the_default_set
        envs, trials, rounds = 4, 2, 5
        assert told["game_rounds"] == 2 * ONE_PAIR * 4 * envs * trials * rounds
        assert report_table(told["champion"]["report"])[0][1:] == ["mean reward", "regret", "regret, genes perturbed"]
        assert "genes perturbed by 0.5% of their ranges" in load(folder / "best.json").source


@pytest.mark.parametrize(
    ("start", "tolerance"), [(load("evolved").parameters, None), (None, 0.3)], ids=["start", "tolerance"]
)
def test_a_search_that_no_options_say_leaves_a_set_that_names_none(start, tolerance, tmp_path, nsa):
    """They would run another search again."""
    games = FitnessGames(envs=("MAB-P",), arms=(2,), iterations=1, rounds=5, tolerance=tolerance)
    search = Search(SearchSettings(games=games, population=4, generations=1, start=start))
    search.step()
    search.save(tmp_path)
    nsa("evolve", "--resume", ".", "--no-figures", cwd=tmp_path)
    assert load(tmp_path / "best.json").evolve is None


class TestReproduce:
    @pytest.mark.slow
    def test_runs_the_search_of_a_set_again(self, searched, tmp_path, nsa):
        found = json.loads(
            nsa(
                "evolve", "--reproduce", searched[0] / "best.json", "--no-figures", "--json", "--out", "s", cwd=tmp_path
            )
        )
        assert found["reproduced"]
        assert len(found["judged"]) == 2
        assert found["game_rounds"] == 96 * 40 + 12 * 4 * 40 + 2 * 16 * 40 + 6 * (4 * 40 + 2 * 2 * 40)
        assert (tmp_path / "s" / "best.json").read_bytes() == (searched[0] / "best.json").read_bytes()

    def test_a_shipped_set_says_which_search_found_it(self):
        settings, _ = from_record(load("evolved").evolve)
        preset, _ = new_settings("evolved", {})
        assert settings == dataclasses.replace(preset, games=dataclasses.replace(preset.games, engine="table"))

    @pytest.mark.slow
    @pytest.mark.parametrize("name", ["evolved", DEFAULT_SET])
    def test_one_command_finds_the_default_sets(self, name, tmp_path, nsa):
        """The same to the last digit where processor and versions round alike, and as good anywhere."""
        told = nsa("evolve", "--reproduce", name, "--workers", 2, "--no-figures", "--json", "--out", "s", cwd=tmp_path)
        report = json.loads(told)["champion"]["report"]
        assert report["champion"]["regret"] == pytest.approx(report[name]["regret"], abs=0.003)
        assert report["champion"]["regret"] < report["minbandit-29"]["regret"] < report["minbandit-38"]["regret"]

    @pytest.mark.parametrize(
        ("words", "told"),
        [
            (["minbandit-38"], "does not say which search found it; shipped sets that do: evolved"),
            (["evolved", "--population", "8"], "--reproduce takes all settings from the set"),
            (["evolved", "--resume", "s"], "--resume names the folder"),
            (["strange.json"], "'evolve' has other settings than nsa evolve"),
            (["found/best.json", "--out", "found"], "run its search again in another folder"),
        ],
        ids=lambda value: value[0] if isinstance(value, list) else "",
    )
    def test_refuses_what_it_cannot_run_again(self, words, told, searched, tmp_path, refused):
        strange = {"parameters": load("evolved").parameters.to_dict(), "evolve": {"colour": "blue"}}
        (tmp_path / "strange.json").write_text(json.dumps(strange))
        (tmp_path / "found").mkdir()
        (tmp_path / "found" / "best.json").write_bytes((searched[0] / "best.json").read_bytes())
        assert told in refused("evolve", "--reproduce", *words, cwd=tmp_path)
