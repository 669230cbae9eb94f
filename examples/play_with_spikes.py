"""
A game with spiking neurons
===========================

Ten games side by side in one Brian2 network of spiking neurons, against a bandit of three arms.
"""

import numpy as np

from nsa_brian import SpikingNSA, SpikingParameters

n_games = 10
n_rounds = 40
p = np.array([0.2, 0.4, 0.9])  # reward probability of each arm
rng = np.random.default_rng(1)

spiking = SpikingParameters(neurons=10, duration_input=250, duration_free=400)  # smaller and quicker than usual
network = SpikingNSA(len(p), n_games=n_games, seed=1, spiking=spiking)
pulled = []


def pull(arms):
    pulled.append(arms.copy())
    return rng.random(n_games) < p[arms]


network.play(pull, n_rounds)  # all rounds in one Network.run

print(f"{2 * len(network.network.U)} neurons, coupling {network.spiking.J_v:.2f} nA")
print(f"share of the best arm: {np.mean(np.array(pulled) == 2):.2f}; one in {len(p)} by chance")
print(f"expected reward: {p[np.array(pulled)].mean():.2f}; by chance {p.mean():.2f}")
