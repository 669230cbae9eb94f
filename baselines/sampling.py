"""Drawing an arm by given weights."""

import numpy as np


def draw(weights: np.ndarray, luck: np.ndarray) -> np.ndarray:
    """The arm of each game, drawn in proportion to weights (games, arms) by a uniform number for each game."""
    upto = np.cumsum(weights, axis=1)
    arms = (upto <= (luck * upto[:, -1])[:, None]).sum(axis=1)
    return np.minimum(arms, weights.shape[1] - 1)  # were luck times the sum rounded up to the sum
