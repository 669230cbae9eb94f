"""Requirements of a search: conditions on parameters, named checks, and that no set that violates one is played."""

import numpy as np
import pytest

from evolution import FitnessGames, Genome, Rung, Search, SearchSettings, StagedSearch, StagedSettings, choose_champion
from evolution.checkpoint import read_generation
from evolution.checks import CHECKS, Subject
from evolution.conditions import Condition
from evolution.requirements import RequirementError, Requirements, verdicts
from nsa_brian import Model, Parameter, load, load_model
from nsa_brian.model.model import PAPER

SET_38 = load("minbandit-38").parameters
SUBJECT = Subject(PAPER, Genome())
GAMES = FitnessGames(envs=("MAB-P",), arms=(3,), iterations=1, trials=1, rounds=20)


def widest(parameters, seed):
    return parameters.w_max


class TestConditions:
    @pytest.mark.parametrize(
        ("text", "met"),
        [
            ("w_max < 6", True),
            ("w_max < 4.5", False),
            ("w_max <= 4.5", True),
            ("tau_u < tau_v", True),
            ("tau_u > tau_v and w_max < 6", False),
            ("4 < w_max < 5", True),
            ("4 < w_max < 4.2", False),
            ("exp(-offset_u) + 2 * r_v >= 10", False),
        ],
    )
    def test_compare_parameters_in_their_own_units(self, text, met):
        (violation,) = Condition.read(text, PAPER).violations([SET_38])
        assert (violation == 0) == met
        assert 0 <= violation <= 1

    def test_are_violated_the_more_the_farther_a_set_is_from_them(self):
        sets = [SET_38.replace(w_max=w) for w in (3.0, 4.0, 5.0, 9.0)]
        found = Condition.read("w_max < 4", PAPER).violations(sets)
        assert found[0] == 0 < found[1] < found[2] < found[3] < 1

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("w_max == 3", "by <, <=, > or >="),
            ("w_max < 3 or w_max > 4", "joined by 'and'"),
            ("w_mx < 3", "did you mean w_max"),
            ("open('x') < w_max", "no function 'open'"),
            ("w_max.real < 3", "only arithmetic"),
            ("1 < 2", "must have a parameter"),
            ("w_max < ", "a condition compares"),
            ("_ < 1", "unknown parameter '_'"),
            ("w_max < exp(exp)", "unknown parameter 'exp'"),
            ("w_max < exp()", "exp has 1 argument, got 0"),
            ("clip(w_max) < 1", "clip has 3 arguments, got 1"),
            ("w_max < 1e999", "a number is too large"),
            (f"w_max < 1{'0' * 400}", "a number is too large"),
            (f"w_max < {'1 + ' * 5000}1", "is too long|a condition compares"),
        ],
    )
    def test_that_cannot_be_read_say_why(self, text, message):
        with pytest.raises(ValueError, match=message):
            Condition.read(text, PAPER)

    @pytest.mark.parametrize(
        ("side", "reason"),
        [
            ("1/0", "division by zero"),
            ("2.0**10000", "out of range|too large"),
            ("10**400", "out of range|too large"),
            ("9**9**9", "out of range|too large"),
            ("(-8)**0.5", "a power is a complex number"),
            ("w_max * (-8)**0.5", "a power is a complex number"),
            ("log(-1)", "one side is nan"),
            ("exp(1000)", "one side is inf"),
        ],
    )
    def test_that_cannot_be_computed_say_why(self, side, reason):
        with pytest.raises(ValueError, match=f"^requirement .* cannot be computed: .*({reason})"):
            Requirements([f"w_max < {side}"], SUBJECT)

    def test_are_not_met_by_sets_for_which_they_cannot_be_computed(self):
        sets = [SET_38.replace(w_max=w) for w in (3.0, 4.5)]
        assert Requirements(["log(4 - w_max) < 1"], SUBJECT).violations(sets).tolist() == [0, 1]
        assert Requirements(["1 / (4.5 - w_max) > 0.5"], SUBJECT).violations(sets).tolist() == [0, 1]


class TestChecks:
    @pytest.mark.parametrize(
        ("name", "change", "value", "met"),
        [
            ("silent-rest", {}, 6.5e-9, True),
            ("silent-rest", {"offset_u": 0.0}, 0.5, False),
            ("silent-rest", {"offset_v": 0.0, "threshold_v": 0.4}, 0.5, False),
            ("no-memory-without-input", {}, 0.0, True),
            ("no-memory-without-input", {"offset_u": 0.0}, 1.0, False),
            ("critical-weight", {}, 2.95, True),
            ("critical-weight", {"w_max": 2.5}, np.nan, False),
            ("critical-weight", {"I_ext": 0.1}, np.nan, False),
        ],
    )
    def test_of_the_authors_set_and_of_one_that_breaks_them(self, name, change, value, met):
        (found,), (violation,) = CHECKS[name].measure(SUBJECT, [SET_38.replace(**change)])
        assert found == pytest.approx(value, abs=0.01, nan_ok=True)
        assert (violation == 0) == met
        assert 0 <= violation <= 1

    @pytest.mark.parametrize("name", ["critical-weight", "no-memory-without-input"])
    @pytest.mark.parametrize("left", [np.inf, -np.inf, np.nan])
    def test_are_not_met_by_activities_that_are_not_finite(self, name, left, monkeypatch):
        def overflowing(players, model, weights, options):
            return np.tile(np.where(weights > 4, left, 0.0), (2, 1))

        monkeypatch.setattr("nsa_brian.responses.activities_left", overflowing)
        (value,), (violation,) = CHECKS[name].measure(SUBJECT, [SET_38])
        assert not np.isfinite(value)
        assert violation == 1

    def test_robust_compares_perturbed_sets_with_the_exact_one_on_the_same_games(self):
        peak = Subject(PAPER, Genome(), {}, lambda sets: np.array([float(each != SET_38) for each in sets]))
        flat = Subject(PAPER, Genome(), {}, lambda sets: np.zeros(len(sets)))
        assert verdicts(SET_38, peak)["robust"] == (1.0, False)
        assert verdicts(SET_38, flat)["robust"] == (0.0, True)

    @pytest.mark.slow
    def test_work_for_models_with_variables_of_their_own(self):
        model = Model(
            name="tired",
            synapse="tired : 1",
            plasticity="""tired = tired + chosen * (1 - tired) / 2
            w = w + chosen * Phi_eta * (R * w_max - w)""",
            drive_v="Phi_v * phi_u_pre * (1 - strength * tired)",
            parameters=(Parameter("strength", 0.1, search=(0, 1)),),
        )
        subject = Subject(model, Genome(model=model))
        found = verdicts(model.complete(SET_38), subject)
        assert found["silent-rest"].met
        assert found["critical-weight"].value == pytest.approx(2.95, abs=0.01)
        assert found["robust"] == "games of this model would take too long"

    def test_refuse_models_without_the_notion(self):
        model = load_model("spiking")
        subject = Subject(model, Genome(model=model))
        with pytest.raises(ValueError, match="silent-rest cannot be required of the model spiking: its neurons spike"):
            Requirements(["silent-rest"], subject)
        assert all(isinstance(reason, str) for reason in verdicts(model.complete(SET_38), subject).values())
        linear = load_model("familiarity")
        with pytest.raises(ValueError, match="no input of a phase ends before the choice"):
            Requirements(["critical-weight"], Subject(linear, Genome(model=linear)))


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["silent-rset"], "did you mean silent-rest"),
        (["nonsense"], "known: silent-rest"),
        (["w_max < 3", "w_max < 3"], "twice"),
        ([""], "the name of a check"),
    ],
)
def test_requirements_that_are_unknown_or_repeated_are_errors(texts, message):
    with pytest.raises(ValueError, match=message):
        SearchSettings(games=GAMES, require=texts)


def test_fixed_values_that_violate_a_condition_are_an_error():
    with pytest.raises(ValueError, match="none of its parameters is searched"):
        SearchSettings(games=GAMES, fixed={"w_max": 4.0}, require=("w_max < 3",))


def test_settings_without_requirements_are_stored_as_before():
    assert "require" not in SearchSettings(games=GAMES).to_dict()
    settings = SearchSettings(games=GAMES, require=("w_max < 3",))
    assert settings.to_dict()["require"] == ["w_max < 3"]
    assert SearchSettings.from_dict(settings.to_dict()) == settings


class TestSearch:
    SETTINGS = SearchSettings(
        games=GAMES, population=12, generations=12, sigma=0.3, start=SET_38, require=("w_max < 4",)
    )

    def test_plays_and_ranks_first_only_what_meets_them(self):
        search = Search(self.SETTINGS, widest)
        for _ in range(4):
            batch = search.ask()
            assert all(each.w_max < 4 for each in batch.parameters)
            search.tell(batch.evaluate())
            assert len(batch.parameters) == search.logbook[-1]["met"] == len(search.population)
        assert 0 < min(record["met"] for record in search.logbook) < 12
        assert all(search.genome.decode(each).w_max < 4 for each in search.hall_of_fame)
        assert choose_champion(search, iterations=1).parameters.w_max < 4

    def test_comes_closer_from_outside_and_says_if_it_met_none(self, tmp_path):
        settings = SearchSettings(
            games=GAMES,
            population=12,
            generations=40,
            sigma=0.02,
            start=SET_38.replace(w_max=5),
            require=("w_max < 4",),
        )
        search = Search(settings, widest)
        search.step()
        assert not search.population
        assert np.isnan(search.logbook[0]["best"])
        with pytest.raises(RequirementError, match=r"none of the 1 candidates .* violates 'w_max < 4'"):
            choose_champion(search, iterations=1)
        search.save(tmp_path)
        assert read_generation(tmp_path, 1)["parameters"].shape == (0, 22)
        search = Search.load(tmp_path, widest)
        before = search.centre.w_max
        while not search.population:
            search.step()
        assert search.centre.w_max < before
        assert search.generation > 1

    def test_stagnates_if_none_meets_them(self):
        settings = SearchSettings(
            games=GAMES, population=6, sigma=0.01, start=SET_38, stagnation=2, require=("w_max > 8",)
        )
        search = Search(settings, widest)
        for _ in range(4):
            assert not search.stop
            search.step()
        assert np.isnan(search.logbook[-1]["mean"])
        assert search.stop == "no improvement within 2 generations"

    def test_resumes_to_the_same_bytes(self, tmp_path):
        straight, stopped = Search(self.SETTINGS, widest), Search(self.SETTINGS, widest)
        for _ in range(3):
            straight.step()
            stopped.step()
            stopped.save(tmp_path)
            stopped = Search.load(tmp_path, widest)
        assert list(stopped.logbook) == list(straight.logbook)
        assert (stopped.strategy.C == straight.strategy.C).all()

    def test_the_champion_meets_a_check_that_needs_games_though_another_is_better(self):
        peak = Genome().decode(Genome().encode(SET_38))

        def fitness(parameters, seed):
            return 2.0 if parameters == peak else -0.0001 * parameters.w_max

        settings = SearchSettings(games=GAMES, population=6, sigma=0.01, start=SET_38, require=("robust",))
        search = Search(settings, fitness)
        assert choose_champion(_stepped(search), iterations=1).parameters != peak
        search.candidates = lambda: {"peak": peak}
        with pytest.raises(RequirementError, match="meets robust"):
            choose_champion(search, iterations=1)


def _stepped(search):
    search.step()
    candidates = search.candidates()
    search.candidates = lambda: {**candidates, "peak": search.genome.decode(search.genome.encode(SET_38))}
    return search


class TestStagedSearch:
    SETTINGS = StagedSettings(
        games=GAMES, sets=24, rungs=(Rung(2, 2), Rung(1, 2)), population=6, require=("w_max < 4", "tau_u < tau_v")
    )

    def test_draws_random_sets_until_they_meet_all_and_resumes_to_the_same_bytes(self, tmp_path):
        straight, stopped = StagedSearch(self.SETTINGS, widest), StagedSearch(self.SETTINGS, widest)
        while not straight.stop:
            straight.step()
            stopped.step()
            stopped.save(tmp_path)
            stopped = StagedSearch.load(tmp_path, widest)
        screened = [straight.screening.parameters(i) for i in range(24)]
        assert all(each.w_max < 4 and each.tau_u < each.tau_v for each in screened)
        assert (straight.screening.vectors == stopped.screening.vectors).all()
        assert {"screening_vectors", "screening_drawn"} < set(straight.screening.state())
        assert straight.rung_regrets == stopped.rung_regrets
        assert list(straight.logbook) == list(stopped.logbook)
        assert choose_champion(straight, iterations=1).parameters.w_max < 4

    def test_gives_up_if_hardly_any_random_set_meets_them(self):
        settings = StagedSettings(
            games=GAMES, sets=4, rungs=(Rung(1, 1),), population=6, require=("tau_u > 2 * tau_v + 290",)
        )
        with pytest.raises(RequirementError, match="random sets meet the requirements"):
            StagedSearch(settings, widest).step()
