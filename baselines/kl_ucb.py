"""``kl-ucb``: UCB with the Kullback-Leibler bound for Bernoulli rewards."""

from __future__ import annotations

from typing import Any, ClassVar

from baselines.index import KLPolicy
from baselines.scalars import log, maximum
from baselines.tunable import POSITIVE, Tunable


class KLUCB(KLPolicy):
    """Pull the arm with the highest upper confidence bound: the largest q with n kl(mean, q) <= xi ln t.

    t is the number of all pulls, n that of the arm; arms never pulled come first. Reference: Garivier and Cappé (2011),
    The KL-UCB Algorithm for Bounded Stochastic Bandits and Beyond (with c = 0, as they recommend).

    Parameters
    ----------
    exploration : float
        xi, 1 in the paper.
    **settings
        See :class:`baselines.base.Policy`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {
        "exploration": Tunable(0.001, 4, "log", POSITIVE, meaning="weight xi of the uncertainty"),
    }

    def __init__(self, n_arms: int, *, exploration: Any = 1.0, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.exploration = self._tuned("exploration", exploration)
        self._time = self._each(0.0)

    def _budget(self) -> Any:
        return self._column(self.exploration * log(maximum(self._time, 1)))

    def _learn(self, arms: Any, rewards: Any) -> None:
        super()._learn(arms, rewards)
        self._time += 1
