"""The random numbers of neurons: a stream for each, the same in every engine.

So a game depends neither on those beside it nor on the engine that plays it. numpy draws here what compiled code draws
(``random.hpp``), bit for bit: SplitMix64, of whose 64 bits a white number takes all and a number of events one half.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from nsa_brian.common.splitmix import GAMMA, mix
from nsa_brian.model.model import Model
from nsa_brian.model.structure import Neurons

#: Standard deviation of the sum of four whole numbers up to 2^16, inverted.
_UNIT = 2.6428997921303014e-05


class Streams:
    """Streams side by side.

    Parameters
    ----------
    seeds : array
        Uniform numbers in [0, 1), one for each stream.
    """

    def __init__(self, seeds: np.ndarray) -> None:
        self._state = states(seeds).view(np.uint64)

    def bits(self) -> np.ndarray:
        """The next 64 bits of each."""
        return next_bits(self._state)

    def noise(self) -> np.ndarray:
        """Numbers of mean 0 and variance 1."""
        return normal(self.bits())

    def events(self, means: Sequence[float]) -> list[np.ndarray]:
        """Poisson numbers of one mean or two."""
        z = self.bits()
        halves = ((z & np.uint64(0xFFFFFFFF)) >> np.uint64(1), z >> np.uint64(33))
        return [_count(half, mean) for half, mean in zip(halves, means, strict=False)]

    def uniform(self, n: int) -> np.ndarray:
        """Numbers from 0 to 1, (streams, n): the next n of each."""
        return np.stack([(self.bits() >> np.uint64(11)).astype(float) * 2.0**-53 for _ in range(n)], axis=-1)


def next_bits(state: np.ndarray) -> np.ndarray:
    """Advance the states of streams, in place, and return 64 bits of each."""
    state += GAMMA
    return mix(state)


def normal(bits: np.ndarray) -> np.ndarray:
    """Numbers of mean 0 and variance 1 from 64 random bits each."""
    part = np.uint64(0xFFFF)
    parts = [(bits >> np.uint64(shift)) & part for shift in (0, 16, 32, 48)]
    return (sum(parts[1:], parts[0]).astype(float) - 131070.0) * _UNIT


def states(seeds: np.ndarray) -> np.ndarray:
    """Where streams begin, as whole numbers of 64 bits."""
    return (np.asarray(seeds) * 2.0**53).astype(np.int64)


def n_seeds(model: Model, values: Mapping[str, float], n_arms: int) -> int:
    """Uniform numbers that a game needs: one for each neuron, one for contacts."""
    neurons = model.structure.populations.values()
    return 1 + sum(count_of(each, values) * (n_arms if each.of_options else 1) for each in neurons)


def count_of(neurons: Neurons, values: Mapping[str, float]) -> int:
    """How many neurons of a population an option, or a game, has."""
    return neurons.count if isinstance(neurons.count, int) else int(values[neurons.count])


def _count(bits: np.ndarray, mean: float) -> np.ndarray:
    """Poisson numbers from 31 random bits each."""
    here = upto = math.exp(-mean)
    found, k = np.zeros(bits.shape), 1
    while upto * 2.0**31 < 2.0**31 - 0.5 and k < 1000:
        found += bits >= np.uint64(int(upto * 2.0**31))
        here *= mean / k
        upto += here
        k += 1
    return found
