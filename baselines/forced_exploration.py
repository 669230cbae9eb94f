"""``forced-exploration``: greedy, with a limit on the time an arm is not pulled."""

from __future__ import annotations

from typing import Any, ClassVar

from baselines.base import Policy
from baselines.scalars import any_of, minimum, where
from baselines.sliding_window_ucb import WINDOW
from baselines.tunable import Tunable
from baselines.window import RecentRounds


class ForcedExploration(Policy):
    """Pull the arm with the highest mean of the last tau rounds, unless an arm was not pulled for f(r) rounds.

    Then the arm that has waited longest is pulled (initially in random order). f(r) = a^r, and r rises by one whenever
    all arms have been pulled since it last changed. While a^r < K the arms take turns; then exploration becomes rarer.
    Every tau rounds r is reset to 0. An arm without pulls in the last tau
    rounds has mean 0; the first of equal means is taken. This is SW-FE with the exponential sequence. Reference: Qi,
    Guo and Zhu (2023), Forced Exploration in Bandit Problems.

    Parameters
    ----------
    window : int
        tau, length of the window, after which exploration restarts.
    growth : float
        a, growth factor of the time that an arm may wait; e^(1 / ln tau) in the paper.
    **settings
        See :class:`baselines.base.Policy`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {
        "window": WINDOW,
        "growth": Tunable(1.05, 1000, "log", (1, 1e9), meaning="growth of the time that an arm may wait"),
    }

    def __init__(self, n_arms: int, *, window: Any = 250, growth: Any = 1.2, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.window, self.growth = self._tuned("window", window), self._tuned("growth", growth)
        self._recent = RecentRounds(n_arms, self.window)
        order = self.rng.random((self.n_games, n_arms)).argsort(axis=1)
        # The round of each arm's last pull; before the game, -K to -1 in random order.
        self._last = order.argsort(axis=1) - float(n_arms)
        self._lasts = self._cells(self._last)
        self._longest = self._find_longest()  # the arm that was not pulled for the longest time
        self._since = self._each(0.0)  # the round in which r last changed
        self._patience = self._each(1.0)  # a^r

    def _select(self) -> Any:
        longest = self._longest
        waited = self._recent.round - 1 - self._lasts[self._at(longest)]
        if self._alone:  # means need not be compared
            return longest if waited >= self._patience else self._recent.means.argmax()
        return where(waited >= self._patience, longest, self._argmax(self._recent.means))

    def _learn(self, arms: Any, rewards: Any) -> None:
        self._lasts[self._at(arms)] = self._recent.round
        self._recent.learn(arms, rewards)
        longest = self._longest = self._find_longest()
        done = self._lasts[self._at(longest)] >= self._since
        anew = self._recent.round % self.window == 0
        changed = done | anew
        if any_of(changed):
            patience = where(done, minimum(self._patience * self.growth, 1e300), self._patience)
            self._patience = where(anew, 1, patience)
            self._since = where(changed, self._recent.round, self._since)

    def _find_longest(self) -> Any:
        """Return the arm that was not pulled for the longest time."""
        return self._last.argmin() if self._alone else self._last.argmin(axis=1)
