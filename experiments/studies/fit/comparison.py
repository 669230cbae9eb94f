"""Comparison of models: information criteria, and random-effects Bayesian model selection.

References: Stephan, Penny, Daunizeau, Moran and Friston (2009), Bayesian model selection for group studies,
NeuroImage 46: 1004-1017. Rigoux, Stephan, Friston and Daunizeau (2014), Bayesian model selection for group studies -
revisited, NeuroImage 84: 971-985.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import integrate, special, stats

#: Changes of the parameters of the posterior below which the iteration ends, and the largest number of steps.
CONVERGED, MOST_STEPS = 1e-8, 10_000


def aic(log_likelihood: float, n_parameters: int) -> float:
    """Return Akaike's information criterion, 2 k - 2 log L; lower is better."""
    return 2 * n_parameters - 2 * log_likelihood


def bic(log_likelihood: float, n_parameters: int, n_trials: int) -> float:
    """Return the Bayesian information criterion, k log n - 2 log L; lower is better."""
    return n_parameters * math.log(n_trials) - 2 * log_likelihood


@dataclass(frozen=True)
class RandomEffects:
    """Models as random effects: each subject has one of them, with unknown frequencies.

    Attributes
    ----------
    frequencies : array (models,)
        Expected frequencies in the population.
    exceedance : array (models,)
        Probabilities that a model is the most frequent one.
    protected : array (models,)
        The same, if all models may also be equally frequent.
    omnibus_risk : float
        Probability that all models are equally frequent.
    responsibilities : array (subjects, models)
        Probabilities of the models of each subject.
    """

    frequencies: np.ndarray
    exceedance: np.ndarray
    protected: np.ndarray
    omnibus_risk: float
    responsibilities: np.ndarray


def random_effects(log_evidence: np.ndarray) -> RandomEffects:
    """Return the comparison of models given the log evidence (subjects, models), such as minus half of BIC.

    The frequencies have a Dirichlet(1, ..., 1) prior; their posterior is approximated by a Dirichlet distribution
    (variational Bayes).
    """
    given = np.asarray(log_evidence, dtype=float)
    if given.ndim != 2 or not given.size or not np.isfinite(given).all():
        raise ValueError(f"log_evidence must be finite numbers (subjects, models), got shape {given.shape}")
    n_models = given.shape[1]
    alpha, shares = np.ones(n_models), np.full(given.shape, 1 / n_models)
    for _ in range(MOST_STEPS):
        shares = special.softmax(given + special.digamma(alpha) - special.digamma(alpha.sum()), axis=1)
        before, alpha = alpha, 1 + shares.sum(axis=0)
        if np.abs(alpha - before).max() < CONVERGED:
            break
    risk = float(special.expit(null_evidence(given) - free_energy(given, alpha, shares)))
    found = exceedance(alpha)
    protected = (1 - risk) * found + risk / n_models
    return RandomEffects(alpha / alpha.sum(), found, protected, risk, shares)


def free_energy(log_evidence: np.ndarray, alpha: np.ndarray, shares: np.ndarray) -> float:
    """Return the lower bound of the log evidence of all data, with frequencies that may differ."""
    expected = special.digamma(alpha) - special.digamma(alpha.sum())  # of the log frequencies
    joint = special.gammaln(len(alpha)) + (shares * (expected + log_evidence)).sum()
    of_frequencies = special.gammaln(alpha).sum() - special.gammaln(alpha.sum()) - ((alpha - 1) * expected).sum()
    of_models = -special.xlogy(shares, shares).sum()
    return float(joint + of_frequencies + of_models)


def null_evidence(log_evidence: np.ndarray) -> float:
    """Return the log evidence of all data if all models are equally frequent."""
    return float((special.logsumexp(log_evidence, axis=1) - math.log(log_evidence.shape[1])).sum())


def exceedance(alpha: np.ndarray) -> np.ndarray:
    """Return the probability of each frequency to be the highest, under Dirichlet(alpha).

    A Dirichlet sample is a vector of gamma variates divided by its sum, so that P_k is the integral over x of the
    density of gamma(alpha_k) times the probabilities that all others are below x.
    """
    if len(alpha) == 1:
        return np.ones(1)
    found = np.empty(len(alpha))
    for k, own in enumerate(alpha):
        others = stats.gamma(np.delete(alpha, k))
        mine = stats.gamma(own)
        low, high = mine.ppf([1e-14, 1 - 1e-14])

        def density(x: float, mine: stats.rv_continuous = mine, others: stats.rv_continuous = others) -> float:
            return float(mine.pdf(x) * np.prod(others.cdf(x)))

        found[k] = integrate.quad(density, low, high, limit=200, points=[mine.mean()])[0]
    return found / found.sum()
