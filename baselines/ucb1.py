"""``ucb1``: upper confidence bounds."""

from __future__ import annotations

from typing import Any, ClassVar

from baselines.index import IndexPolicy
from baselines.scalars import log
from baselines.tunable import POSITIVE, Tunable


class UCB1(IndexPolicy):
    """Pull the arm with the highest mean + sqrt(xi ln t / n), t all pulls and n those of the arm; the first of equals.

    Arms that were never pulled come first, in random order. Reference: Auer, Cesa-Bianchi and Fischer (2002),
    Finite-time Analysis of the Multiarmed Bandit Problem.

    Parameters
    ----------
    exploration : float
        xi, 2 in the paper.
    **settings
        See :class:`baselines.base.Policy`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {
        "exploration": Tunable(0.001, 4, "log", POSITIVE, meaning="weight xi of the uncertainty"),
    }

    _pulls_last = True

    def __init__(self, n_arms: int, *, exploration: Any = 2.0, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.exploration = self._tuned("exploration", exploration)
        self._round = 0

    def _budget(self) -> Any:
        return self._column(self.exploration * log(self._round or 1))

    def _learn(self, arms: Any, rewards: Any) -> None:
        super()._learn(arms, rewards)
        self._round += 1
