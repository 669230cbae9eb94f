"""``m-ucb``: monitored UCB, which restarts when the halves of an arm's window of rewards differ."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from baselines.index import RestartingPolicy
from baselines.scalars import any_of, log, maximum, where
from baselines.tunable import POSITIVE, Tunable
from baselines.window import RecentPulls


class MonitoredUCB(RestartingPolicy):
    """Pull the highest mean + sqrt(xi ln t / n), t and n since the last change; sometimes all arms in turn.

    The arms take turns in the first K of every floor(K / gamma) rounds (in random order). All arms are reset once
    the sum of the last w / 2 rewards of an arm differs from that of the w / 2 before by more than b = sqrt(w / 2 ln(2 K
    / delta)). Reference: Cao, Wen, Kveton and Xie (2019), Nearly Optimal Adaptive Procedure with Change
    Detection for Piecewise-Stationary Bandit, where xi = 2.

    Parameters
    ----------
    window : int
        w; odd numbers are rounded down to even ones.
    epsilon : float
        gamma, share of rounds in which the arms take turns.
    exploration : float
        xi of the index.
    delta : float
        Upper bound of the probability of a false alarm in a test. The paper has 1 / T^2 for T rounds, which misses most
        changes within some thousand rounds. A window below 2 ln(2 K / delta) detects none.
    **settings
        See :class:`baselines.base.Policy`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {
        "window": Tunable(20, 2000, "log", (2, 1e9), integer=True, meaning="last pulls w of an arm to compare"),
        "epsilon": Tunable(0.001, 0.5, "log", meaning="share gamma of rounds in which the arms take turns"),
        "exploration": Tunable(0.001, 4, "log", POSITIVE, meaning="weight xi of the uncertainty"),
    }

    def __init__(
        self,
        n_arms: int,
        *,
        window: Any = 200,
        epsilon: Any = 0.05,
        exploration: Any = 2.0,
        delta: Any = 0.05,
        **settings: Any,
    ) -> None:
        super().__init__(n_arms, **settings)
        self.window, self.epsilon = self._tuned("window", window), self._tuned("epsilon", epsilon)
        self.exploration = self._tuned("exploration", exploration)
        self.delta = self._checked("delta", delta, (1e-300, 1.0))
        self._half = self.window // 2
        threshold = np.sqrt(self._half * np.log(2 * n_arms / self.delta))
        self._threshold = float(threshold) if self._alone else threshold
        self._time = self._each(0.0)
        self._recent = RecentPulls(n_arms, self._half, 2 * self._half)
        # Sum of the later half of the window minus that of the earlier half.
        self._difference = np.zeros((self.n_games, n_arms))
        self._differences = self._cells(self._difference)

    def _budget(self) -> Any:
        return self._column(self.exploration * log(maximum(self._time, 1)))

    def _select(self) -> Any:
        return self._take_turns(self.epsilon, self._time)

    def _probabilities(self, offered: np.ndarray) -> np.ndarray:
        return self._turn_probabilities(self.epsilon, self._time, offered)

    def _learn(self, arms: Any, rewards: Any) -> None:
        super()._learn(arms, rewards)
        self._time += 1
        at = self._at(arms)
        ages, leaves = self._recent.push(arms, rewards)
        difference = self._differences[at] + rewards - 2 * ages + leaves
        self._differences[at] = difference
        changed = (self._pulls[at] >= 2 * self._half) & (abs(difference) > self._threshold)
        if any_of(changed):
            games = np.flatnonzero(changed)
            self._forget(games)
            self._recent.forget(games)
            self._time, self._difference[games] = where(changed, 0, self._time), 0
