"""
A decision in spikes
====================

The Brian2 network of spiking neurons with weights from weak to strong. The input makes all options fire in U. After it,
firing persists only where the coupling between U and V is strong enough, and the strongest option is chosen. A
StateMonitor records the potential of two neurons. Writes ``watch_spikes.png``.
"""

import matplotlib

matplotlib.use("agg")  # no window: the figure goes to a file
import matplotlib.pyplot as plt
import numpy as np
from brian2 import StateMonitor, mV, prefs, second

from nsa_brian import SpikingNSA, load, load_model, prepare

n_arms = 5  # options
prepare(load_model("spiking"), load().parameters, n_arms)  # calibrate the coupling with compiled rounds
prefs.codegen.target = "numpy"  # for one decision, faster than compiling the network
network = SpikingNSA(n_arms, seed=1)
n = len(network.U) // n_arms  # neurons per option, in U and in V
network.set_weights(np.linspace(0.2, 0.9, n_arms) * network.parameters[0].w_max)
potential = StateMonitor(network.V, "vm", record=[0, len(network.V) - 1])  # of the weakest and the strongest option
network.network.add(potential)
decision = network.decide()
print(f"weights {network.w[0].round(2)}, rates left in V {decision.v.round()} Hz, then arm {decision.arm}")

fig, axes = plt.subplots(3, 1, figsize=(8, 7), sharex=True, layout="constrained")
for ax, name, t, i in ((axes[0], "U", decision.t_u, decision.i_u), (axes[1], "V", decision.t_v, decision.i_v)):
    ax.scatter(t, i, s=1.5, c=i // n, cmap="viridis", vmin=0, vmax=n_arms)
    ax.set(ylabel=f"neurons of {name}", ylim=(0, n_arms * n))
    ax.set_yticks((np.arange(n_arms) + 0.5) * n, [f"arm {k}\nw {network.w[0, k]:.1f}" for k in range(n_arms)])
for vm, label in zip(potential.vm, ("weakest", "strongest"), strict=True):
    axes[2].plot(potential.t / second, vm / mV, linewidth=0.6, label=f"a neuron of V of the {label} option")
for ax in axes:
    ax.axvspan(0, network.timing.input_steps * network.timing.dt, color="0.93", zorder=0)
axes[2].set(xlabel="time (s); shaded: input on", ylabel="potential (mV)")
axes[2].legend(fontsize=8)
fig.savefig("watch_spikes.png")
