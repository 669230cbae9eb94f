"""What every study owes: computed once, resumed, drawn from results, shown in every form."""

import json
import os
import signal
import subprocess
import time

import numpy as np
import pandas as pd
import pytest
from selection import mostly_slow
from small_studies import STUDIES

from experiments import registry
from experiments.core import extras
from experiments.core.cells import Cell
from experiments.core.claims import AGREES, NO, PARTLY
from experiments.core.study_command import plain
from experiments.report.command import studies as reported


def same(a, b):
    return (
        a.settings_dict == b.settings_dict
        and a.cells.keys() == b.cells.keys()
        and all(
            np.array_equal(a.cells[c][k], b.cells[c][k], equal_nan=a.cells[c][k].dtype.kind == "f")
            for c in a.cells
            for k in a.cells[c]
        )
    )


def as_json(value):
    return json.loads(json.dumps(value, allow_nan=False))


class Refusing(Cell):
    """A cell that must not be computed."""

    def __init__(self, error=AssertionError):
        self.error = error

    def __call__(self, progress=None):
        raise self.error


def test_a_results_file_gives_back_what_was_computed(study, done):
    found, settings = study
    results, path = done[found.name]
    back = found.load(path)
    assert as_json(back.settings_dict) == as_json(results.settings_dict)
    assert back.settings == settings
    assert back.summary == results.summary
    assert not list(path.parent.glob(f"{found.name}*.cells"))


def test_a_finished_study_is_not_computed_again(study, done):
    found, settings = study
    if found.name == "play":
        pytest.skip("games are always played anew: a user's own agent or bandit may have changed")
    results, path = done[found.name]
    again, _ = found.run(settings, path.parent, cells=dict.fromkeys(results.cells, Refusing()))
    assert same(again, results)


@pytest.mark.parametrize(
    "study_name", mostly_slow(STUDIES, *(STUDIES.keys() - {"ablation", "standings", "decision", "noise"}))
)
def test_a_stopped_study_goes_on_where_it_was(study, done, tmp_path):
    found, settings = study
    results, _ = done[found.name]
    cells = found.cells(settings)
    *first, last = cells
    with pytest.raises(KeyboardInterrupt):
        found.run(settings, tmp_path, cells={**cells, last: Refusing(KeyboardInterrupt)})
    assert bool(first) == any(tmp_path.iterdir())  # nothing is left where nothing was done
    resumed, _ = found.run(settings, tmp_path, cells={**dict.fromkeys(first, Refusing()), last: cells[last]})
    assert same(resumed, results)


def test_tables_and_summary_come_from_the_results_alone(study, done):
    found, _ = study
    loaded = found.load(done[found.name][1])
    for table in loaded.tables:
        assert all(len(row) == len(table.header) for row in table.rows)
        assert table.text()
    assert as_json(plain(loaded.summary))


@pytest.mark.parametrize("study_name", mostly_slow(STUDIES, "standings", "tune", "updates"))
def test_figures_come_from_the_results_alone(study, done):
    found, _ = study
    results, path = done[found.name]
    assert found.image(found.load(path), "png") == found.image(results, "png")


def test_results_are_shown_in_notebooks_and_come_to_a_data_frame(study, done):
    found, _ = study
    results, _ = done[found.name]
    assert results._repr_html_().count("<table>") == len(results.tables)
    assert repr(results).startswith(f"<results of nsa {found.name}: ")
    frame = results.to_dataframe()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == len(found.rows(results)) > 0
    assert not frame.isna().all(axis=None)


def test_progress_adds_up_to_the_work(study, done, tmp_path):
    found, settings = study
    told = []
    cells = found.cells(settings)
    found.run(settings, done[found.name][1].parent, progress=told.append, cells=cells)
    assert sum(told) == sum(cell.work for cell in cells.values())


def test_every_preset_can_be_built(study):
    found, _ = study
    assert "quick" in found.presets
    assert found not in reported() or {"paper", "full"} <= set(found.presets)
    for preset in found.presets.values():
        assert found.cells(found.settings_of(preset))


def test_every_claim_of_the_paper_gets_a_number_and_a_verdict(study, done):
    found, _ = study
    claims = found.claims(done[found.name][0])
    assert len(claims) == {"table": 2, "entropy": 4, "updates": 1}.get(found.name, 0)
    for claim in claims:
        assert claim.study == found.name
        assert claim.verdict in (AGREES, PARTLY, NO)
        assert any(character.isdigit() for character in claim.evidence)


def test_it_is_entered_by_its_name(study):
    found, _ = study
    assert registry.study(found.name) is found
    assert found.name in [entry.name for entry in registry.ENTRIES]


def test_without_pandas_one_line_says_how_to_get_it(done, monkeypatch):
    def missing(name):
        raise ModuleNotFoundError("No module", name=name)

    monkeypatch.setattr(extras, "import_module", missing)
    with pytest.raises(ModuleNotFoundError, match=r'pandas is missing: pip install "nsa-brian\[dataframe\]"'):
        done["environments"][0].to_dataframe()


def test_every_cell_has_a_file_of_its_own(tmp_path):
    found = registry.study("environments")
    names = ("a/b.json", "a_b.json", "a|b", "x" * 300)
    cells = {name: Cell(lambda name=name: {"name": np.array(name)}) for name in names}
    results, path = found.run(found.presets["quick"], tmp_path, cells=cells)
    assert {name: str(arrays["name"]) for name, arrays in found.load(path).cells.items()} == {n: n for n in cells}
    assert same(found.load(path), results)


def test_a_file_that_is_no_results_file_is_told(tmp_path):
    found = registry.study("table")
    np.savez(tmp_path / "other.npz", x=1)
    (tmp_path / "text.npz").write_text("no")
    for name in ("other.npz", "text.npz"):
        with pytest.raises(ValueError, match=f"{name} is not a results file"):
            found.load(tmp_path / name)
    with pytest.raises(ValueError, match=r"gone.npz: cannot be read"):
        found.load(tmp_path / "gone.npz")


@pytest.mark.slow
def test_kill_and_the_same_command_again_gives_the_same_file(tmp_path, nsa_process):
    def run_table(out):
        words = nsa_process.words("table", "--preset", "quick", "--envs", "MAB-P", "--quiet", "--out", out)
        words += ["--arms", "5,10,20,50", "--agents", "random,ucb1,epsilon-greedy", "--rounds", "500", "--no-figures"]
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    straight, folder = tmp_path / "straight", tmp_path / "killed"
    expected, _ = run_table(straight).communicate()
    killed = run_table(folder)
    while len(list(folder.glob("*.cells/MAB*.npz"))) < 5:
        time.sleep(0.01)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    assert list(folder.glob("*.cells/MAB*.npz"))
    assert not list(folder.glob("table-*.npz"))
    again, err = run_table(folder).communicate()
    assert again == expected.replace(str(straight), str(folder)), err
    files = [next(out.glob("table-*.npz")) for out in (straight, folder)]
    assert files[0].name == files[1].name
    assert same(*(registry.study("table").load(path) for path in files))


BAD = {
    "preset": (["table", "--preset", "huge"], "unknown preset 'huge'; known: paper, full, quick"),
    "env": (["table", "--envs", "MAB-X"], "unknown bandit 'MAB-X'"),
    "arms": (["table", "--arms", "5,x"], "--arms takes whole numbers, got '5,x'"),
    "nothing": (["table", "--arms", ","], "--arms needs a value"),
    "one arm": (["table", "--arms", "1"], "arms must be a whole number from 2 up, got 1"),
    "drift": (["table", "--drift", "fast"], "drift must be one of new-targets, published-table, got 'fast'"),
    "agents": (["updates", "--agents", "ucb1"], "agents must be one NSA agent (nsa or nsa:WHAT), got ucb1"),
    "after": (["decision", "--after", "0,900"], "after must be from 0 to 500, got 0,900"),
    "points": (["response", "--points", "3"], "points must be a whole number from 11 up, got 3"),
    "betas": (["entropy", "--betas", "1,-2"], "beta must be a number above 0, got -2"),
    "format": (["environments", "--format", "bmp"], "format must be one of png, pdf, svg, got 'bmp'"),
    "workers": (["table", "--workers", "0"], "workers must be a whole number from 1 up, got 0"),
    "twice": (["table", "--envs", "MAB-P,MAB-D,MAB-P"], "envs: MAB-P is given twice"),
    "agent twice": (["table", "--agents", "random,random"], "agent 'random' is given twice"),
    "arms twice": (["standings", "--arms", "5,10,5"], "arms: 5 is given twice"),
    "two agents": (
        ["standings", "--agents", "nsa,ucb1,best-arm"],
        "need at least 3 agents that do not see the bandit",
    ),
    "one cell": (
        ["standings", "--envs", "reversal"],
        "need at least 2 cells (bandits x numbers of arms), got 1",
    ),
    "report": (["report", "--preset", "huge"], "unknown preset 'huge'"),
}


@pytest.mark.parametrize(("words", "message"), BAD.values(), ids=BAD)
def test_bad_input_is_one_clear_line_and_exit_code_2(words, message, refused, tmp_path):
    assert message in refused(*words, cwd=tmp_path)


def test_results_of_another_study_are_refused(done, refused, tmp_path):
    out = ["--out", str(tmp_path)]
    for whose, asked in (("updates", "table"), ("updates", "play"), ("play", "updates")):
        said = refused(asked, "--from", str(done[whose][1]), *out, cwd=tmp_path)
        assert f"holds results of nsa {whose}, not of nsa {asked}" in said
    assert "gone.npz: cannot be read" in refused("table", "--from", "gone.npz", *out, cwd=tmp_path)


@pytest.mark.parametrize("name", mostly_slow(["environments", "play"], "play"))
def test_from_redraws_without_computing_in_the_format_asked_for(name, done, nsa, tmp_path):
    results, path = done[name]
    outcome = json.loads(nsa(name, "--from", path, "--format", "svg", "--json", "--out", tmp_path))
    assert {key: outcome[key] for key in plain(results.summary)} == as_json(plain(results.summary))
    assert outcome["settings"] == as_json(results.settings_dict)
    assert (tmp_path / f"{path.stem}.svg").read_text().lstrip().startswith("<?xml")


def test_without_figures_nothing_is_drawn(done, nsa, tmp_path):
    path = done["environments"][1]
    outcome = json.loads(nsa("environments", "--from", path, "--no-figures", "--json", "--out", tmp_path))
    assert outcome["files"] == {"results": str(path)}
    assert not list(tmp_path.iterdir())
