"""``q-learning``, ``q-learning-2`` and ``q-forgetting``: Rescorla-Wagner learning with a softmax."""

from __future__ import annotations

from typing import Any, ClassVar

from baselines.behaviour import BETA, STEP, ValueModel
from baselines.scalars import column, where
from baselines.tunable import Tunable


class QLearning(ValueModel):
    """Rescorla-Wagner learning, Q += step (R - Q) for the chosen arm, and p_k ~ exp(beta Q_k).

    Model 3 of Wilson and Collins (2019), Ten Simple Rules for the Computational Modeling of Behavioral Data, eLife 8:
    e49547. The policy ``softmax`` is the same rule with values that start at 0 and a temperature, 1 / beta.

    Parameters
    ----------
    step : float
        Learning rate.
    beta, q0, **settings
        See :class:`baselines.behaviour.ValueModel`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {"step": STEP, "beta": BETA}

    def __init__(self, n_arms: int, *, step: Any = 0.1, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.step = self._tuned("step", step)

    def _learn(self, arms: Any, rewards: Any) -> None:
        at = self._games, arms
        self.values[at] += self.step * (rewards - self.values[at])


class QLearning2(ValueModel):
    """As :class:`QLearning` with two learning rates: one for rewards above the value, one for those below.

    Reference: Daw, Kakade and Dayan (2002), Opponent Interactions between Serotonin and Dopamine; Frank et al. (2007),
    Genetic Triple Dissociation Reveals Multiple Roles for Dopamine in Reinforcement Learning.

    Parameters
    ----------
    step_up, step_down : float
        Learning rates of positive and of negative prediction errors R - Q.
    beta, q0, **settings
        See :class:`baselines.behaviour.ValueModel`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {
        "step_up": Tunable(0, 1, meaning="learning rate of positive prediction errors"),
        "step_down": Tunable(0, 1, meaning="learning rate of negative prediction errors"),
        "beta": BETA,
    }

    def __init__(self, n_arms: int, *, step_up: Any = 0.2, step_down: Any = 0.1, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.step_up, self.step_down = self._tuned("step_up", step_up), self._tuned("step_down", step_down)

    def _learn(self, arms: Any, rewards: Any) -> None:
        at = self._games, arms
        error = rewards - self.values[at]
        self.values[at] += where(error > 0, self.step_up, self.step_down) * error


class QForgetting(QLearning):
    """As :class:`QLearning`, and the values of the other arms return to the initial value: Q += forgetting (q0 - Q).

    Reference: Ito and Doya (2009), Validation of Decision-Making Models and Analysis of Decision Variables in the Rat
    Basal Ganglia (there with q0 = 0 and forgetting equal to step in one of the models).

    Parameters
    ----------
    forgetting : float
        Rate at which the values of arms that are not chosen return to ``q0``.
    step, beta, q0, **settings
        See :class:`QLearning`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {
        "step": STEP,
        "forgetting": Tunable(0, 1, meaning="rate at which values of arms that are not chosen return to q0"),
        "beta": BETA,
    }

    def __init__(self, n_arms: int, *, forgetting: Any = 0.05, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.forgetting = self._tuned("forgetting", forgetting)

    def _learn(self, arms: Any, rewards: Any) -> None:
        at = self._games, arms
        learned = self.values[at] + self.step * (rewards - self.values[at])
        self.values += column(self.forgetting) * (column(self.q0) - self.values)
        self.values[at] = learned
