"""``sw-ucb``: sliding-window UCB."""

from __future__ import annotations

from typing import Any, ClassVar

from baselines.index import IndexPolicy
from baselines.scalars import log, minimum
from baselines.tunable import POSITIVE, Tunable
from baselines.window import RecentRounds

WINDOW = Tunable(20, 8000, "log", (1, 1e9), integer=True, meaning="rounds that are remembered")


class SlidingWindowUCB(IndexPolicy):
    """Pull the arm with the highest mean + sqrt(xi ln min(t, tau) / N) of the last tau rounds, N its pulls in them.

    Arms without pulls in these rounds come first. Reference: Garivier and Moulines (2011), On Upper-Confidence Bound
    Policies for Switching Bandit Problems (rewards bounded by B = 1).

    Parameters
    ----------
    window : int
        tau, length of the window in rounds.
    exploration : float
        xi, 0.6 in the paper's experiments.
    **settings
        See :class:`baselines.base.Policy`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {
        "window": WINDOW,
        "exploration": Tunable(0.001, 2, "log", POSITIVE, meaning="weight xi of the uncertainty"),
    }

    def __init__(self, n_arms: int, *, window: Any = 250, exploration: Any = 0.6, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.window, self.exploration = self._tuned("window", window), self._tuned("exploration", exploration)
        self._recent = RecentRounds(n_arms, self.window)
        self.pulls, self.means = self._recent.pulls, self._recent.means

    def _budget(self) -> Any:
        rounds = minimum(self.window, max(self._recent.round, 1))
        return self._column(self.exploration * log(rounds * 1.0))

    def _learn(self, arms: Any, rewards: Any) -> None:
        self._recent.learn(arms, rewards)
