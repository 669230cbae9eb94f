"""Cells that are computed together: the same results, in batches that fit memory and workers."""

import dataclasses

import numpy as np
import pytest

from experiments.core import cells
from experiments.core.cells import Cell, batches, check_fit, compute
from experiments.core.settings import PlaySettings
from experiments.studies.table.comparison import GamesCell, play_cell

AGENTS = ("nsa", "ucb1", "best-arm", "thompson", "random")


def games(**changed):
    return PlaySettings(**{"env": "MAB-sin", "arms": 4, "rounds": 60, "repetitions": 3, "agents": AGENTS} | changed)


def made(*all_settings, agents=AGENTS):
    return {f"{i}/{agent}": GamesCell(settings, agent) for i, settings in enumerate(all_settings) for agent in agents}


def computed(of, workers=1):
    found = {}
    compute(of, workers, found.__setitem__)
    return found


@pytest.mark.parametrize("workers", [1, 2])
def test_games_played_together_are_those_of_each_agent_alone(workers):
    first = games()
    # Settings of the bandit and of the games; each must keep its own bandit.
    others = [dataclasses.replace(first, **changed) for changed in ({"seed": 1}, {"rounds": 70}, {"env": "MAB-sinP"})]
    found = computed(made(first, *others), workers)
    for name, cell in made(first, *others).items():
        alone = play_cell(cell.games, cell.agent)
        assert found[name].keys() == alone.keys()
        for key, array in alone.items():
            np.testing.assert_array_equal(found[name][key], array, err_msg=f"{name} {key}")


def test_cells_are_batched_by_settings_in_their_order():
    of = made(games(), games(seed=1)) | {"other": Cell(play_cell, games(), "ucb1")}
    assert batches(of, 1) == [[f"0/{a}" for a in AGENTS], [f"1/{a}" for a in AGENTS], ["other"]]


def test_many_workers_get_smaller_batches():
    of = made(games(), games(seed=1))
    assert [len(names) for names in batches(of, 1)] == [5, 5]
    assert [len(names) for names in batches(of, 2)] == [1] * 10
    many = made(*(games(seed=seed) for seed in range(8)))
    assert [len(names) for names in batches(many, 2)] == [5] * 8
    assert {len(names) for names in batches(many, 4)} <= {1, 2}


def test_batches_fit_the_limit_of_memory(monkeypatch):
    of = made(games())
    monkeypatch.setattr(cells, "MOST_MEMORY", 2.5 * games().memory)
    assert sorted(len(names) for names in batches(of, 1)) == [1, 2, 2]
    monkeypatch.setattr(cells, "MOST_MEMORY", 1)
    assert [len(names) for names in batches(of, 1)] == [1] * 5


def test_the_memory_of_a_batch_is_checked(monkeypatch):
    checked = []
    monkeypatch.setattr(cells, "check_memory", lambda needed, what: checked.append(needed))
    check_fit(made(games()), 1)
    assert checked == [pytest.approx(5 * games().memory)]
