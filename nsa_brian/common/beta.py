"""Samples of Beta distributions for a batch of games, each with its own generator."""

from __future__ import annotations

import numpy as np

from nsa_brian.common.splitmix import GAMMA, mix

#: Samples drawn in one pass, so that arrays fit the cache and memory is not allocated again in each round.
PASS = 16_000
#: Candidates per pass after the first one was rejected: random numbers cost less than further passes.
AGAIN = 2
#: Smallest a and b. Far smaller values leave the range of doubles.
LEAST = 0.1
#: Steps of SplitMix64's counter: two numbers for each of AGAIN candidates.
COUNTER = np.arange(1, 2 * AGAIN + 1, dtype=np.uint64)[:, None] * GAMMA


class BetaStreams:
    """Rejection sampler of Beta(a, b) for a batch of games.

    Relative to its mode, the density of v = logit(x) - log(a / b) is exp(h(v)), where
    h(v) = a v - (a + b) log((b + a exp(v)) / (a + b)). For a suitable s, it is bounded by 4 u (1 - u), the density of a
    logistic v = logit(u) / s relative to its mode. So v is drawn from the logistic distribution and accepted with
    probability exp(h(v)) / (4 u (1 - u)). Samples are exact; for a and b from 1, at least two thirds are accepted.
    Reference: Cheng (1978), Generating Beta Variates with Nonintegral Shape Parameters, algorithm BA.

    Each sample takes two numbers of its game's generator, whatever the number of candidates: those of a rejected
    candidate are the seed of the next ones. So all games stay at the same position of their streams.

    Parameters
    ----------
    generators : list of numpy.random.Generator
        One for each game, used for nothing else.
    """

    #: Smallest number of random numbers that a game draws ahead.
    AHEAD = 4096

    def __init__(self, generators: list[np.random.Generator]) -> None:
        self._generators = generators
        self._ahead, self._next = np.empty((len(generators), 0)), 0

    def sample(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return a sample for each entry of a and b (games, ...), which must be at least 0.1."""
        each = a[0].size
        numbers = self._numbers(2 * each)
        u, acceptance = numbers[:, :each], numbers[:, each:]
        samples = np.empty(a.shape)
        step = max(1, PASS // each)
        for start in range(0, len(a), step):
            games = slice(start, start + step)
            some = _sample(*(of_all[games].ravel() for of_all in (a, b, u, acceptance)))
            samples[games] = some.reshape(samples[games].shape)
        return samples

    def _numbers(self, count: int) -> np.ndarray:
        """Return the next uniform numbers in (0, 1) of each game (games, count)."""
        start, self._next = self._next, self._next + count
        if self._next > self._ahead.shape[1]:
            self._draw_ahead(max(self.AHEAD, count))
            start, self._next = 0, count
        return self._ahead[:, start : self._next]

    def _draw_ahead(self, size: int) -> None:
        """Draw new numbers for all games and drop the unused ones, of which each game has equally many."""
        if self._ahead.shape[1] < size:
            self._ahead = np.empty((len(self._generators), size))
        for generator, row in zip(self._generators, self._ahead, strict=True):
            generator.random(out=row)
        np.maximum(self._ahead, 2.0**-54, out=self._ahead)  # 0 has no logarithm


def _sample(a: np.ndarray, b: np.ndarray, u: np.ndarray, acceptance: np.ndarray) -> np.ndarray:
    """Return samples made from two uniform numbers each: the candidate and its acceptance."""
    s = sharpness(a, b)
    if not s.min() >= LEAST:  # false for NaN too
        raise ValueError(f"a and b must be at least {LEAST:g}, got {np.minimum(a, b).min():g}")
    samples, accepted = _try(a, b, s, u, acceptance)
    left = np.flatnonzero(~accepted)
    seed = u[left].view(np.uint64) + acceptance[left].view(np.uint64) * GAMMA
    while left.size:
        again, counter = np.tile(left, AGAIN), seed + COUNTER
        tried, accepted = _try(a[again], b[again], s[again], *_uniform(counter).reshape(2, -1))
        first = accepted.reshape(AGAIN, -1).argmax(axis=0) * left.size + np.arange(left.size)
        samples[left] = tried[first]
        rejected = ~accepted[first]
        left, seed = left[rejected], counter[-1, rejected]
    return samples


def sharpness(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return Cheng's s: s^2 - 1 is the harmonic mean of a - 1 and b - 1; if a or b is below 1, s = min(a, b)."""
    p, q = np.maximum(a - 1, 0), np.maximum(b - 1, 0)
    return np.sqrt(1 + 2 * p * q / np.maximum(p + q, 1e-300)) * np.minimum(np.minimum(a, b), 1)


def _try(
    a: np.ndarray, b: np.ndarray, s: np.ndarray, u: np.ndarray, acceptance: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the candidates and whether they are accepted."""
    rest, total = 1 - u, a + b
    v = np.log(u / rest) / s
    odds = a * np.exp(v)
    whole = b + odds
    h = a * v - total * np.log(whole / total)
    return odds / whole, h >= np.log(4 * u * rest * acceptance)


def _uniform(counter: np.ndarray) -> np.ndarray:
    """Return uniform numbers in (0, 1)."""
    return (mix(counter) >> np.uint64(12)) * 2.0**-52 + 2.0**-53
