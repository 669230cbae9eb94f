"""Drawing arms in proportion to weights."""

import numpy as np


def draw(weights: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """Draw an arm per game in proportion to weights (games, arms), from one uniform random number per game."""
    upto = np.cumsum(weights, axis=1)
    arms = (upto <= (uniform * upto[:, -1])[:, None]).sum(axis=1)
    return np.minimum(arms, weights.shape[1] - 1)  # in case the product is rounded up to the sum
