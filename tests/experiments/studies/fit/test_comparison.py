"""Information criteria and random effects against known cases."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from experiments.studies.fit.comparison import aic, bic, exceedance, free_energy, null_evidence, random_effects


def test_criteria_by_hand():
    assert aic(-100, 3) == 206
    assert bic(-100, 3, 50) == pytest.approx(3 * math.log(50) + 200)


def test_exceedance_of_two_is_a_beta_distribution():
    for a, b in ((3.0, 5.0), (1.0, 1.0), (20.0, 2.0)):
        assert exceedance(np.array([a, b]))[0] == pytest.approx(1 - stats.beta(a, b).cdf(0.5), abs=1e-8)


def test_exceedance_is_the_share_of_dirichlet_samples():
    alpha = np.array([2.0, 3.0, 7.0, 0.5])
    drawn = np.random.default_rng(0).dirichlet(alpha, 200_000).argmax(axis=1)
    assert exceedance(alpha) == pytest.approx(np.bincount(drawn, minlength=4) / 200_000, abs=0.005)


def test_subjects_that_all_have_one_model_show_it():
    evidence = np.zeros((20, 3))
    evidence[:, 1] = 10
    found = random_effects(evidence)
    assert found.frequencies[1] == pytest.approx(21 / 23, abs=0.01)
    assert found.protected[1] > 0.999
    assert found.omnibus_risk < 1e-3


def test_no_evidence_leaves_all_models_equal():
    found = random_effects(np.zeros((20, 4)))
    for each in (found.frequencies, found.exceedance, found.protected):
        assert each == pytest.approx(np.full(4, 0.25))
    assert found.omnibus_risk > 0.5


def test_one_outlier_does_not_decide_for_the_group():
    """Fixed effects would follow one subject with overwhelming evidence; random effects do not (Stephan 2009)."""
    evidence = np.zeros((12, 2))
    evidence[:11, 0] = 3
    evidence[11, 1] = 1000
    assert evidence.sum(axis=0).argmax() == 1
    found = random_effects(evidence)
    assert found.frequencies[0] > 0.8
    assert found.exceedance[0] > 0.99


def test_the_free_energy_is_a_close_lower_bound_of_the_evidence():
    rng = np.random.default_rng(0)
    for shift in (0, 1, 3):
        evidence = rng.normal((shift, 0), 2, (15, 2))
        exact = math.log(integrate.quad(lambda r, e=evidence: np.prod(np.exp(e) @ [r, 1 - r]), 0, 1)[0])
        found = random_effects(evidence)
        alpha = 1 + found.responsibilities.sum(axis=0)
        bound = free_energy(evidence, alpha, found.responsibilities)
        assert exact - 1.5 < bound <= exact + 1e-9
        null = math.exp(null_evidence(evidence))
        assert null == pytest.approx(np.prod(np.exp(evidence).mean(axis=1)))
        assert found.omnibus_risk == pytest.approx(null / (null + math.exp(bound)))
        assert found.protected == pytest.approx((1 - found.omnibus_risk) * found.exceedance + found.omnibus_risk / 2)


def test_evidence_must_be_finite():
    with pytest.raises(ValueError, match="log_evidence must be finite numbers"):
        random_effects(np.array([[0.0, -np.inf]]))
