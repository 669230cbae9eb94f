"""
A baseline of your own
======================

Epsilon-greedy that forgets: the values follow the rewards by a constant step. Entered into the registry, it plays
against the others.
"""

import numpy as np

import baselines
from experiments.play import report, run
from experiments.settings import PlaySettings


class Forgetful(baselines.Policy):
    """Value Q += step (R - Q) of the pulled arm; the highest Q, or a random arm with probability epsilon."""

    def __init__(self, n_arms, *, step=0.1, epsilon=0.05, **settings):
        super().__init__(n_arms, **settings)
        self.step, self.epsilon = step, epsilon
        self.values = np.zeros((self.n_games, n_arms))

    def _select(self):
        luck = self.rng.random((self.n_games, 2))
        explored = (luck[:, 0] * self.n_arms).astype(int)
        return np.where(luck[:, 1] < self.epsilon, explored, self.values.argmax(axis=1))

    def _learn(self, arms, rewards):
        games = np.arange(self.n_games)
        self.values[games, arms] += self.step * (rewards - self.values[games, arms])


baselines.POLICIES["forgetful"] = Forgetful

agents = ("nsa", "forgetful", "epsilon-greedy", "random")
outcome = report(run(PlaySettings(env="MAB-sin", arms=10, rounds=500, repetitions=4, agents=agents)))
for agent, found in outcome["agents"].items():
    print(f"{agent:<15} regret {found['regret']['mean']:.3f}")
