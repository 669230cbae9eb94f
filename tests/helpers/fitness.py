"""A fitness of one's own, where worker processes can import it."""

import numpy as np

from evolution import batched


def near_four_and_a_half(parameters, seed):
    """A fitness of one's own: nothing to do with games, and a little noisy."""
    noise = np.random.default_rng(seed).normal(0, 0.01)
    return -((parameters.w_max - 4.5) ** 2) - (np.log(parameters.b) - np.log(0.1)) ** 2 + noise


@batched
def all_near_four_and_a_half(sets, seed):
    """The same for a whole generation at once."""
    return np.array([near_four_and_a_half(each, seed) for each in sets])
