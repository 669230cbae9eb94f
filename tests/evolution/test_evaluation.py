"""Evaluation with perturbed genes: who plays for a set, and that robust sets win over narrow peaks."""

import dataclasses

import numpy as np
import pytest
from guide import model_of
from selection import mostly_slow

from evolution import FitnessGames, Genome, Rung, Search, SearchSettings, StagedSearch, StagedSettings, choose_champion
from evolution.evaluation import COARSE, ONE_PAIR, PAIRS, Perturbation, _coarse, evaluate, evaluate_perturbed
from evolution.genome import position
from nsa_brian import PARAMETERS, load
from nsa_brian.spiking.shipped import SPIKING

SMALL = FitnessGames(envs=("MAB-P",), arms=(4,), iterations=2, trials=1, rounds=60)
SETS = [load(name).parameters for name in ("minbandit-38", "minbandit-29")]
ONE_GENE = {name: value for name, value in SETS[0].to_dict().items() if name != "r_v"}


def hill_and_peak(parameters, seed):
    """A broad hill around r_v = 0.3, and a peak at 0.8 that is higher, and narrow."""
    x = parameters.r_v
    return max(1 - abs(x - 0.3), 2 - 100 * abs(x - 0.8))


class TestPerturb:
    def test_every_gene_is_off_by_its_part_of_the_range(self):
        genome = Genome()
        middle = genome.decode([0.0] * genome.size)
        by = np.linspace(-0.4, 0.4, genome.size)
        near = genome.perturb(middle, by).to_dict()
        assert [position(info, near[info.name]) - 0.5 for info in genome.genes] == pytest.approx(by.tolist())

    def test_turns_back_at_the_bounds(self):
        genome = Genome()
        low, high = (genome.decode([bound] * genome.size) for bound in (-np.pi, np.pi))
        for bound, by in ((low, -0.1), (high, 0.1)):
            near = genome.perturb(bound, np.full(genome.size, by)).to_dict()
            places = [position(info, near[info.name]) for info in genome.genes]
            assert places == pytest.approx([0.1 if by < 0 else 0.9] * genome.size)

    def test_what_is_no_gene_or_beyond_its_range_stays(self):
        beyond = 2 * PARAMETERS["w_max"].search[1]
        given = dataclasses.replace(SETS[0], w_max=beyond, tau_u=77.0)
        near = Genome({"tau_u": 50.0}).perturb(given, np.full(21, 0.01))
        assert (near.w_max, near.tau_u) == (beyond, 77.0)
        assert near.tau_v != given.tau_v

    def test_moves_a_models_own_genes(self):
        adapting = model_of("adapting.py")
        given = adapting.complete(SETS[0])
        genome = Genome(SETS[0].to_dict(), adapting)
        near = genome.perturb(given, np.full(2, 0.1)).to_dict()
        assert {name for name, value in near.items() if value != given.to_dict()[name]} == {"b", "tau_a"}


class TestPerturbation:
    def test_to_half_of_the_players_small_differences_are_nothing(self):
        sharp, blunt = (
            evaluate(dataclasses.replace(SMALL, tolerance=tolerance), (1,), SETS).regret for tolerance in (None, COARSE)
        )
        assert not np.array_equal(sharp, blunt)
        found = evaluate_perturbed(SMALL, (1,), SETS, None, Perturbation(Genome(), 1e-12, ONE_PAIR)).regret
        assert found == pytest.approx((sharp + blunt) / 2)

    def test_exact_genes_are_judged_as_they_are(self):
        exact, same = (
            evaluate(SMALL, (1,), SETS),
            evaluate_perturbed(SMALL, (1,), SETS, None, Perturbation(Genome(), 0.0)),
        )
        assert np.array_equal(exact, same)

    @pytest.mark.parametrize("pairs", mostly_slow([ONE_PAIR, PAIRS], ONE_PAIR))
    def test_is_the_mean_over_sets_near_by_whoever_is_judged_beside_it(self, pairs):
        perturbation = Perturbation(Genome(), 0.05, pairs)
        both = evaluate_perturbed(SMALL, (1,), SETS, None, perturbation)
        alone = evaluate_perturbed(SMALL, (1,), SETS[1:], None, perturbation)
        assert np.array_equal(both.regret[1:], alone.regret)
        assert not np.array_equal(both.regret, evaluate(SMALL, (1,), SETS).regret)

    def test_games_that_are_read_coarsely_are_not_read_finer(self):
        """Only the half that reads exactly differs between tolerances above the one of the other half."""
        coarse = dataclasses.replace(SMALL, tolerance=10 * COARSE)
        perturbation = Perturbation(Genome(), 1e-12, ONE_PAIR)
        assert evaluate_perturbed(coarse, (1,), SETS, None, perturbation).regret == pytest.approx(
            evaluate(coarse, (1,), SETS).regret
        )

    @pytest.mark.parametrize("judge", [hill_and_peak, dataclasses.replace(SMALL, model=SPIKING)], ids=["own", "spikes"])
    def test_what_is_no_rate_is_read_as_ever(self, judge):
        assert _coarse(judge) is judge

    def test_on_a_slope_it_makes_no_difference_that_genes_are_off(self):
        found = evaluate_perturbed(
            lambda parameters, seed: parameters.r_v, (1,), SETS, None, Perturbation(Genome(), 0.001)
        )
        assert found.reward[:, 0] == pytest.approx([each.r_v for each in SETS])

    def test_a_narrow_peak_is_worth_less_than_a_broad_hill(self):
        sets = [dataclasses.replace(SETS[0], r_v=r) for r in (0.3, 0.8)]
        hill, peak = evaluate(hill_and_peak, (1,), sets).reward[:, 0]
        assert (hill, peak) == (1, 2)
        hill, peak = evaluate_perturbed(hill_and_peak, (1,), sets, None, Perturbation(Genome(), 0.05)).reward[:, 0]
        assert 0.92 < hill < 1
        assert peak < 0.9


@pytest.mark.parametrize(("inexact", "place"), [(0.0, 0.8), (0.02, 0.3)])
def test_a_search_with_inexact_genes_climbs_the_hill_and_one_with_exact_genes_the_peak(inexact, place):
    settings = StagedSettings(
        sets=512, rungs=(Rung(2, 20),), population=8, sigmas=(0.01, 0.1), fixed=ONE_GENE, inexact=inexact, seed=1
    )
    search = StagedSearch(settings, hill_and_peak)
    while not search.stop:
        search.step()
    champion = choose_champion(search, iterations=4)
    assert champion.parameters.r_v == pytest.approx(place, abs=0.02)
    assert ("regret_off" in champion.report["champion"]) == bool(inexact)


def test_one_run_takes_inexact_genes_too():
    on_the_peak = dataclasses.replace(SETS[0], r_v=0.8)
    settings = SearchSettings(start=on_the_peak, fixed=ONE_GENE, population=8, sigma=0.01, inexact=0.02)
    exact, inexact = Search(dataclasses.replace(settings, inexact=0.0), hill_and_peak), Search(settings, hill_and_peak)
    for search in (exact, inexact):
        search.step()
    assert exact.logbook[0]["mean"] > 1.5 > inexact.logbook[0]["mean"]


@pytest.mark.parametrize("inexact", [-0.01, 0.3, float("nan")])
def test_refuses_genes_that_are_off_by_no_or_too_large_a_part(inexact):
    for settings in (SearchSettings, StagedSettings):
        with pytest.raises(ValueError, match=r"inexact must be a number from 0 to 0.25, got"):
            settings(inexact=inexact)


def test_one_run_goes_on_to_the_same_end(tmp_path):
    settings = SearchSettings(fixed=ONE_GENE, population=6, generations=3, inexact=0.02)
    straight, stopped = Search(settings, hill_and_peak), Search(settings, hill_and_peak)
    while not straight.stop:
        straight.step()
        stopped.step()
        stopped.save(tmp_path)
        stopped = Search.load(tmp_path, hill_and_peak)
    assert list(stopped.logbook) == list(straight.logbook)
    assert stopped.centre == straight.centre


class TestTolerance:
    def test_goes_to_plain_values_and_back(self):
        coarse = dataclasses.replace(SMALL, tolerance=0.02)
        assert FitnessGames.from_dict(coarse.to_dict()) == coarse != SMALL

    @pytest.mark.parametrize("tolerance", [-1, float("inf"), float("nan"), "x"])
    def test_refuses_what_is_no_number_from_0_up(self, tolerance):
        with pytest.raises(ValueError, match="tolerance must be a number from 0 up, got"):
            dataclasses.replace(SMALL, tolerance=tolerance)
