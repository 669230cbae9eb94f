"""
A bandit of your own
====================

One arm is good, and the next arm takes over at random times. Once the bandit is in the registry, every agent can play
it, with the functions behind ``nsa play``.
"""

import numpy as np

import envs
from experiments.play import report, run
from experiments.settings import PlaySettings


class Wanderer(envs.Bandit):
    """One arm pays with probability ``high``, all others with ``low``; the good arm moves at random times.

    Parameters
    ----------
    rate : float
        Probability of a move in a round.
    """

    def __init__(self, n_arms, *, low=0.2, high=0.8, rate=0.005, **settings):
        self.low, self.high, self.rate = low, high, rate
        super().__init__(n_arms, **settings)

    def _begin(self):
        probabilities = np.full((self.n_games, self.n_arms), self.low)
        probabilities[:, 0] = self.high
        return probabilities

    def _next(self):
        moves = self._rng.random(self.n_games) < self.rate
        moved = np.roll(self.probabilities, 1, axis=1)
        return np.where(moves[:, None], moved, self.probabilities)


envs.BANDITS["wanderer"] = Wanderer

outcome = report(run(PlaySettings(env="wanderer", env_options={"rate": 0.002}, arms=8, rounds=500, repetitions=4)))
for agent, found in outcome["agents"].items():
    print(f"{agent:<15} regret {found['regret']['mean']:.3f}")
