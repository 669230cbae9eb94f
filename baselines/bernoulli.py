"""Divergence of Bernoulli distributions, and the confidence bound that it gives."""

import numpy as np

#: Newton's steps: from where it starts, the bound is exact to ten digits after seven, mostly after four.
STEPS = 7
TINY = 1e-280


def divergence(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """kl(p, q) = p ln(p / q) + (1 - p) ln((1 - p) / (1 - q)); very large where it is infinite."""
    return _term(p, q) + _term(1 - p, 1 - q)


def upper_bound(mean: np.ndarray, budget: np.ndarray) -> np.ndarray:
    """The highest q with kl(mean, q) <= budget.

    Newton's method on y = -ln(1 - q), in which the divergence is convex and nearly straight. It starts above the
    solution, where the higher of two lower bounds of the divergence meets the budget, and comes down to it.
    """
    p = np.clip(mean, 0, 1)
    rest = np.maximum(1 - p, TINY)
    lowest = -np.log(rest)
    entropy = rest * lowest - p * np.log(np.maximum(p, TINY))
    pinsker = -np.log(np.maximum(rest - np.sqrt(budget / 2), TINY))  # kl >= 2 (q - p)^2
    y = np.minimum((budget + entropy) / rest, pinsker)  # kl >= (1 - p) y - entropy
    for _ in range(STEPS):
        q = np.maximum(-np.expm1(-y), TINY)
        excess = rest * y - p * np.log(q) - entropy - budget
        y = np.clip(y - excess / np.maximum(1 - p / q, TINY), lowest, y)
    return np.where(p < 1, -np.expm1(-y), 1.0)


def _term(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The summand a ln(a / b), 0 where a is 0."""
    return a * np.log(np.maximum(a, TINY) / np.maximum(b, TINY))
