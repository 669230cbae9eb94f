"""Samples of Beta distributions for many games at once, each game's from a generator of its own."""

from __future__ import annotations

import numpy as np

from nsa_brian.common.splitmix import GAMMA, mix

#: Samples tried in one pass. More at a time no longer fit the cache, and their memory is asked for anew in each round.
PASS = 16_000
#: Candidates at a time for a sample whose first one was rejected: numbers cost less than further passes.
AGAIN = 2
#: The least a and b. Far below it, numbers leave the range of doubles.
LEAST = 0.1
#: Steps of SplitMix64's counter: two numbers for each of AGAIN candidates.
COUNTER = np.arange(1, 2 * AGAIN + 1, dtype=np.uint64)[:, None] * GAMMA


class BetaStreams:
    """Draws Beta(a, b) by rejection, in many games together.

    Relative to its mode, the density of v = logit(x) - log(a / b) is exp(h(v)), where
    h(v) = a v - (a + b) log((b + a exp(v)) / (a + b)). That of a logistic v = logit(u) / s, which is 4 u (1 - u), is
    nowhere below it, for an s that depends on a and b. So v is drawn from there and accepted with probability
    exp(h(v)) / (4 u (1 - u)), which makes the samples exact; of a and b from 1, two in three to all are accepted.
    Reference: Cheng (1978), Generating Beta Variates with Nonintegral Shape Parameters, algorithm BA.

    A sample takes two numbers of its game's generator, however often it is tried: those of a candidate that was
    rejected are the seed of the next ones. So all games are at the same place of their streams, and what one of them
    needs changes nothing for another.

    Parameters
    ----------
    generators : list of numpy.random.Generator
        One for each game, which nobody else uses.
    """

    #: Numbers that a game draws ahead, at least.
    AHEAD = 4096

    def __init__(self, generators: list[np.random.Generator]) -> None:
        self._generators = generators
        self._ahead, self._next = np.empty((len(generators), 0)), 0

    def sample(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """A sample for each entry of a and b (games, ...), which are at least 0.1."""
        each = a[0].size
        numbers = self._numbers(2 * each)
        u, luck = numbers[:, :each], numbers[:, each:]
        samples = np.empty(a.shape)
        step = max(1, PASS // each)
        for start in range(0, len(a), step):
            games = slice(start, start + step)
            some = _sample(*(of_all[games].ravel() for of_all in (a, b, u, luck)))
            samples[games] = some.reshape(samples[games].shape)
        return samples

    def _numbers(self, count: int) -> np.ndarray:
        """Uniform numbers in (0, 1), the next of each game (games, count)."""
        start, self._next = self._next, self._next + count
        if self._next > self._ahead.shape[1]:
            self._draw_ahead(max(self.AHEAD, count))
            start, self._next = 0, count
        return self._ahead[:, start : self._next]

    def _draw_ahead(self, size: int) -> None:
        """New numbers for all games. Of the old ones each game has the same few left, which are dropped."""
        if self._ahead.shape[1] < size:
            self._ahead = np.empty((len(self._generators), size))
        for generator, row in zip(self._generators, self._ahead, strict=True):
            generator.random(out=row)
        np.maximum(self._ahead, 2.0**-54, out=self._ahead)  # 0 has no logarithm


def _sample(a: np.ndarray, b: np.ndarray, u: np.ndarray, luck: np.ndarray) -> np.ndarray:
    """Samples from two uniform numbers each: one proposes, one decides."""
    s = sharpness(a, b)
    if not s.min() >= LEAST:  # nor is a nan
        raise ValueError(f"a and b must be at least {LEAST:g}, got {np.minimum(a, b).min():g}")
    samples, accepted = _try(a, b, s, u, luck)
    left = np.flatnonzero(~accepted)
    seed = u[left].view(np.uint64) + luck[left].view(np.uint64) * GAMMA
    while left.size:
        again, counter = np.tile(left, AGAIN), seed + COUNTER
        tried, accepted = _try(a[again], b[again], s[again], *_uniform(counter).reshape(2, -1))
        first = accepted.reshape(AGAIN, -1).argmax(axis=0) * left.size + np.arange(left.size)
        samples[left] = tried[first]
        rejected = ~accepted[first]  # none of them is accepted
        left, seed = left[rejected], counter[-1, rejected]
    return samples


def sharpness(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cheng's s: s^2 - 1 is the harmonic mean of a - 1 and b - 1; or, if one of a and b is below 1, s is the lesser."""
    p, q = np.maximum(a - 1, 0), np.maximum(b - 1, 0)
    return np.sqrt(1 + 2 * p * q / np.maximum(p + q, 1e-300)) * np.minimum(np.minimum(a, b), 1)


def _try(a: np.ndarray, b: np.ndarray, s: np.ndarray, u: np.ndarray, luck: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What candidates propose, and whether it is accepted."""
    rest, total = 1 - u, a + b
    v = np.log(u / rest) / s
    odds = a * np.exp(v)
    whole = b + odds
    h = a * v - total * np.log(whole / total)
    return odds / whole, h >= np.log(4 * u * rest * luck)


def _uniform(counter: np.ndarray) -> np.ndarray:
    """Uniform numbers in (0, 1)."""
    return (mix(counter) >> np.uint64(12)) * 2.0**-52 + 2.0**-53
