"""Sliding windows over rounds or pulls, whose lengths may differ between games."""

from __future__ import annotations

from typing import Any

import numpy as np

from baselines.scalars import cells, where
from baselines.views import Viewing


class RecentRounds(Viewing):
    """Number of pulls and mean reward of each arm in the last rounds.

    Parameters
    ----------
    n_arms : int
    window : array (games,), or a number for a single game
        Length of the window in rounds.

    Attributes
    ----------
    pulls, means : array (games, arms)
        Number of pulls and mean reward in the window; the mean of an arm without pulls is 0.
    """

    def __init__(self, n_arms: int, window: Any) -> None:
        n_games = np.size(window)
        self.window, self.round = window, 0
        self._alone = not np.ndim(window)
        self._games = 0 if self._alone else np.arange(n_games)
        self.pulls = np.zeros((n_games, n_arms))
        self.means = np.zeros((n_games, n_arms))
        self._sums = np.zeros((n_games, n_arms))
        self._counts = [cells(each, self._alone) for each in (self.pulls, self._sums, self.means)]
        self._longest = int(np.max(window))
        # Ring buffers (rounds, games). They grow with the game, which may be much shorter than the window.
        self._length = min(self._longest, 256)
        self._arms = _log(self._length, n_games, np.int32, self._alone)
        self._rewards = _log(self._length, n_games, float, self._alone)

    def learn(self, arms: Any, rewards: Any) -> None:
        """Add a round: the pulled arm and the reward of each game."""
        now, length = self.round, self._length
        if now == length < self._longest:
            length = self._length = min(2 * length, self._longest)
            self._arms, self._rewards = (_grown(ring, length) for ring in (self._arms, self._rewards))
        full = self.window <= now
        if self._alone:
            if full:
                old = (now - self.window) % length
                self._count(self._arms[old], self._rewards[old], -1)
            self._count(arms, rewards, 1)
        else:
            if full.any():
                games, window = full.nonzero()[0], self.window[full]
                old = (now - window) % length, games
                self._count((games, self._arms[old]), self._rewards[old], -1)
            self._count((self._games, arms), rewards, 1)
        slot = now % length
        self._arms[slot] = arms
        self._rewards[slot] = rewards
        self.round = now + 1

    def _count(self, at: Any, rewards: Any, sign: int) -> None:
        """Add a pull to the window (sign 1), or remove it (-1), at the given games and arms."""
        all_pulls, all_sums, means = self._counts
        pulls, sums = all_pulls[at] + sign, all_sums[at] + sign * rewards
        all_pulls[at], all_sums[at] = pulls, sums
        means[at] = sums / (pulls or 1) if self._alone else sums / np.maximum(pulls, 1)


class RecentPulls(Viewing):
    """Rewards of each arm a number of pulls ago.

    Parameters
    ----------
    n_arms : int
    *lags : arrays (games,), or numbers
        Numbers of pulls to look back.
    """

    def __init__(self, n_arms: int, *lags: Any) -> None:
        n_games = np.size(lags[0])
        self._lags, self._round = lags, 0
        self._alone = not np.ndim(lags[0])
        self._games = 0 if self._alone else np.arange(n_games)
        # A log of all rounds (rounds, games), with links from a pull to the next one of the same arm. It needs less
        # memory than an array of the length of the lag for each arm.
        self._length = 256
        self._rewards = _log(self._length, n_games, float, self._alone)
        self._next = _log(self._length, n_games, np.intp, self._alone)
        self._count = np.zeros((n_games, n_arms), np.intp)
        self._last = np.zeros((n_games, n_arms), np.intp)
        self._ends = [np.zeros((n_games, n_arms), np.intp) for _ in lags]
        self._cells = [cells(each, self._alone) for each in (self._count, self._last, *self._ends)]

    def push(self, arms: Any, rewards: Any) -> list[Any]:
        """Add a pull of each game; return for each lag the arm's reward that many pulls ago, 0 if there is none."""
        if self._round == self._length:
            self._length *= 2
            self._rewards, self._next = (_grown(log, self._length) for log in (self._rewards, self._next))
        now, games, (counts, lasts, *all_ends) = self._round, self._games, self._cells
        at = arms if self._alone else (games, arms)
        count = counts[at]
        self._rewards[now] = rewards
        before = where(count > 0, lasts[at], now)
        self._next[before if self._alone else (before, games)] = now
        lasts[at], counts[at] = now, count + 1
        self._round = now + 1
        left: list[Any] = []
        for lag, ends in zip(self._lags, all_ends, strict=True):
            if self._alone:
                end = ends[at] if count else now
                leaves = count >= lag
                left.append(self._rewards[end] if leaves else 0.0)
                ends[at] = self._next[end] if leaves else end
            else:
                end, leaves = np.where(count > 0, ends[at], now), count >= lag
                left.append(np.where(leaves, self._rewards[end, games], 0))
                ends[at] = np.where(leaves, self._next[end, games], end)
        return left

    def forget(self, games: np.ndarray) -> None:
        """Forget all pulls of these games."""
        self._count[games] = 0


def _log(n_rounds: int, n_games: int, dtype: Any, alone: bool) -> Any:
    """Return a log (rounds, games) of zeros; in a single game a memoryview (rounds,)."""
    return cells(np.zeros((1, n_rounds), dtype), alone=True) if alone else np.zeros((n_rounds, n_games), dtype)


def _grown(log: Any, n_rounds: int) -> Any:
    """Return the log with more rounds."""
    alone = isinstance(log, memoryview)
    old = np.asarray(log)
    longer = _log(n_rounds, 1 if alone else old.shape[1], old.dtype, alone)
    longer[: len(old)] = log
    return longer
