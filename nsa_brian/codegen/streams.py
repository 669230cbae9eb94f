"""Random streams of neurons, the same in every engine.

So a game depends neither on the other games nor on the engine. The numbers are those of compiled code (``random.hpp``),
bit for bit: SplitMix64. A single neuron has a stream of its own, and a sample takes 64 bits. In populations of many
neurons, two neurons share a stream, and each sample takes one half of its 64 bits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from nsa_brian.common.splitmix import GAMMA, mix
from nsa_brian.model.model import Model
from nsa_brian.model.structure import Neurons, Structure

#: Inverse of the standard deviation of the sum of four integers below 2^16.
_UNIT = 2.6428997921303014e-05
#: Coefficients of x, x^3 and x^5 that make a nearly normal number of the sum of four bytes, less its mean.
_NORMAL = (0.0065731052138751234, 2.727881712491698e-10, 3.305909698978774e-14)


class Streams:
    """A batch of random streams of single neurons or of games.

    Parameters
    ----------
    seeds : array
        Uniform random numbers in [0, 1), one for each stream.
    """

    def __init__(self, seeds: np.ndarray) -> None:
        self.state = states(seeds).view(np.uint64)

    def noise(self) -> np.ndarray:
        """Return samples of mean 0 and variance 1."""
        return noise(next_bits(self.state))

    def uniform(self, n: int) -> np.ndarray:
        """Return the next n uniform random numbers in [0, 1) of each stream, (streams, n)."""
        bits = np.stack([next_bits(self.state) for _ in range(n)], axis=-1)
        return (bits >> np.uint64(11)).astype(float) * 2.0**-53


class SharedStreams:
    """Random streams of a population of many neurons, each shared by two.

    Parameters
    ----------
    seeds : array (games, streams)
        Uniform random numbers in [0, 1), one for each stream.
    size : int
        Number of neurons per game.
    """

    def __init__(self, seeds: np.ndarray, size: int) -> None:
        self.state, self._size = states(seeds).view(np.uint64), size

    def bits(self) -> np.ndarray:
        """Return the next 32 bits of each neuron, (games * neurons,)."""
        words = next_bits(self.state)
        halves = np.stack([words & np.uint64(0xFFFFFFFF), words >> np.uint64(32)], axis=-1)
        return halves.reshape(len(words), -1)[:, : self._size].ravel()

    def noise(self) -> np.ndarray:
        """Return nearly normal samples of mean 0 and variance 1."""
        return normal(self.bits())

    def events(self, mean: float) -> np.ndarray:
        """Return Poisson samples."""
        return _count(self.bits() >> np.uint64(1), mean)


def next_bits(state: np.ndarray) -> np.ndarray:
    """Advance the states of streams in place; return 64 bits of each."""
    state += GAMMA
    return mix(state)


def noise(bits: np.ndarray) -> np.ndarray:
    """Return samples of mean 0 and variance 1, each from 64 random bits."""
    parts = [(bits >> np.uint64(shift)) & np.uint64(0xFFFF) for shift in (0, 16, 32, 48)]
    return (sum(parts[1:], parts[0]).astype(float) - 131070.0) * _UNIT


def normal(bits: np.ndarray) -> np.ndarray:
    """Return nearly normal samples, each from 32 random bits: all moments up to the seventh are those of a normal."""
    parts = [(bits >> np.uint64(shift)) & np.uint64(0xFF) for shift in (0, 8, 16, 24)]
    x = sum(parts[1:], parts[0]).astype(float) - 510.0
    y = x * x
    return x * (_NORMAL[0] + y * (_NORMAL[1] + y * _NORMAL[2]))


def states(seeds: np.ndarray) -> np.ndarray:
    """Return the initial states of streams as 64-bit integers."""
    return (np.asarray(seeds) * 2.0**53).astype(np.int64)


def n_streams(structure: Structure, neurons: int) -> int:
    """Return the number of streams of a population's neurons in a game: one for each, or one for two."""
    return neurons if structure.single else (neurons + 1) // 2


def n_seeds(model: Model, values: Mapping[str, float], n_arms: int) -> int:
    """Return the number of seeds of a game: those of the neurons' streams, and one for contacts."""
    sizes = [
        count_of(each, values) * (n_arms if each.of_options else 1) for each in model.structure.populations.values()
    ]
    return 1 + sum(n_streams(model.structure, size) for size in sizes)


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
