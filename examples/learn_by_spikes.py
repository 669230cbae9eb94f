"""
Learning by spikes
==================

Every synapse from U to V is weak or strong. If both its neurons fired recently, it takes over the outcome with some
probability. After the choice, the neurons of the chosen option are driven and the others suppressed, so that the
reward, a signal to all synapses, changes the right ones.
"""

import numpy as np

from nsa_brian import NSA, load, load_model

n_games = 10
n_rounds = 100
p = np.array([0.2, 0.4, 0.9])  # reward probability of each arm
rng = np.random.default_rng(1)

model = load_model("spiking-learning")
print(model.flips)  # statements for each synapse, run when the outcome is known
parameters = model.complete(load().parameters).replace(neurons=10)  # 100 synapses per option
agent = NSA(len(p), parameters, model=model, n_games=n_games, seed=1)
pulled = []


def pull(arms):
    pulled.append(arms.copy())
    return rng.random(n_games) < p[arms]


agent.play(pull, n_rounds)
strong = agent.engine.games.b.mean(axis=(0, 2, 3))  # share of strong synapses of each option
print(f"strong synapses: {', '.join(f'{share:.0%} of arm {k}' for k, share in enumerate(strong))}")
print(f"share of the best arm: {np.mean(np.array(pulled) == 2):.2f}; one in {len(p)} by chance")
