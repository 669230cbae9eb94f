"""
A decision in spikes
====================

The spiking model with weights from weak to strong: the input makes all options fire in U; once it is gone, firing
lasts only where the coupling between U and V is strong enough to carry it, and the strongest option is chosen.
Writes ``watch_spikes.png``.
"""

import matplotlib

matplotlib.use("agg")  # no window: the figure goes to a file
import matplotlib.pyplot as plt
import numpy as np

from nsa_brian import SpikingNSA

n_arms = 5  # options
network = SpikingNSA(n_arms, seed=1)
network.set_weights(np.linspace(2, 4, n_arms))
decision = network.decide()
print(f"weights {network.w[0]}, rates left in V {decision.v.round()} Hz, then arm {decision.arm}")

n = network.spiking.neurons  # of an option, in U and in V
fig, axes = plt.subplots(2, 1, figsize=(8, 5), sharex=True, layout="constrained")
for ax, name, t, i in ((axes[0], "U", decision.t_u, decision.i_u), (axes[1], "V", decision.t_v, decision.i_v)):
    ax.scatter(t, i, s=1.5, c=i // n, cmap="viridis", vmin=0, vmax=n_arms)
    ax.axvspan(0, network.spiking.duration_input / 1000, color="0.93", zorder=0)
    ax.set(ylabel=f"neurons of {name}", ylim=(0, n_arms * n), xlim=(0, 1.2))
    ax.set_yticks((np.arange(n_arms) + 0.5) * n, [f"arm {k}\nw {network.w[0, k]:.1f}" for k in range(n_arms)])
axes[1].set(xlabel="time (s); shaded: input on")
fig.savefig("watch_spikes.png")
