"""The search: genome, fitness, CMA-ES, champion."""

import dataclasses
import importlib
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolution import FitnessGames, Genome, Search, SearchSettings, choose_champion, scores
from evolution.evaluation import evaluate
from evolution.search import Individual
from nsa_brian import PARAMETERS, NSAParameters, load

SMALL = FitnessGames(envs=("MAB-P", "MAB-sin"), arms=(3, 6), iterations=2, trials=2, rounds=40)
SETTINGS = SearchSettings(games=SMALL, population=8, generations=6, seed=3)
SET_38 = load("minbandit-38").parameters


def finished(settings, workers=None):
    search = Search(settings)
    while not search.stop:
        search.step(workers)
    return search


@pytest.fixture(scope="module")
def searched():
    """A finished search, for tests that only look at it."""
    return finished(SETTINGS)


def outcome(search):
    state = search.state()
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in state.items()}


class TestGenome:
    @given(st.lists(st.floats(-math.pi, math.pi), min_size=22, max_size=22))
    def test_encodes_what_it_decodes(self, vector):
        genome = Genome()
        parameters = genome.decode(vector)
        again = genome.decode(genome.encode(parameters))
        assert list(again.to_dict().values()) == pytest.approx(list(parameters.to_dict().values()), rel=1e-6, abs=1e-6)

    @given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=22, max_size=22))
    def test_every_vector_lies_in_the_search_ranges(self, vector):
        for info, value in Genome().decode(vector).items():
            assert info.search[0] <= value <= info.search[1]

    def test_the_middle_of_a_log_range_is_the_geometric_mean(self):
        middle = Genome().decode([0.0] * 22)
        assert middle.gain_u == pytest.approx(math.sqrt(0.1 * 50))
        assert middle.w_max == pytest.approx(5.5)

    def test_reaches_both_bounds(self):
        genome = Genome()
        low, high = genome.decode([-math.pi] * 22), genome.decode([math.pi] * 22)
        for name, info in PARAMETERS.items():
            assert (getattr(low, name), getattr(high, name)) == pytest.approx(info.search)

    def test_holds_fixed_what_is_fixed(self):
        genome = Genome({"w_max": 4.4, "r_v": 1.0})
        assert [list(PARAMETERS)[i] for i in genome.places] == [info.name for info in genome.genes]
        assert genome.size == 20
        decoded = genome.decode(np.linspace(-3, 3, 20))
        assert (decoded.w_max, decoded.r_v) == (4.4, 1.0)

    @pytest.mark.parametrize(
        ("fixed", "words"),
        [({"tau": 5}, "did you mean tau_"), ({"tau_u": -1}, "tau_u must be"), (SET_38.to_dict(), "nothing is left")],
    )
    def test_refuses(self, fixed, words):
        with pytest.raises(ValueError, match=words):
            Genome(fixed)


class TestScores:
    def test_are_the_chosen_arms_probabilities(self):
        """Against a loop written out for one individual, with the agreement rule spelled out."""
        games = dataclasses.replace(SMALL, envs=("MAB-sin",), arms=(4,), iterations=1, engine="rounds")
        found = scores(games, (5, 7), [SET_38])

        from nsa_brian.engines.rounds import Rounds

        key = [5, 7]
        bandit = games.bandit("MAB-sin", 4, np.random.default_rng([*key, int.from_bytes(b"MAB-sin 4", "big")]))
        luck = np.random.default_rng([*key, int.from_bytes(b"MAB-sin 4 luck", "big")]).random((80, 4))
        engine, earned, missed = Rounds(4, SET_38), [], []
        for t, (tie_u, tie_v, explore, reward_luck) in enumerate(luck):
            if t:
                bandit.step()
            engine.respond()
            chosen = []
            for x, tie in ((engine.u[0], tie_u), (engine.v[0], tie_v)):
                tied = [k for k in range(4) if x[k] >= x.max() - 1e-6]
                chosen.append(tied[int(tie * len(tied))])
            arm = chosen[1] if chosen[0] == chosen[1] else int(explore * 4)
            p = bandit.probabilities[0]
            engine.learn(np.array([arm]), np.array([float(reward_luck < p[arm])]))
            earned.append(p[arm])
            missed.append(p.max() - p[arm])
        assert found.reward[0, 0] == pytest.approx(np.mean(earned), abs=1e-12)
        assert found.regret[0, 0] == pytest.approx(np.mean(missed), abs=1e-12)

    def test_do_not_depend_on_the_company(self):
        genome = Genome()
        rng = np.random.default_rng(0)
        others = [genome.decode(rng.normal(size=22)) for _ in range(6)]
        alone = scores(SMALL, (1,), [SET_38])
        among = scores(SMALL, (1,), [*others[:3], SET_38, *others[3:], SET_38])
        assert (among.reward[3] == alone.reward[0]).all()
        assert (among.reward[7] == alone.reward[0]).all()

    def test_of_a_cell_do_not_depend_on_the_other_cells(self):
        both = scores(SMALL, (1,), [SET_38]).reward[0]
        alone = scores(dataclasses.replace(SMALL, envs=("MAB-sin",), arms=(6,)), (1,), [SET_38]).reward[0]
        assert SMALL.cells == [("MAB-P", 3), ("MAB-sin", 3), ("MAB-P", 6), ("MAB-sin", 6)]
        assert alone[0] == both[3]

    def test_other_seeds_are_other_games(self):
        assert (scores(SMALL, (1, 0), [SET_38]).reward != scores(SMALL, (1, 1), [SET_38]).reward).all()

    def test_of_the_table_are_those_of_rounds(self):
        genome = Genome()
        rng = np.random.default_rng(1)
        centre = genome.encode(SET_38)
        near = [genome.decode(centre + rng.normal(0, 0.3, 22)) for _ in range(8)]
        by_table = scores(SMALL, (2,), near).reward
        by_rounds = scores(dataclasses.replace(SMALL, engine="rounds"), (2,), near).reward
        assert (by_table == by_rounds).mean() > 0.9
        assert np.abs(by_table - by_rounds).mean() < 1e-3

    @pytest.mark.slow
    def test_of_extremes_are_numbers(self):
        """Every parameter at each of its bounds, in the middle of set 38; and all of them at once."""
        extremes = [SET_38.replace(**{name: bound}) for name, info in PARAMETERS.items() for bound in info.search]
        for side in (0, 1):
            extremes.append(NSAParameters(**{name: info.search[side] for name, info in PARAMETERS.items()}))
        found = scores(dataclasses.replace(SMALL, envs=("MAB-P",)), (4,), extremes)
        assert ((found.reward > 0) & (found.reward < 1)).all()
        assert (found.regret >= 0).all()

    @pytest.mark.parametrize(
        "changes",
        [
            {"threshold_u": 0.95, "gain_u": 0.1, "offset_u": 5},  # U never answers
            {"r_eta": 0, "mu_eta": -5, "sigma_eta": 0.07},  # no weight ever moves
        ],
        ids=["silent", "frozen"],
    )
    def test_of_one_that_cannot_learn_are_chance(self, changes):
        games = FitnessGames(envs=("stationary",), arms=(5,), iterations=20, trials=1, rounds=200)
        found = scores(games, (0,), [SET_38.replace(**changes)])
        bandit = games.bandit("stationary", 5, np.random.default_rng([0, int.from_bytes(b"stationary 5", "big")]))
        chance = bandit.probabilities.mean()
        error = bandit.probabilities.std(axis=1).mean() / math.sqrt(20 * 200)
        assert abs(found.reward[0, 0] - chance) < 4 * error

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"engine": "network"}, "engine must be one of table, rounds"),
            ({"arms": (1,)}, "arms must be"),
            ({"arms": ()}, "arms must name"),
            ({"envs": ("MAB-X",)}, "unknown bandit"),
            ({"envs": ("MAB-P:nope",)}, "unknown preset"),
            ({"iterations": 0}, "iterations must be"),
        ],
    )
    def test_of_games_that_cannot_be(self, changes, words):
        with pytest.raises(ValueError, match=words):
            dataclasses.replace(SMALL, **changes)


class TestSearch:
    def test_goes_on_from_its_state_as_if_nothing_had_happened(self, searched):
        broken = Search(SETTINGS)
        for _ in range(3):
            broken.step()
        assert outcome(finished_from(broken)) == outcome(searched)

    def test_leaves_numpys_random_numbers_alone(self):
        np.random.seed(1)  # noqa: NPY002  # the user's own
        expected = np.random.random()  # noqa: NPY002
        np.random.seed(1)  # noqa: NPY002
        Search(SETTINGS).step()
        assert np.random.random() == expected  # noqa: NPY002

    def test_does_not_depend_on_numpys_random_numbers(self, searched):
        np.random.seed(1)  # noqa: NPY002
        assert outcome(finished(SETTINGS)) == outcome(searched)

    def test_meets_new_games_in_each_generation(self, searched):
        assert len({record["optimum"] for record in searched.logbook}) == 6

    def test_judges_all_of_a_generation_by_the_same_games(self):
        search = Search(SETTINGS)
        search.step()
        best_arm = [individual.reward - individual.fitness.values[0] for individual in search.population]
        assert best_arm == pytest.approx([best_arm[0]] * 8)
        assert search.logbook[0]["best"] == max(individual.reward for individual in search.population)

    def test_in_two_processes_is_the_same(self, searched, two_processes):
        assert outcome(finished(SETTINGS, two_processes)) == outcome(searched)

    def test_stops_when_it_stagnates(self):
        search = finished(dataclasses.replace(SETTINGS, generations=60, stagnation=2, sigma=1e-4))
        assert search.generation < 60
        assert "no improvement within 2 generations" in search.stop

    @pytest.mark.slow
    def test_restarts_with_twice_the_population(self):
        games = dataclasses.replace(SMALL, envs=("MAB-P",), arms=(3,), iterations=1, trials=1)
        settings = dataclasses.replace(SETTINGS, games=games, generations=20, stagnation=2, sigma=1e-4, restarts=2)
        search = finished(settings)
        sizes = {record["restart"]: record["population"] for record in search.logbook}
        assert sizes == {0: 8, 1: 16, 2: 32}

    @pytest.mark.slow
    def test_goes_on_from_its_state_over_a_restart(self):
        settings = dataclasses.replace(SETTINGS, generations=12, stagnation=2, sigma=1e-4, restarts=1)
        broken = Search(settings)
        while not broken.restart:
            broken.step()
        assert outcome(finished_from(broken)) == outcome(finished(settings))

    def test_starts_where_it_is_told(self):
        start = load("minbandit-29").parameters
        search = Search(dataclasses.replace(SETTINGS, start=start))
        inside = [name for name, info in PARAMETERS.items() if info.search[0] <= getattr(start, name) <= info.search[1]]
        assert len(inside) == 22
        centre = search.centre.to_dict()
        assert [centre[name] for name in inside] == pytest.approx([getattr(start, name) for name in inside], rel=1e-6)

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"population": 1}, "population must be a whole number from 4 up, got 1"),
            ({"sigma": 0.0}, "sigma must be"),
            ({"generations": 0}, "generations must be"),
            ({"restarts": 1}, "restarts need stagnation"),
        ],
    )
    def test_refuses(self, changes, words):
        with pytest.raises(ValueError, match=words):
            dataclasses.replace(SETTINGS, **changes)

    def test_needs_the_scores_of_what_it_asked_for(self):
        search = Search(SETTINGS)
        scores_of_all = search.ask().evaluate()
        with pytest.raises(ValueError, match="tell needs the scores of the 8 sets asked for, got 7"):
            search.tell(type(scores_of_all)(*(part[:7] for part in scores_of_all)))
        search.tell(scores_of_all)
        with pytest.raises(ValueError, match="tell needs the scores of the 0 sets asked for, got 8"):
            search.tell(scores_of_all)
        stepped = Search(SETTINGS)
        stepped.step()
        assert outcome(search) == outcome(stepped)

    @pytest.mark.slow
    def test_recovers_three_spoiled_parameters(self):
        """All others held at set 38's values, the search reaches set 38's score."""
        spoiled = {"alpha_v": -4.0, "offset_v": 4.0, "r_v": 0.2}
        fixed = {name: value for name, value in SET_38.to_dict().items() if name not in spoiled}
        games = FitnessGames(envs=("MAB-P", "MAB-sin"), arms=(10,), iterations=4, trials=2, rounds=250)
        settings = SearchSettings(
            games=games, population=16, generations=15, start=SET_38.replace(**spoiled), fixed=fixed, seed=1
        )
        champion = choose_champion(
            finished(settings), others={"set 38": SET_38, "spoiled": settings.start}, iterations=40
        )
        report = {name: found["reward"] for name, found in champion.report.items()}
        assert report["spoiled"] < report["set 38"] - 0.1
        assert report["champion"] > report["set 38"] - 0.01


class TestChampion:
    def test_is_the_best_on_games_held_out(self, searched):
        champion = choose_champion(searched, iterations=3)
        candidates = searched.candidates()
        assert set(champion.selection) == set(candidates)
        assert champion.selection[champion.origin] == max(champion.selection.values())
        assert champion.parameters == candidates[champion.origin]

    def test_is_reported_on_games_that_chose_nobody(self, searched):
        champion = choose_champion(searched, iterations=3, others={"again": searched.centre})
        assert champion.report["champion"]["reward"] != champion.selection[champion.origin]
        games = dataclasses.replace(SMALL, iterations=3)
        from evolution.search import REPORT

        again = evaluate(games, (3, REPORT), [searched.centre])
        assert champion.report["again"]["regret"] == pytest.approx(again.regret.mean())

    def test_training_score_is_the_highest_of_the_search(self, searched):
        assert choose_champion(searched, iterations=1).training == max(record["best"] for record in searched.logbook)


def test_an_individual_survives_pickling_with_its_fitness():
    import pickle

    individual = Individual([1.0, 2.0])
    individual.score(0.6, 0.1)
    again = pickle.loads(pickle.dumps(individual))
    assert (list(again), again.reward, again.fitness.values) == ([1.0, 2.0], 0.6, (-0.1,))


def finished_from(broken):
    search = Search.from_state(broken.settings, broken.state())
    while not search.stop:
        search.step()
    return search


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [("evolution", "Games", "FitnessGames"), ("evolution.look", "Look", "evolution.screening.Screening")],
)
def test_old_public_names_warn(module, old, new):
    with pytest.warns(DeprecationWarning, match=f"is now .*{new}"):
        found = getattr(importlib.import_module(module), old)
    assert found.__name__ == new.rpartition(".")[2]
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        getattr(importlib.import_module(module), "Nothing")  # noqa: B009
