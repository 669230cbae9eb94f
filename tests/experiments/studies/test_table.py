"""``nsa table`` and ``nsa standings``: the comparison of agents."""

import csv
import dataclasses
import io
import json
import re

import numpy as np
import pytest

from experiments.core import metrics
from experiments.core.metrics import Ranks
from experiments.studies.standings.study import headline
from experiments.studies.table.study import STUDY
from nsa_brian import NSAParameters


def test_workers_change_nothing(done, tmp_path, workers_at_hand):
    results, _ = done["table"]
    again, _ = STUDY.run(results.settings, tmp_path, workers=2)
    assert again.summary == results.summary


def test_another_parameter_file_of_the_same_name_is_another_study(done, tmp_path):
    path = tmp_path / "mine.json"
    ids = set()
    for tau in (20, 30):
        path.write_text(json.dumps(NSAParameters(tau_u=tau).to_dict()))
        ids.add(dataclasses.replace(done["table"][0].settings, parameters=str(path)).id)
    assert len(ids) == 2


def test_the_table_in_all_its_forms(done):
    results, _ = done["table"]
    found = results.summary
    assert [(cell.env, cell.arms) for cell in found.cells] == [
        ("MAB-P", 5), ("MAB-P", 10), ("MAB-D", 5), ("MAB-D", 10),
    ]  # fmt: skip
    texts = {export.suffix: export.text for export in STUDY.exports(results)}
    rows = list(csv.DictReader(io.StringIO(texts["csv"])))
    assert len(rows) == 4 * 5
    assert float(rows[0]["regret"]) == found.cells[0].agents["nsa"].regret.mean
    assert sum(found.cells_won.values()) == 4
    assert sum(line.startswith("| MAB-") for line in texts["md"].splitlines()) == 2 * (2 * 5)
    assert texts["tex"].count(r"\midrule") == 2 * 2
    assert texts["tex"].count("&") == 2 * (2 * 5 + 1) * 3


@pytest.mark.parametrize("suffix", ["md", "tex"])
def test_both_measures_of_regret_are_exported_with_captions_that_explain_them(suffix, done):
    results, _ = done["table"]
    text = {export.suffix: export.text for export in STUDY.exports(results)}[suffix]
    first, second = text.split("Published regret, the measure of the paper's own table")
    for part, words in (
        (first, "Regret of eq. (1)"),
        (first, "95"),
        (first, "paired t-test"),
        (second, "standard dev"),
    ):
        assert words in part
    assert all("Bold: " in part for part in (first, second))
    cell = results.summary.cells[1]  # MAB-P, 10 arms
    found = cell.agents["thompson"]
    assert f"{found.regret.mean:.3f}" in first
    paper = "{[}0.02 (" if suffix == "tex" else r"\[0.02 ("
    ours = f"{found.published_regret.mean:.3f}"
    assert re.search(rf"{ours}[*}}]* \({found.published_regret.sd:.3f}\) {re.escape(paper)}", second)


def test_the_papers_own_cells_stand_beside_ours(done):
    cell = done["table"][0].summary.cells[1]  # MAB-P, 10 arms
    assert cell.agents["thompson"].paper.mean == 0.02
    assert cell.agents["random"].paper is None


def test_standings_rank_who_does_not_see_the_bandit_over_each_group_of_cells(done):
    found = done["standings"][0].summary
    assert {name: group.cells for name, group in found.standings.items()} == {
        "all": 7,
        "paper's": 4,
        "others": 3,
    }
    assert [(cell.env, cell.arms) for cell in found.cells[4:]] == [
        ("switching", 3),
        ("switching", 5),
        ("reversal", 2),  # whatever the numbers of arms
    ]
    for group in found.standings.values():
        assert set(group.ranks.mean) == {"nsa", "ucb1", "optimistic:tuned"}
        assert sum(group.ranks.mean.values()) == pytest.approx(6)
        assert sum(group.cells_won.values()) == group.cells
        assert group.mean_regret["best-arm"] == 0
    regrets = [cell.agents["nsa"].regret.mean for cell in found.cells]
    assert found.standings["paper's"].mean_regret["nsa"] == pytest.approx(np.mean(regrets[:4]))
    assert found.regret_by_bandit["switching"]["nsa"] == pytest.approx(np.mean(regrets[4:6]))
    assert found.order[-1] == "best-arm"


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
    assert headline(Ranks(ranks, critical_difference=1.5, p=0.5)) == told


def test_level_with_the_best_is_a_paired_test():
    luck = np.random.default_rng(0).normal(size=40)
    values = {"a": luck, "b": luck + 0.1, "c": luck + np.random.default_rng(1).normal(0.01, 0.1, 40)}
    best, level = metrics.level_with_best(values)
    assert best == "a"
    assert set(level) == {"a", "c"}  # b is behind by little, but always
