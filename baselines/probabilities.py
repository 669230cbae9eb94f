"""Choice probabilities (games, arms) of the usual rules, among the arms that are offered."""

from __future__ import annotations

from typing import Any

import numpy as np

from baselines.scalars import column


def uniform(offered: np.ndarray) -> np.ndarray:
    """Return the same probability for each arm that is offered; 0 for a game without any."""
    return offered / np.maximum(np.add.reduce(offered, axis=1, keepdims=True), 1)


def proportional(weights: np.ndarray, offered: np.ndarray) -> np.ndarray:
    """Return probabilities in proportion to weights, or uniform ones where all weights are 0."""
    kept = np.where(offered, weights, 0.0)
    total = np.add.reduce(kept, axis=1, keepdims=True)
    return np.where(total > 0, kept / np.where(total > 0, total, 1), uniform(offered))


def softmax(preferences: np.ndarray, offered: np.ndarray) -> np.ndarray:
    """Return probabilities in proportion to exponentials of the preferences."""
    kept = np.where(offered, preferences, -np.inf)
    weights = np.exp(kept - np.maximum.reduce(kept, axis=1, keepdims=True))  # the largest is 1
    return weights / np.add.reduce(weights, axis=1, keepdims=True)


def greedy(values: np.ndarray, offered: np.ndarray, ties: str, tolerance: float = 0.0) -> np.ndarray:
    """Return probabilities of the highest value: the first of equals, or each of them with the same probability."""
    kept = np.where(offered, values, -np.inf)
    if ties == "first":
        return (np.arange(kept.shape[1]) == kept.argmax(axis=1)[:, None]) * 1.0
    return uniform(kept >= kept.max(axis=1, keepdims=True) - tolerance)


def lapsing(lapse: Any, probabilities: np.ndarray, offered: np.ndarray) -> np.ndarray:
    """Return the probabilities of a choice that is random with probability ``lapse``, a number per game."""
    share = column(lapse)
    return share * uniform(offered) + (1 - share) * probabilities
