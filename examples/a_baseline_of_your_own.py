"""
A baseline of your own
======================

Epsilon-greedy with a constant step size. Once the policy is in the registry, it plays against the others.
"""

import numpy as np

import baselines
from experiments.play import report, run
from experiments.settings import PlaySettings


class Forgetful(baselines.Policy):
    """Pull the arm with the highest Q, or with probability epsilon a random one; Q += step (R - Q) after a pull."""

    def __init__(self, n_arms, *, step=0.1, epsilon=0.05, **settings):
        super().__init__(n_arms, **settings)
        self.step, self.epsilon = step, epsilon
        self.values = np.zeros((self.n_games, n_arms))

    def _select(self):
        uniform = self.rng.random((self.n_games, 2))
        explored = (uniform[:, 0] * self.n_arms).astype(int)
        return np.where(uniform[:, 1] < self.epsilon, explored, self.values.argmax(axis=1))

    def _learn(self, arms, rewards):
        games = np.arange(self.n_games)
        self.values[games, arms] += self.step * (rewards - self.values[games, arms])


baselines.POLICIES["forgetful"] = Forgetful

agents = ("nsa", "forgetful", "epsilon-greedy", "random")
outcome = report(run(PlaySettings(env="MAB-sin", arms=10, rounds=500, repetitions=4, agents=agents)))
for agent, found in outcome["agents"].items():
    print(f"{agent:<15} regret {found['regret']['mean']:.3f}")
