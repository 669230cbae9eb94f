"""Divergence of Bernoulli distributions, and the confidence bounds that it gives."""

import numpy as np

#: Newton's steps: from where it starts, the bound is exact to ten digits after seven, mostly after four.
STEPS = 7
TINY = 1e-280
#: Lifts q above all means, also where rounding has put it below one of them.
ABOVE = 1 + 1e-14


def divergence(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """kl(p, q) = p ln(p / q) + (1 - p) ln((1 - p) / (1 - q)); very large where it is infinite."""
    return _term(p, q) + _term(1 - p, 1 - q)


def highest_bound(mean: np.ndarray, budget: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The highest q with kl(mean, q) <= budget of any arm (column), and the first arm that has it, in each game (row).

    Newton's method on y = -ln(1 - q), in which the divergence is convex and nearly straight. It starts above the
    highest bound, where the higher of two lower bounds of the divergence meets the budget; from there, the highest of
    all arms' next points lies above it again. So the logarithms that a step takes are one game's, not one arm's.
    """
    p, budget = np.ascontiguousarray(mean.T), np.ascontiguousarray(budget.T)  # numpy is slow along short axes
    rest = np.maximum(1 - p, TINY)
    due = budget - p * np.log(p + TINY) - rest * np.log(rest)  # kl = (1 - p) y - p ln q - entropy
    pinsker = -np.log(np.maximum(rest - np.sqrt(budget / 2), TINY))  # kl >= 2 (q - p)^2
    y = np.minimum(due / rest, pinsker).max(axis=0)  # kl >= (1 - p) y - entropy
    for _ in range(STEPS):
        q = TINY - np.expm1(-y)
        logit, q_above = y + np.log(q), ABOVE * q
        # An arm's (kl - budget) / (q - p), which is Newton's step but for a factor q.
        step = logit + (y - logit * q_above - due) / (q_above - p)
        y = y - np.maximum(q * step.min(axis=0), 0)
    return -np.expm1(-y), np.maximum(step, 0).argmin(axis=0)


def _term(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The summand a ln(a / b), 0 where a is 0."""
    return a * np.log(np.maximum(a, TINY) / np.maximum(b, TINY))
