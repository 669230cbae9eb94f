"""
A decision, watched with monitors
=================================

The Brian2 network learns a bandit in which arm 2 pays most, with StateMonitors on activities and weights. Then one
decision is recorded from rest to the choice. Writes ``watch_a_decision.png``.
"""

import matplotlib

matplotlib.use("agg")  # no window: the figure goes to a file
import matplotlib.pyplot as plt
import numpy as np
from brian2 import ms

from nsa_brian import NSANetwork

rng = np.random.default_rng(3)
p = np.array([0.2, 0.4, 0.9, 0.3])  # reward probability of each arm

network = NSANetwork(n_arms=4, seed=3, record=["u", "v", "w"], record_dt=10 * ms)
network.play(lambda arms: rng.random(1) < p[arms], n_rounds=12)  # 12 rounds in one Network.run
decision = network.decide()
print(f"weights {network.UV.w[:].round(2)}, then arm {decision.arm}, {'agreed' if decision.agreed else 'explored'}")

fig, (learning, deciding) = plt.subplots(2, 1, figsize=(8, 5), layout="constrained")
monitor = network.monitors["w"]
learning.plot(monitor.t / ms / 1000, monitor.w.T, drawstyle="steps-post")
learning.set(xlabel="time (s)", ylabel="weight", title="12 rounds of learning")
learning.legend([f"arm {k}" for k in range(4)])
deciding.plot(decision.t, decision.u)
deciding.axvline(network.input_steps / 1000, color="grey", linestyle="--")
deciding.set(xlabel="time (s)", ylabel="u", title="one decision; dashed: the input ends")
fig.savefig("watch_a_decision.png")
