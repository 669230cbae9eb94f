"""Base classes of models of behaviour, which are fitted to the choices of subjects."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from baselines.base import Policy
from baselines.probabilities import softmax
from baselines.sampling import draw
from baselines.scalars import column
from baselines.tunable import Tunable

#: Legal inverse temperatures, and legal values of arms.
BETAS, VALUES = (0.0, 1e6), (-100.0, 100.0)

STEP = Tunable(0, 1, meaning="learning rate")
BETA = Tunable(0.1, 50, "log", BETAS, meaning="inverse temperature of the softmax; the higher, the greedier")


class BehaviourModel(Policy):
    """A model of behaviour: an arm is drawn from the probabilities that ``probabilities()`` returns.

    Its ``tunable`` parameters are the free parameters of a fit.
    """

    compared = False

    def __init__(self, n_arms: int, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self._all = np.ones((self.n_games, n_arms), dtype=bool)

    def _select(self) -> Any:
        return draw(self._probabilities(self._all), self._uniform(1)[0])


class ValueModel(BehaviourModel):
    """A model with a value Q of each arm and the choice rule p_k ~ exp(beta Q_k).

    Parameters
    ----------
    beta : float
        Inverse temperature of the softmax; 0 is random choice.
    q0 : float
        Initial value of an arm.
    **settings
        See :class:`baselines.base.Policy`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {"beta": BETA}

    def __init__(self, n_arms: int, *, beta: Any = 5.0, q0: Any = 0.5, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.beta, self.q0 = self._tuned("beta", beta), self._checked("q0", q0, VALUES)
        self.values = np.zeros((self.n_games, n_arms)) + column(self.q0)

    def _probabilities(self, offered: np.ndarray) -> np.ndarray:
        return softmax(column(self.beta) * self.values, offered)
