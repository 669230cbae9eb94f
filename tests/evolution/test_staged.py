"""The staged search: screening, successive halving, and that it resumes to the same bytes wherever it was stopped."""

import dataclasses

import numpy as np
import pytest

from evolution import FitnessGames, Genome, Rung, StagedSearch, StagedSettings, choose_champion
from evolution.fitness import choices
from evolution.screening import KEEP, SCREENINGS, Screening
from nsa_brian import load
from nsa_brian.common import memory

SMALL = FitnessGames(envs=("MAB-P", "MAB-sin"), arms=(3, 6), iterations=1, trials=2, rounds=40)
SETTINGS = StagedSettings(games=SMALL, sets=64, rungs=(Rung(3, 2), Rung(2, 2), Rung(1, 3, 2)), population=6, seed=3)


def finished(search, workers=None, folder=None):
    while not search.stop:
        search.step(workers)
        if folder is not None:
            search.save(folder)
    return search


def outcome(search):
    states = {number: run.state() for number, run in search.runs.items()}
    plain = {
        number: {name: np.array(value).tolist() for name, value in state.items()} for number, state in states.items()
    }
    return plain, search.rung_regrets, [regrets.tolist() for regrets in search.screening.regrets]


@pytest.fixture(scope="module")
def done():
    return finished(StagedSearch(SETTINGS))


class TestScreening:
    def test_keeps_fewer_and_fewer_of_the_best(self, done):
        screening = done.screening
        sizes = [len(sets) for sets in screening.screened]
        assert sizes == screening.sizes == [64, 64 // KEEP, 4]
        for sets, regrets, again in zip(screening.screened, screening.regrets, screening.screened[1:], strict=False):
            kept = np.isin(sets, again)
            assert regrets[kept].max() <= regrets[~kept].min()

    @pytest.mark.slow
    def test_the_best_are_far_better_than_most(self):
        screening = Screening(256, 3, dataclasses.replace(SMALL, rounds=200), Genome(), (1,))
        while not screening.done:
            screening.step()
        assert screening.regrets[-1].min() < np.median(screening.regrets[0]) - 0.03

    def test_starts_differ_in_what_they_do_and_not_only_in_genes(self):
        genome, games = Genome(), dataclasses.replace(SMALL, rounds=200)
        screening = Screening(8, 2, games, genome, (1,))
        one, other = (genome.encode(load(name).parameters) for name in ("evolved", "minbandit-29"))
        screening.vectors = np.array([one, one + 1e-9, one - 1e-9, other] * 2)
        screening.screened, screening.regrets = (
            [np.arange(4)] * SCREENINGS,
            [np.array([0.1, 0.2, 0.3, 0.4])] * SCREENINGS,
        )
        assert screening.starts() == [0, 3]
        screening.n_starts = 3
        assert screening.starts() == [0, 3, 1]

    def test_enough_are_screened_to_the_last_to_choose_starts_from(self):
        assert Screening(96, 4, SMALL, Genome(), (1,)).sizes == [96, 12, 8]
        assert Screening(5, 4, SMALL, Genome(), (1,)).sizes == [5, 5, 5]


def test_choices_are_those_of_the_games():
    individuals = [load(name).parameters for name in ("evolved", "minbandit-38")]
    both = choices(SMALL, (1,), individuals)
    assert both.shape == (2, len(SMALL.cells) * SMALL.iterations * SMALL.n_rounds)
    assert (choices(SMALL, (1,), individuals[1:])[0] == both[1]).all()
    assert (both[0] != both[1]).any()


def test_runs_begin_with_every_step_size_at_the_best_start_and_then_at_the_next(done):
    settings = [run.settings for run in done.runs.values()]
    assert [each.sigma for each in settings] == [0.03, 0.25, 0.03]
    first, second = (done.screening.parameters(number) for number in done.screening.starts())
    assert [each.start for each in settings] == [first, first, second]
    assert done.start_regrets[1] == done.start_regrets[2] != done.start_regrets[3]


def test_the_best_runs_of_a_rung_go_on_and_the_others_stay_where_they_are(done):
    first, second, third = done.rung_regrets
    assert sorted(first) == [1, 2, 3]
    assert set(second) == set(sorted(first, key=first.get)[:2])
    assert set(third) == {min(second, key=second.get)}
    assert sorted(run.generation for run in done.runs.values()) == [2, 4, 7]
    assert done.leader.generation == 7
    assert done.generation == 13


def test_the_champion_is_chosen_among_the_starts_and_what_the_race_left(done):
    champion = choose_champion(done, iterations=2)
    (last,) = done.rung_regrets[-1]
    assert champion.origin in done.candidates()
    assert all(name.startswith((f"run {last}, ", "start ", "mean")) for name in champion.selection)
    assert {"start 1", "start 2", "mean of the last centres", f"run {last}, centre"} <= set(champion.selection)


@pytest.mark.slow
def test_workers_change_nothing(done, two_processes):
    assert outcome(finished(StagedSearch(SETTINGS), two_processes)) == outcome(done)


@pytest.mark.slow
def test_goes_on_from_every_moment_to_the_same_end(done, tmp_path):
    """Saved and loaded after each piece of work, in all stages."""
    search = StagedSearch(SETTINGS)
    search.save(tmp_path)
    while not search.stop:
        search = StagedSearch.load(tmp_path)
        search.step()
        search.save(tmp_path)
    assert outcome(search) == outcome(done)


@pytest.mark.slow
def test_so_it_does_where_sets_are_judged_inexactly_and_in_other_processes(tmp_path, two_processes):
    settings = dataclasses.replace(SETTINGS, sets=16, rungs=(Rung(2, 1), Rung(1, 1)), inexact=0.01)
    done, search = finished(StagedSearch(settings)), StagedSearch(settings)
    while not search.stop:
        search.step(two_processes)
        search.save(tmp_path)
        search = StagedSearch.load(tmp_path)
    assert outcome(search) == outcome(done)
    assert search.progress.done == search.progress.total


@pytest.mark.slow
def test_a_run_that_was_written_when_the_rest_was_not_is_no_step_back(done, tmp_path):
    """Killed after a run's folder was written and before the search's own file was."""
    search = StagedSearch(SETTINGS)
    while search.generation < 3:
        search.step()
        search.save(tmp_path)
    before = (tmp_path / "stages.npz").read_bytes()
    search.step()
    search.save(tmp_path)
    (tmp_path / "stages.npz").write_bytes(before)
    assert outcome(finished(StagedSearch.load(tmp_path), folder=tmp_path)) == outcome(done)


def test_a_fitness_of_ones_own(tmp_path):
    settings = dataclasses.replace(SETTINGS, sets=64)
    found = finished(StagedSearch(settings, near_three), folder=tmp_path)
    assert abs(found.leader.centre.w_max - 3) < 0.5
    with pytest.raises(ValueError, match="near_three: resume it in Python"):
        StagedSearch.load(tmp_path)
    assert outcome(StagedSearch.load(tmp_path, near_three)) == outcome(found)


def near_three(parameters, seed):
    return -abs(parameters.w_max - 3)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sets": 1}, "sets must be at least the number of starts, 2, got 1"),
        ({"sigmas": ()}, "sigmas must have at least one step size"),
        ({"rungs": ()}, "rungs must have at least one rung, got none"),
        ({"rungs": (Rung(1, 1), Rung(2, 1))}, "more runs than the one before, got 2 after 1"),
        ({"rungs": (Rung(1, 0),)}, "from 1 up"),
        ({"population": 2}, "population must be a whole number from 4 up, got 2"),
    ],
)
def test_settings_that_make_no_search_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(SETTINGS, **changes)


def test_another_search_is_not_written_over(tmp_path):
    StagedSearch(SETTINGS).save(tmp_path)
    with pytest.raises(ValueError, match="holds another search"):
        StagedSearch(dataclasses.replace(SETTINGS, seed=4)).save(tmp_path)
    with pytest.raises(ValueError, match="is not the folder of a staged search"):
        StagedSearch.load(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("change", "fits"),
    [({}, True), ({"sets": 2000}, False), ({"rungs": (Rung(1, 1, 300),)}, False), ({"inexact": 0.01}, False)],
)
def test_each_stage_is_held_against_the_memory_before_the_first_begins(change, fits, monkeypatch):
    """All arms of players x bandits x games, and some copies: 98, 197, 691 and 197 kB."""
    monkeypatch.setattr(memory, "free_memory", lambda: 150e3)
    settings = dataclasses.replace(SETTINGS, **{"sets": 256, **change})
    if fits:
        StagedSearch(settings)
    else:
        with pytest.raises(ValueError, match="not enough memory: games of that size"):
            StagedSearch(settings)


class TestAskTell:
    @pytest.mark.slow
    @pytest.mark.parametrize("workers", [None, "two_processes"])
    def test_is_a_step(self, done, workers, request):
        search, where = StagedSearch(SETTINGS), workers and request.getfixturevalue(workers)
        while not search.stop:
            search.tell(search.ask().evaluate(where))
        assert outcome(search) == outcome(done)

    @pytest.mark.slow
    def test_asking_twice_changes_nothing(self, done):
        search = StagedSearch(SETTINGS)
        while not search.stop:
            search.ask()
            search.step()
        assert outcome(search) == outcome(done)


@pytest.mark.parametrize(
    ("old", "new"), [("look", "screening"), ("judged", "rung_regrets"), ("began", "start_regrets")]
)
def test_old_names_of_attributes_warn(done, old, new):
    with pytest.warns(DeprecationWarning, match=f"StagedSearch.{old} is now StagedSearch.{new}"):
        assert getattr(done, old) is getattr(done, new)
