"""
A game with spiking neurons
===========================

Ten compiled games at once of a spiking model on a bandit with three arms; half of them have more noise. Every parameter
but the number of neurons may differ between games.
"""

import numpy as np

from nsa_brian import NSA, load, load_model

n_games = 10
n_rounds = 100
p = np.array([0.2, 0.4, 0.9])  # reward probability of each arm
rng = np.random.default_rng(1)

model = load_model("spiking")  # or spiking-ei, spiking-adex
usual = model.complete(load().parameters).replace(neurons=10)
noisy = usual.replace(sigma=6.5)  # noise of the potential in mV, instead of 5
agent = NSA(len(p), [usual] * 5 + [noisy] * 5, model=model, n_games=n_games, seed=1)
pulled = []


def pull(arms):
    pulled.append(arms.copy())
    return rng.random(n_games) < p[arms]


agent.play(pull, n_rounds)
best = np.mean(np.array(pulled) == 2, axis=0)
for name, games in (("usual", slice(5)), ("noisy", slice(5, None))):
    found = agent.engine.values[games][0]
    print(f"{name}: current at the critical weight {1e9 * found['J_v']:.2f} nA, best arm {best[games].mean():.2f}")
print(f"one in {len(p)} by chance")
