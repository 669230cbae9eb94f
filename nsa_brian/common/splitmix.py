"""SplitMix64, a random number generator whose state is a counter.

Reference: Steele, Lea and Flood (2014), Fast Splittable Pseudorandom Number Generators.
"""

from __future__ import annotations

import numpy as np

#: Increment of the counter.
GAMMA = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def mix(counter: np.ndarray) -> np.ndarray:
    """Return 64 random bits for each counter."""
    z = (counter ^ (counter >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    return z ^ (z >> np.uint64(31))
