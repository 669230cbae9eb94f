"""
Learning by spikes
==================

No rule in Python: every synapse from U to V is weak or strong, and one whose two neurons have both fired of late takes
over the outcome with some probability. While the outcome is awaited, the choice drives the neurons of the chosen
option and holds the others down, so that the reward, which all synapses hear of, reaches the right ones.
"""

import numpy as np

from nsa_brian import NSA, load, load_model

n_games = 10
n_rounds = 100
p = np.array([0.2, 0.4, 0.9])  # reward probability of each arm
rng = np.random.default_rng(1)

model = load_model("spiking-learning")
print(model.flips)  # for each synapse, when the outcome is known
parameters = model.complete(load().parameters).replace(neurons=10)  # 100 synapses an option
agent = NSA(len(p), parameters, model=model, n_games=n_games, seed=1)
pulled = []


def pull(arms):
    pulled.append(arms.copy())
    return rng.random(n_games) < p[arms]


agent.play(pull, n_rounds)
strong = agent.engine.games.b.mean(axis=(0, 2, 3))  # share of strong synapses of each option
print(f"strong synapses: {', '.join(f'{share:.0%} of arm {k}' for k, share in enumerate(strong))}")
print(f"share of the best arm: {np.mean(np.array(pulled) == 2):.2f}; one in {len(p)} by chance")
