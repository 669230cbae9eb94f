"""Samples of Beta distributions for a batch of games, each with its own generator."""

from __future__ import annotations

import numpy as np

from nsa_brian.common.splitmix import GAMMA, mix

#: Samples drawn in one pass, so that the arrays of a pass fit the cache.
PASS = 16_384
#: Candidates for one seed after the first one was rejected.
AGAIN = 2
#: Smallest a and b. Far smaller values leave the range of doubles.
LEAST = 0.1
#: Steps of SplitMix64's counter: two numbers for each of AGAIN candidates.
COUNTER = np.arange(1, 2 * AGAIN + 1, dtype=np.uint64)[:, None] * GAMMA
#: The same for a few samples, in which calls cost more than numbers: three passes at once.
FEW = 500
LONG_COUNTER = np.arange(1, 6 * AGAIN + 1, dtype=np.uint64)[:, None] * GAMMA


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
        a, b, samples, shape = np.ravel(a), np.ravel(b), np.empty(a.size), a.shape
        s, u, acceptance = (np.empty(a.size) for _ in range(3))
        u.reshape(-1, each)[:], acceptance.reshape(-1, each)[:] = numbers[:, :each], numbers[:, each:]
        accepted = np.empty(a.size, bool)
        buffers = np.empty((5, min(PASS, a.size)))
        for start in range(0, a.size, PASS):
            part = slice(start, start + PASS)
            scratch = buffers[:, : len(a[part])]
            from_one = bool(a[part].min() >= 1 and b[part].min() >= 1)
            if not sharpness(a[part], b[part], s[part], scratch, from_one).min() >= LEAST:  # false for NaN too
                raise ValueError(f"a and b must be at least {LEAST:g}, got {np.minimum(a, b).min():g}")
            _try(a[part], b[part], s[part], u[part], acceptance[part], samples[part], accepted[part], scratch)
        _try_again(a, b, s, u, acceptance, samples, np.flatnonzero(~accepted))
        return samples.reshape(shape)

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
            if row.min() == 0:  # it has no logarithm
                np.maximum(row, 2.0**-54, out=row)


def _try_again(
    a: np.ndarray,
    b: np.ndarray,
    s: np.ndarray,
    u: np.ndarray,
    acceptance: np.ndarray,
    samples: np.ndarray,
    left: np.ndarray,
) -> None:
    """Replace the samples ``left``, whose first candidates were rejected."""
    seed = u[left].view(np.uint64) + acceptance[left].view(np.uint64) * GAMMA
    a, b, s = a[left], b[left], s[left]
    done = 0  # candidates since the seed; one at a time while there are many samples
    while left.size > FEW or (left.size and done):
        uniform = _uniform(seed + COUNTER[done::AGAIN])
        tried, accepted = np.empty(left.size), np.empty(left.size, bool)
        _try(a, b, s, uniform[0], uniform[1], tried, accepted, np.empty((5, left.size)))
        samples[left] = tried
        done = (done + 1) % AGAIN
        if not done:
            seed += COUNTER[-1]
        rejected = np.flatnonzero(~accepted)
        left, seed, a, b, s = left[rejected], seed[rejected], a[rejected], b[rejected], s[rejected]
    while left.size:
        counter = seed + LONG_COUNTER
        # Candidates come in pairs, each with two numbers: (pairs, number, candidate of the pair, sample)
        uniform = _uniform(counter).reshape(-1, 2, AGAIN, left.size).swapaxes(0, 1).reshape(2, -1, left.size)
        tried, accepted = np.empty(uniform.shape[1:]), np.empty(uniform.shape[1:], bool)
        _try(a, b, s, uniform[0], uniform[1], tried, accepted, np.empty((5, *tried.shape)))
        first = accepted.argmax(axis=0), np.arange(left.size)
        samples[left] = tried[first]
        rejected = np.flatnonzero(~accepted[first])
        left, seed, a, b, s = left[rejected], counter[-1, rejected], a[rejected], b[rejected], s[rejected]


def sharpness(a: np.ndarray, b: np.ndarray, out: np.ndarray, scratch: np.ndarray, from_one: bool = False) -> np.ndarray:
    """Return Cheng's s: s^2 - 1 is the harmonic mean of a - 1 and b - 1; if a or b is below 1, s = min(a, b).

    ``from_one`` says that all a and b are at least 1.
    """
    p, q, least = scratch[:3]
    np.subtract(a, 1, out=p)
    np.subtract(b, 1, out=q)
    if not from_one:
        np.maximum(p, 0, out=p)
        np.maximum(q, 0, out=q)
    np.multiply(2, p, out=out)
    out *= q
    p += q
    out /= np.maximum(p, 1e-300, out=p)
    out += 1
    np.sqrt(out, out=out)
    if not from_one:
        out *= np.minimum(np.minimum(a, b, out=least), 1, out=least)
    return out


def _try(
    a: np.ndarray,
    b: np.ndarray,
    s: np.ndarray,
    u: np.ndarray,
    acceptance: np.ndarray,
    candidates: np.ndarray,
    accepted: np.ndarray,
    scratch: np.ndarray,
) -> None:
    """Set the candidates, and whether they are accepted."""
    rest, bound, v, total, whole = scratch
    np.subtract(1, u, out=rest)
    np.divide(u, rest, out=v)
    np.log(v, out=v)
    v /= s
    np.multiply(4, u, out=bound)
    bound *= rest
    bound *= acceptance
    np.log(bound, out=bound)
    odds = np.exp(v, out=rest)
    odds *= a
    np.add(b, odds, out=whole)
    np.divide(odds, whole, out=candidates)
    np.add(a, b, out=total)
    whole /= total
    np.log(whole, out=whole)
    whole *= total
    v *= a
    v -= whole
    np.greater_equal(v, bound, out=accepted)


def _uniform(counter: np.ndarray) -> np.ndarray:
    """Return uniform numbers in (0, 1)."""
    return (mix(counter) >> np.uint64(12)) * 2.0**-52 + 2.0**-53
