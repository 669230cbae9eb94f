"""``choice-kernel`` and ``q-kernel``: choices that are repeated, without and with learning from rewards."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from baselines.behaviour import BETA, STEP, BehaviourModel
from baselines.probabilities import softmax
from baselines.q_learning import QLearning
from baselines.scalars import column
from baselines.tunable import Tunable

KERNEL_STEP = Tunable(0, 1, meaning="rate at which the choice kernel follows the choices")
KERNEL_BETA = Tunable(
    -10, 20, legal=(-1000, 1000), meaning="weight of the choice kernel; positive repeats choices, negative avoids them"
)


class ChoiceKernel(BehaviourModel):
    """Repeat recent choices, whatever they paid: p_k ~ exp(kernel_beta C_k).

    C follows the choices from 0: C_k += kernel_step (c_k - C_k), with c = 1 for the chosen arm and 0 for the others.
    Model 4 of Wilson and Collins (2019), eLife 8: e49547.

    Parameters
    ----------
    kernel_step : float
        Rate at which C follows the choices.
    kernel_beta : float
        Weight of C in the softmax; a negative one avoids recent choices.
    **settings
        See :class:`baselines.base.Policy`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {"kernel_step": KERNEL_STEP, "kernel_beta": KERNEL_BETA}

    def __init__(self, n_arms: int, *, kernel_step: Any = 0.1, kernel_beta: Any = 3.0, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.kernel_step = self._tuned("kernel_step", kernel_step)
        self.kernel_beta = self._tuned("kernel_beta", kernel_beta)
        self.kernel = np.zeros((self.n_games, n_arms))

    def _probabilities(self, offered: np.ndarray) -> np.ndarray:
        return softmax(column(self.kernel_beta) * self.kernel, offered)

    def _learn(self, arms: Any, rewards: Any) -> None:
        self.kernel *= 1 - column(self.kernel_step)
        self.kernel[self._games, arms] += self.kernel_step


class QKernel(QLearning, ChoiceKernel):
    """Rescorla-Wagner learning and a choice kernel: p_k ~ exp(beta Q_k + kernel_beta C_k).

    Model 5 of Wilson and Collins (2019), eLife 8: e49547.

    Parameters
    ----------
    step, beta, q0
        See :class:`baselines.q_learning.QLearning`.
    kernel_step, kernel_beta, **settings
        See :class:`ChoiceKernel`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {
        "step": STEP,
        "beta": BETA,
        "kernel_step": KERNEL_STEP,
        "kernel_beta": KERNEL_BETA,
    }

    def _probabilities(self, offered: np.ndarray) -> np.ndarray:
        return softmax(column(self.beta) * self.values + column(self.kernel_beta) * self.kernel, offered)

    def _learn(self, arms: Any, rewards: Any) -> None:
        QLearning._learn(self, arms, rewards)
        ChoiceKernel._learn(self, arms, rewards)
