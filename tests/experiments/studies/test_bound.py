"""The distance to the bound."""

import dataclasses

import numpy as np
import pytest

from experiments.core.results import Results
from experiments.studies.bound.study import BOUND, STUDY, Settings

SMALL = dataclasses.replace(
    STUDY.presets["quick"], agents=("ucb1", "random", BOUND), envs=("MAB-P", "MAB-sin"), arms=(20, 5), repetitions=4
)


def made(regrets):
    """Results with these regrets (games,) of each agent, the same in every cell."""
    other = {name: np.zeros(4) for name in ("published_regret", "reward", "entropy", "fingerprint")}
    cells = {name: {"regret": regrets[name.split("/")[2]], **other} for name in STUDY.cells(SMALL)}
    return Results(STUDY, SMALL, {}, {}, cells)


@pytest.fixture(scope="module")
def results():
    bound = np.array([0.1, 0.2, 0.3, 0.4])
    return made({BOUND: bound, "ucb1": bound + np.array([0.05, 0.05, 0.06, 0.04]), "random": bound + 0.3})


def test_distances_are_paired_by_game(results):
    found = results.summary
    for env in SMALL.envs:
        assert found.distance[env]["5"]["ucb1"].mean == pytest.approx(0.05)
        low, high = found.distance[env]["5"]["ucb1"].ci95
        assert high - low < 0.03  # that of the regrets is 0.4
        assert found.mean_distance[env] == pytest.approx({"ucb1": 0.05, "random": 0.3})
    assert found.mean_regret["all"][BOUND] == pytest.approx(0.25)
    assert BOUND not in found.distance["MAB-P"]["5"]


def test_tables_and_rows_have_the_bound_and_what_lies_above_it(results):
    by_cell, means = STUDY.tables(results)
    assert by_cell.rows[0][:2] == ["MAB-P", "oracle-bayes (oracle): regret"]
    assert by_cell.rows[1][1:3] == ["ucb1", "+0.050 ±0.013"]
    assert means.rows[1] == ["ucb1", *["0.300 (+0.050)"] * 3]
    rows = STUDY.rows(results)
    assert len(rows) == 2 * 2 * 3
    assert {row["distance"] for row in rows if row["agent"] == BOUND} == {0.0}


def test_the_figure_has_a_panel_for_each_bandit_and_the_arms_in_order(results):
    panels = STUDY.draw(results).axes
    assert [ax.get_title(loc="left") for ax in panels] == ["MAB-P", "MAB-sin"]
    for ax in panels:
        lines = {line.get_label(): line for line in ax.lines}
        assert list(lines) == list(SMALL.agents)
        assert lines[BOUND].get_xdata().tolist() == [5, 20]
        assert (lines["random"].get_ydata() > lines[BOUND].get_ydata()).all()
        assert ax.get_ylim()[0] == 0


def test_the_bound_plays_in_any_case_and_not_alone():
    assert Settings(agents=("random",)).agents == ("random", BOUND)
    with pytest.raises(ValueError, match="at least one agent that does not see the bandit"):
        Settings(agents=("best-arm",))


def test_other_bandits_are_refused():
    settings = dataclasses.replace(SMALL, envs=("needle",))
    with pytest.raises(ValueError, match=r"oracle-bayes plays MAB-P, .* only, got Needle"):
        STUDY.cells(settings)


@pytest.mark.slow
def test_nobody_is_below_the_bound():
    settings = Settings(agents=("kl-ucb:tuned", "softmax:tuned"), arms=(10,), repetitions=12, seed=5)
    cells = {name: cell() for name, cell in STUDY.cells(settings).items()}
    found = STUDY.collect(settings, cells).summary
    for of_env in found.distance.values():
        for distance in of_env["10"].values():
            assert distance.ci95[1] > 0
    assert min(found.mean_distance["all"].values()) > 0.01
