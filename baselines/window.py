"""Sliding windows over rounds or pulls, whose lengths may differ between games."""

from __future__ import annotations

from typing import Any

import numpy as np

from baselines.scalars import cells, maximum, where
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
        self._arms = np.zeros((min(self._longest, 256), n_games), np.int32)
        self._rewards = np.zeros(self._arms.shape)

    def learn(self, arms: Any, rewards: Any) -> None:
        """Add a round: the pulled arm and the reward of each game."""
        length = len(self._arms)
        if self.round == length < self._longest:
            self._arms, self._rewards = (_grown(ring, self._longest) for ring in (self._arms, self._rewards))
            length = len(self._arms)
        full = self.window <= self.round
        if self._alone:
            if full:
                old = (self.round - self.window) % length
                self._count(self._arms.item(old), self._rewards.item(old), -1)
            self._count(arms, rewards, 1)
        else:
            if full.any():
                games, window = full.nonzero()[0], self.window[full]
                old = (self.round - window) % length, games
                self._count((games, self._arms[old]), self._rewards[old], -1)
            self._count((self._games, arms), rewards, 1)
        slot = self.round % length, self._games
        self._arms[slot], self._rewards[slot] = arms, rewards
        self.round += 1

    def _count(self, at: Any, rewards: Any, sign: int) -> None:
        """Add a pull to the window (sign 1), or remove it (-1), at the given games and arms."""
        all_pulls, all_sums, means = self._counts
        pulls, sums = all_pulls[at] + sign, all_sums[at] + sign * rewards
        all_pulls[at], all_sums[at], means[at] = pulls, sums, sums / maximum(pulls, 1)


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
        self._rewards, self._next = np.zeros((256, n_games)), np.zeros((256, n_games), np.intp)
        self._count = np.zeros((n_games, n_arms), np.intp)
        self._last = np.zeros((n_games, n_arms), np.intp)
        self._ends = [np.zeros((n_games, n_arms), np.intp) for _ in lags]
        self._cells = [cells(each, self._alone) for each in (self._count, self._last, *self._ends)]

    def push(self, arms: Any, rewards: Any) -> list[Any]:
        """Add a pull of each game; return for each lag the arm's reward that many pulls ago, 0 if there is none."""
        if self._round == len(self._rewards):
            self._rewards, self._next = _grown(self._rewards), _grown(self._next)
        now, games, (counts, lasts, *all_ends) = self._round, self._games, self._cells
        at = arms if self._alone else (games, arms)
        count = counts[at]
        self._rewards[now] = rewards
        self._next[where(count > 0, lasts[at], now), games] = now
        lasts[at], counts[at] = now, count + 1
        self._round += 1
        left: list[Any] = []
        for lag, ends in zip(self._lags, all_ends, strict=True):
            end, leaves = where(count > 0, ends[at], now), count >= lag
            if self._alone:
                left.append(self._rewards.item(end) if leaves else 0.0)
                ends[at] = self._next.item(end) if leaves else end
            else:
                left.append(np.where(leaves, self._rewards[end, games], 0))
                ends[at] = np.where(leaves, self._next[end, games], end)
        return left

    def forget(self, games: np.ndarray) -> None:
        """Forget all pulls of these games."""
        self._count[games] = 0


def _grown(log: np.ndarray, at_most: int | None = None) -> np.ndarray:
    """Return the log with twice the length."""
    more = len(log) if at_most is None else min(len(log), at_most - len(log))
    return np.concatenate([log, np.zeros((more, *log.shape[1:]), log.dtype)])
