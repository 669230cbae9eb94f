"""Gittins index of a Bernoulli arm with any prior, by dynamic programming over successes and failures."""

from __future__ import annotations

from functools import cache

import numpy as np

from baselines.bayes.beliefs import clipped_normal

#: Points of the prior, and candidates for the index, between which it is interpolated.
POINTS, CANDIDATES = 101, 101


def posterior_means(mean: float, sd: float, most: int) -> np.ndarray:
    """Return the mean (s, f) of p ~ N(mean, sd), clipped to [0, 1], after s successes and f failures."""
    p, prior = clipped_normal(mean, sd, POINTS)
    inside = p.clip(1e-9, 1 - 1e-9)  # a clipped p of 0 or 1 has a likelihood of nearly 0 after the other outcome
    log_p, log_q = np.log(inside), np.log1p(-inside)
    count = np.arange(most + 1)
    found = np.empty((most + 1, most + 1))
    for s in count:
        weights = np.log(prior) + s * log_p + count[:, None] * log_q
        weights = np.exp(weights - weights.max(axis=1, keepdims=True))
        found[s] = (weights * p).sum(axis=1) / weights.sum(axis=1)
    return found


@cache
def clipped_normal_indices(mean: float, sd: float, discount: float, most: int) -> np.ndarray:
    """Return the Gittins index (s, f) of an arm with p ~ N(mean, sd), clipped to [0, 1]; see :func:`indices`."""
    return indices(posterior_means(mean, sd, most), discount)


def indices(means: np.ndarray, discount: float) -> np.ndarray:
    """Return the Gittins index (s, f) of an arm after s successes and f failures, from the posterior means (s, f).

    The index is the reward of a known arm that is worth as much as the arm and the option of leaving it for the known
    one. After as many pulls as there are rows the arm counts as known, too. Reference: Gittins, Glazebrook and Weber
    (2011), Multi-armed Bandit Allocation Indices.
    """
    most = len(means) - 1
    known = np.linspace(0, 1, CANDIDATES)[:, None]
    found = means.copy()
    s = np.arange(most + 1)
    value = np.maximum(means[s, most - s] - known, 0) / (1 - discount)  # of the option, for s successes of ``most``
    for n in range(most - 1, -1, -1):
        s = np.arange(n + 1)
        p = means[s, n - s]
        stay = p - known + discount * (p * value[:, 1:] + (1 - p) * value[:, :-1])
        found[s, n - s] = _roots(known[:, 0], stay)
        value = np.maximum(stay, 0)
    return found


def _roots(x: np.ndarray, falling: np.ndarray) -> np.ndarray:
    """Return where each column of values (x, columns) falls below 0, interpolated."""
    after = (falling > 0).sum(axis=0).clip(1, len(x) - 1)
    columns = np.arange(falling.shape[1])
    high, low = falling[after - 1, columns], falling[after, columns]
    share = (high / np.maximum(high - low, 1e-300)).clip(0, 1)
    return x[after - 1] + share * (x[after] - x[after - 1])
