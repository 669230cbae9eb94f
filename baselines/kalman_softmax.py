"""``kalman-softmax``: a Kalman filter of each arm's reward, with a softmax."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from baselines.behaviour import BETA, ValueModel
from baselines.scalars import column
from baselines.tunable import POSITIVE, PROBABILITY, Tunable


class KalmanSoftmax(ValueModel):
    """Track the reward of each arm with a Kalman filter; p_k ~ exp(beta Q_k) with the mean Q.

    The mean Q and the variance S of an arm start at q0 and prior_sd^2. The chosen arm learns with the gain
    g = S / (S + noise^2): Q += g (R - Q), S <- (1 - g) S. Then all arms drift: Q <- q0 + decay (Q - q0),
    S <- decay^2 S + diffusion^2. Only ratios of the three standard deviations matter, so that ``noise`` is no free
    parameter. References: Daw, O'Doherty, Dayan, Seymour and Dolan (2006), Cortical Substrates for Exploratory
    Decisions in Humans; Speekenbrink and Konstantinidis (2015), Uncertainty and Exploration in a Restless Bandit
    Problem (there decay = 1).

    Parameters
    ----------
    diffusion : float
        Standard deviation of the change of an arm's reward in a trial.
    decay : float
        What remains of the distance to q0 after a trial; 1 is a random walk.
    noise : float
        Standard deviation of a reward around its mean.
    prior_sd : float
        Standard deviation of the rewards of arms at first.
    beta, q0, **settings
        See :class:`baselines.behaviour.ValueModel`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {
        "diffusion": Tunable(0.01, 1, "log", (0.0, 100.0), meaning="sd of the change of an arm's reward in a trial"),
        "beta": BETA,
    }

    def __init__(
        self,
        n_arms: int,
        *,
        diffusion: Any = 0.1,
        decay: Any = 1.0,
        noise: Any = 0.5,
        prior_sd: Any = 0.5,
        **settings: Any,
    ) -> None:
        super().__init__(n_arms, **settings)
        self.diffusion, self.decay = self._tuned("diffusion", diffusion), self._checked("decay", decay, PROBABILITY)
        self.noise = self._checked("noise", noise, POSITIVE)
        self.prior_sd = self._checked("prior_sd", prior_sd, POSITIVE)
        self.variances = np.zeros((self.n_games, n_arms)) + column(self.prior_sd) ** 2

    def _learn(self, arms: Any, rewards: Any) -> None:
        at = self._games, arms
        gain = self.variances[at] / (self.variances[at] + self.noise**2)
        self.values[at] += gain * (rewards - self.values[at])
        self.variances[at] *= 1 - gain
        q0, decay = column(self.q0), column(self.decay)
        self.values = q0 + decay * (self.values - q0)
        self.variances = decay**2 * self.variances + column(self.diffusion) ** 2
