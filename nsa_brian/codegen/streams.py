"""Random streams of neurons, one for each neuron and the same in every engine.

So a game depends neither on the other games nor on the engine. The numbers are those of compiled code (``random.hpp``),
bit for bit: SplitMix64, of whose 64 bits a noise sample takes all and a Poisson sample one half.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from nsa_brian.common.splitmix import GAMMA, mix
from nsa_brian.model.model import Model
from nsa_brian.model.structure import Neurons

#: Inverse of the standard deviation of the sum of four integers below 2^16.
_UNIT = 2.6428997921303014e-05


class Streams:
    """A batch of random streams.

    Parameters
    ----------
    seeds : array
        Uniform random numbers in [0, 1), one for each stream.
    """

    def __init__(self, seeds: np.ndarray) -> None:
        self._state = states(seeds).view(np.uint64)

    def bits(self) -> np.ndarray:
        """Return the next 64 bits of each stream."""
        return next_bits(self._state)

    def noise(self) -> np.ndarray:
        """Return samples of mean 0 and variance 1."""
        return normal(self.bits())

    def events(self, means: Sequence[float]) -> list[np.ndarray]:
        """Return Poisson samples for one or two means."""
        z = self.bits()
        halves = ((z & np.uint64(0xFFFFFFFF)) >> np.uint64(1), z >> np.uint64(33))
        return [_count(half, mean) for half, mean in zip(halves, means, strict=False)]

    def uniform(self, n: int) -> np.ndarray:
        """Return the next n uniform random numbers in [0, 1) of each stream, (streams, n)."""
        return np.stack([(self.bits() >> np.uint64(11)).astype(float) * 2.0**-53 for _ in range(n)], axis=-1)


def next_bits(state: np.ndarray) -> np.ndarray:
    """Advance the states of streams in place; return 64 bits of each."""
    state += GAMMA
    return mix(state)


def normal(bits: np.ndarray) -> np.ndarray:
    """Return samples of mean 0 and variance 1, each from 64 random bits."""
    part = np.uint64(0xFFFF)
    parts = [(bits >> np.uint64(shift)) & part for shift in (0, 16, 32, 48)]
    return (sum(parts[1:], parts[0]).astype(float) - 131070.0) * _UNIT


def states(seeds: np.ndarray) -> np.ndarray:
    """Return the initial states of streams as 64-bit integers."""
    return (np.asarray(seeds) * 2.0**53).astype(np.int64)


def n_seeds(model: Model, values: Mapping[str, float], n_arms: int) -> int:
    """Return the number of seeds of a game: one for each neuron, one for contacts."""
    neurons = model.structure.populations.values()
    return 1 + sum(count_of(each, values) * (n_arms if each.of_options else 1) for each in neurons)


def count_of(neurons: Neurons, values: Mapping[str, float]) -> int:
    """Return the number of neurons of a population per option, or per game for a pool."""
    return neurons.count if isinstance(neurons.count, int) else int(values[neurons.count])


def _count(bits: np.ndarray, mean: float) -> np.ndarray:
    """Return Poisson samples, each from 31 random bits."""
    here = upto = math.exp(-mean)
    found, k = np.zeros(bits.shape), 1
    while upto * 2.0**31 < 2.0**31 - 0.5 and k < 1000:
        found += bits >= np.uint64(int(upto * 2.0**31))
        here *= mean / k
        upto += here
        k += 1
    return found
