"""
A game with the agent
=====================

NSA and Thompson sampling play the same drifting bandit in a simple loop.
"""

import numpy as np

import baselines
import envs
from nsa_brian import NSA

n_arms = 20  # options
n_rounds = 2000  # length of the game

agents = {"nsa": NSA(n_arms, seed=1), "thompson": baselines.make("thompson", n_arms, seed=1)}

for name, agent in agents.items():
    bandit = envs.make("MAB-D", n_arms)
    bandit.reset(np.random.default_rng(7))  # the same probabilities and random numbers for both
    regret = 0.0
    for _ in range(n_rounds):
        arm = agent.select_arm()
        agent.update(arm, bandit.pull(arm))
        p = bandit.probabilities[0]
        regret += p.max() - p[arm]
        bandit.step()
    print(f"{name}: mean regret {regret / n_rounds:.3f}")
