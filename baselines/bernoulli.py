"""Kullback-Leibler divergence of Bernoulli distributions, and its upper confidence bounds."""

import numpy as np

#: Newton steps: the bound is exact to ten digits after seven, mostly after four.
STEPS = 7
TINY = 1e-280
#: Keeps q above all means in spite of rounding.
ABOVE = 1 + 1e-14


def divergence(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return kl(p, q) = p ln(p / q) + (1 - p) ln((1 - p) / (1 - q)); very large where it is infinite."""
    return _term(p, q) + _term(1 - p, 1 - q)


def highest_bound(mean: np.ndarray, budget: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the highest q with kl(mean, q) <= budget over arms (columns), and its first arm, in each game (row).

    Arrays (arms,) are a single game. Newton's method on y = -ln(1 - q), in which the divergence is convex and nearly
    linear. It starts above the highest bound, where the larger of two lower bounds of the divergence equals the budget;
    the maximum of the next iterates of all arms stays above it. So a step needs logarithms per game, not per arm.
    """
    p, budget = np.ascontiguousarray(mean.T), np.ascontiguousarray(budget.T)  # numpy is slow along short axes
    rest = np.maximum(1 - p, TINY)
    due = budget - p * np.log(p + TINY) - rest * np.log(rest)  # kl = (1 - p) y - p ln q - entropy
    pinsker = -np.log(np.maximum(rest - np.sqrt(budget / 2), TINY))  # kl >= 2 (q - p)^2
    y = np.minimum(due / rest, pinsker).max(axis=0)  # kl >= (1 - p) y - entropy
    for _ in range(STEPS):
        q = TINY - np.expm1(-y)
        logit, q_above = y + np.log(q), ABOVE * q
        # (kl - budget) / (q - p) of each arm: Newton's step without its factor q.
        step = logit + (y - logit * q_above - due) / (q_above - p)
        move = np.maximum(q * np.minimum.reduce(step, axis=0), 0)
        y = y - move
        if not np.any(move):  # all further steps would be the same
            break
    return -np.expm1(-y), np.maximum(step, 0).argmin(axis=0)


def _term(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return a ln(a / b), 0 where a is 0."""
    return a * np.log(np.maximum(a, TINY) / np.maximum(b, TINY))
