"""The paper's experiments: computed once, resumed, drawn from results; and what they find."""

import csv
import dataclasses
import io
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from envs import BANDITS
from experiments.core import claims, metrics, study
from experiments.report import command as report_command
from experiments.studies.decision import study as decision_study
from experiments.studies.entropy import study as entropy_study
from experiments.studies.environments import study as environments_study
from experiments.studies.noise import study as noise_study
from experiments.studies.response import study as response_study
from experiments.studies.standings import study as standings_study
from experiments.studies.table import formats as table_formats
from experiments.studies.table import study as table_study
from experiments.studies.updates import study as updates_study
from nsa_brian import NSAParameters
from nsa_brian.model.critical import critical

STUDIES = {module.NAME: module for module in (*report_command.STUDIES, noise_study)}
SMALL = {
    "table": dataclasses.replace(table_study.PAPER, arms=(5, 10), envs=("MAB-P", "MAB-D"), rounds=60, repetitions=3),
    "entropy": dataclasses.replace(entropy_study.PAPER, rounds=60, repetitions=2, peaked_arms=20, betas=(17.0, 0.5)),
    "updates": dataclasses.replace(updates_study.PAPER, rounds=200, repetitions=10),
    "environments": dataclasses.replace(environments_study.PAPER, rounds=100),
    "decision": dataclasses.replace(decision_study.PAPER, after=(0, 60), rounds=60),
    "response": dataclasses.replace(response_study.PAPER, points=101),
    "standings": dataclasses.replace(
        standings_study.PAPER,
        agents=("nsa", "ucb1", "optimistic:tuned", "best-arm"),
        envs=("MAB-P", "MAB-D", "switching", "reversal"),
        arms=(3, 5),
        rounds=60,
        repetitions=3,
    ),
    "noise": dataclasses.replace(noise_study.STANDARD, arms=3, rounds=20, repetitions=3, strengths=(0.0, 0.3)),
}


def same(a, b):
    return (
        a.settings == b.settings
        and a.cells.keys() == b.cells.keys()
        and all(
            np.array_equal(a.cells[c][k], b.cells[c][k], equal_nan=a.cells[c][k].dtype.kind == "f")
            for c in a.cells
            for k in a.cells[c]
        )
    )


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """Results and results file of every study in a small size."""
    out = tmp_path_factory.mktemp("studies")
    return {name: study.run(name, SMALL[name], module.cells(SMALL[name]), out) for name, module in STUDIES.items()}


@pytest.mark.parametrize("name", STUDIES)
class TestContract:
    def test_a_results_file_gives_back_what_was_computed(self, name, done):
        results, path = done[name]
        assert same(study.load(path), results)
        assert not list(path.parent.glob("*.cells"))

    def test_a_finished_study_is_not_computed_again(self, name, done):
        results, path = done[name]

        def refuse():
            raise AssertionError("computed again")

        again, _ = study.run(name, SMALL[name], dict.fromkeys(results.cells, refuse), path.parent)
        assert same(again, results)

    def test_a_stopped_study_goes_on_where_it_was(self, name, done, tmp_path):
        results, _ = done[name]
        cells = STUDIES[name].cells(SMALL[name])
        *first, last = cells

        def stop():
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            study.run(name, SMALL[name], {**cells, last: stop}, tmp_path)

        def refuse():
            raise AssertionError("computed again")

        resumed, _ = study.run(name, SMALL[name], {**dict.fromkeys(first, refuse), last: cells[last]}, tmp_path)
        assert same(resumed, results)

    def test_tables_figure_and_summary_come_from_the_results_alone(self, name, done, tmp_path):
        module, loaded = STUDIES[name], study.load(done[name][1])
        for table in module.tables(loaded):
            assert all(len(row) == len(table.header) for row in table.rows)
            assert table.text()
        module.draw(loaded).savefig(tmp_path / "figure.pdf")
        summary = module.summary(loaded)
        assert json.loads(json.dumps(summary, allow_nan=False)) == summary

    def test_every_preset_can_be_built(self, name):
        first = "standard" if name == "noise" else "paper"  # noise is not in the paper
        assert {first, "full", "quick"} <= set(STUDIES[name].PRESETS)
        for preset in STUDIES[name].PRESETS.values():
            assert STUDIES[name].cells(preset)


def test_workers_change_nothing(done, tmp_path):
    results, _ = study.run("table", SMALL["table"], table_study.cells(SMALL["table"]), tmp_path, workers=2)
    assert same(results, done["table"][0])


def test_another_parameter_file_of_the_same_name_is_another_study(tmp_path):
    path = tmp_path / "mine.json"
    ids = set()
    for tau in (20, 30):
        path.write_text(json.dumps(NSAParameters(tau_u=tau).to_dict()))
        ids.add(study.settings_id(dataclasses.replace(SMALL["table"], parameters=str(path))))
    assert len(ids) == 2


def test_every_cell_has_a_file_of_its_own(tmp_path):
    long = "x" * 300
    cells = {name: lambda name=name: {"name": np.array(name)} for name in ("a/b.json", "a_b.json", "a|b", long)}
    settings = SMALL["environments"]
    results, path = study.run("environments", settings, cells, tmp_path)
    assert {name: str(found["name"]) for name, found in study.load(path).cells.items()} == {n: n for n in cells}
    assert same(study.load(path), results)


def test_a_file_that_is_no_results_file_is_told(tmp_path):
    np.savez(tmp_path / "other.npz", x=1)
    (tmp_path / "text.npz").write_text("no")
    for name in ("other.npz", "text.npz"):
        with pytest.raises(ValueError, match=f"{name}: not a results file"):
            study.load(tmp_path / name)
    with pytest.raises(ValueError, match=r"gone.npz: cannot be read"):
        study.load(tmp_path / "gone.npz")


def run_table(tmp_path, *options):
    command = [sys.executable, "-m", "experiments", "table", "--preset", "quick", "--envs", "MAB-P", "--quiet"]
    command += ["--arms", "5,10,20,50,100", "--out", str(tmp_path / "out"), *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_kill_and_the_same_command_again_gives_the_same_file(tmp_path):
    straight = run_table(tmp_path / "straight")
    expected, _ = straight.communicate()
    killed = run_table(tmp_path / "killed")
    folder = tmp_path / "killed" / "out"
    while len(list(folder.glob("*.cells/MAB*.npz"))) < 5:
        time.sleep(0.01)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    kept = {path: path.stat().st_mtime_ns for path in folder.glob("*.cells/MAB*.npz")}
    assert kept
    assert not list(folder.glob("table-*.npz"))
    again, err = run_table(tmp_path / "killed").communicate()
    assert again == expected, err
    files = [next((tmp_path / run / "out").glob("table-*.npz")) for run in ("straight", "killed")]
    assert files[0].name == files[1].name
    assert same(study.load(files[0]), study.load(files[1]))


def test_the_table_in_all_its_forms(done):
    results, _ = done["table"]
    found = table_study.summary(results)
    assert [(cell["env"], cell["arms"]) for cell in found["cells"]] == [
        ("MAB-P", 5), ("MAB-P", 10), ("MAB-D", 5), ("MAB-D", 10),
    ]  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(table_formats.csv_text(found))))
    assert len(rows) == 4 * 5
    assert float(rows[0]["regret"]) == found["cells"][0]["agents"]["nsa"]["regret"]["mean"]
    assert sum(found["cells_won"].values()) == 4
    markdown = table_formats.markdown(found, results.settings)
    assert markdown.count("\n") == 2 + 2 * 5
    latex = table_formats.latex(found, results.settings)
    assert latex.count(r"\midrule") == 2
    assert latex.count("&") == (2 * 5 + 1) * 3


def test_the_papers_own_cells_stand_beside_ours(done):
    cell = table_study.summary(done["table"][0])["cells"][1]  # MAB-P, 10 arms
    assert cell["agents"]["thompson"]["paper"]["mean"] == 0.02
    assert cell["agents"]["random"]["paper"] is None


def test_standings_rank_who_does_not_see_the_bandit_over_each_group_of_cells(done):
    found = standings_study.summary(done["standings"][0])
    assert {name: group["cells"] for name, group in found["standings"].items()} == {
        "all": 7,
        "paper's": 4,
        "others": 3,
    }
    assert [(cell["env"], cell["arms"]) for cell in found["cells"][4:]] == [
        ("switching", 3),
        ("switching", 5),
        ("reversal", 2),  # whatever the numbers of arms
    ]
    for group in found["standings"].values():
        assert set(group["ranks"]["mean"]) == {"nsa", "ucb1", "optimistic:tuned"}
        assert sum(group["ranks"]["mean"].values()) == pytest.approx(6)
        assert sum(group["cells_won"].values()) == group["cells"]
        assert group["mean_regret"]["best-arm"] == 0
    regrets = [cell["agents"]["nsa"]["regret"]["mean"] for cell in found["cells"]]
    assert found["standings"]["paper's"]["mean_regret"]["nsa"] == pytest.approx(np.mean(regrets[:4]))
    assert found["regret_by_bandit"]["switching"]["nsa"] == pytest.approx(np.mean(regrets[4:6]))
    assert standings_study.order(found)[-1] == "best-arm"


@pytest.mark.parametrize(
    ("ranks", "told"),
    [
        ({"nsa": 1.0, "a": 2.0, "b": 3.0}, "nsa is first of 3"),
        ({"nsa:x": 1.0, "nsa": 2.0, "b": 3.0}, "nsa:x is first of 3"),
        ({"a": 1.0, "nsa:x": 2.5, "nsa": 2.6}, "nsa:x is number 2 of 3 and cannot be told from the first, a"),
        ({"a": 1.0, "nsa": 2.5, "b": 2.6}, "nsa is number 2 of 3 and cannot be told from the first, a"),
        ({"a": 1.0, "b": 2.0, "nsa": 2.6}, "nsa is number 3 of 3 and differs from the first, a"),
        ({"a": 1.0, "b": 2.0, "c": 2.6}, "a is first of 3"),
    ],
)
def test_standings_say_where_nsa_stands(ranks, told):
    assert standings_study.headline({"ranks": {"mean": ranks, "critical_difference": 1.5}}) == told


def test_level_with_the_best_is_a_paired_test():
    luck = np.random.default_rng(0).normal(size=40)
    values = {"a": luck, "b": luck + 0.1, "c": luck + np.random.default_rng(1).normal(0.01, 0.1, 40)}
    best, level = metrics.level_with_best(values)
    assert best == "a"
    assert set(level) == {"a", "c"}  # b is behind by little, but always


def test_distribution_entropy():
    assert metrics.distribution_entropy(np.array([[0.5, 0.5, 0.0], [0.2, 0.2, 0.2]])) == pytest.approx(
        [np.log(2), np.log(3)]
    )


def test_a_trained_network_agrees_and_an_untrained_one_has_nothing_left(done):
    untrained, trained = decision_study.summary(done["decision"][0])["decisions"]
    assert max(untrained["u_end"]) < 1e-3
    assert trained["agreed"]
    assert max(trained["u_end"]) > 0.9


def test_the_critical_weight_is_the_papers_step(tmp_path):
    settings = dataclasses.replace(response_study.PAPER, points=2001)
    results, _ = study.run("response", settings, response_study.cells(settings), tmp_path)
    share = {name: found["critical_share"] for name, found in response_study.summary(results)["sets"].items()}
    assert share["minbandit-38"] == pytest.approx(0.64, abs=0.01)
    assert share["minbandit-29"] == pytest.approx(0.31, abs=0.01)


def test_no_critical_weight_where_nothing_lasts():
    w = np.linspace(0, 1, 11)
    assert np.isnan(critical(w, np.full(11, 1e-9)))
    assert np.isnan(critical(w, np.ones(11)))
    assert critical(w, (w > 0.45).astype(float)) == pytest.approx(0.5)


def test_updates_are_positive_at_first(done):
    first = updates_study.summary(done["updates"][0])["trials"][0]
    assert first["early"]["update"] > 0 < first["early"]["reward"]


def test_every_claim_gets_a_number_and_a_verdict(done):
    judged = claims.claims({name: STUDIES[name].summary(results) for name, (results, _) in done.items()})
    assert len(judged) == 7
    for claim in judged:
        assert claim.verdict in (claims.AGREES, claims.PARTLY, claims.NO)
        assert any(character.isdigit() for character in claim.evidence)


@pytest.mark.parametrize(
    ("early", "verdict"), [((0.1, -0.01), claims.AGREES), ((0.1, -0.0015), claims.PARTLY), ((-0.1, 0.1), claims.NO)]
)
def test_a_claim_can_fail(early, verdict):
    found = {"early_rounds": 100, "trials": [{"early": {"update": x, "update_se": 0.001}} for x in early]}
    assert claims.claims({"updates": found})[0].verdict == verdict


BAD = {
    "preset": (["table", "--preset", "huge"], "unknown preset 'huge'; known: paper, full, quick"),
    "env": (["table", "--envs", "MAB-X"], "unknown bandit 'MAB-X'"),
    "arms": (["table", "--arms", "5,x"], "--arms takes whole numbers, got '5,x'"),
    "nothing": (["table", "--arms", ","], "--arms names nothing"),
    "one arm": (["table", "--arms", "1"], "arms must be a whole number from 2 up, got 1"),
    "drift": (["table", "--drift", "fast"], "drift must be one of new-targets, published-table, got 'fast'"),
    "agents": (["updates", "--agents", "ucb1"], "agents must be nsa"),
    "after": (["decision", "--after", "0,900"], "after must lie from 0 to 500, got 0,900"),
    "points": (["response", "--points", "3"], "points must be a whole number from 11 up, got 3"),
    "betas": (["entropy", "--betas", "1,-2"], "beta must be a number above 0, got -2"),
    "format": (["environments", "--format", "bmp"], "format must be one of png, pdf, svg, got 'bmp'"),
    "from": (["table", "--from", "gone.npz"], "gone.npz: cannot be read"),
    "workers": (["table", "--workers", "0"], "workers must be a whole number from 1 up, got 0"),
    "twice": (["table", "--envs", "MAB-P,MAB-D,MAB-P"], "envs names MAB-P twice"),
    "arms twice": (["standings", "--arms", "5,10,5"], "arms names 5 twice"),
    "two agents": (["standings", "--agents", "nsa,ucb1,best-arm"], "takes three agents that do not see the bandit"),
    "one cell": (["standings", "--envs", "reversal"], "takes two cells, bandits or numbers of arms, got one"),
    "report": (["report", "--preset", "huge"], "unknown preset 'huge'"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_clear_line_and_exit_code_2(tmp_path, case):
    words, message = BAD[case]
    ran = subprocess.run([sys.executable, "-m", "experiments", *words], cwd=tmp_path, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert len(ran.stderr.splitlines()) == 1
    assert message in ran.stderr
    assert case == "from" or not list(tmp_path.iterdir())


def test_results_of_another_study_are_refused(done, tmp_path):
    path = str(done["updates"][1])
    command = [sys.executable, "-m", "experiments", "table", "--from", path]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 2
    assert "holds results of nsa updates, not of nsa table" in ran.stderr


def test_from_redraws_without_computing_in_the_format_asked_for(done, tmp_path):
    path = done["environments"][1]
    command = [sys.executable, "-m", "experiments", "environments", "--from", str(path), "--format", "svg"]
    ran = subprocess.run([*command, "--json", "--out", str(tmp_path)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    outcome = json.loads(ran.stdout)
    assert set(outcome["envs"]) == {"MAB-P", "MAB-D", "MAB-sin", "MAB-sinP"}
    assert (tmp_path / f"{path.stem}.svg").read_text().lstrip().startswith("<?xml")


def test_every_bandit_can_be_looked_at(tmp_path):
    settings = dataclasses.replace(environments_study.PAPER, envs=tuple(set(BANDITS) - {"schedule"}), rounds=50)
    results, _ = study.run("environments", settings, environments_study.cells(settings), tmp_path)
    assert len(environments_study.draw(results).axes) == len(settings.envs) + 1  # and the colour bar
    assert environments_study.summary(results)["envs"]["needle"]["best"] == pytest.approx(0.8)
