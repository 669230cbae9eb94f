"""
Neural Selection Agreement (Danieli and Lepperød 2026)
======================================================

Krubeal Danieli and Mikkel Elle Lepperød (2026). A bio-inspired minimal model for non-stationary K-armed bandits.
Biological Cybernetics. https://doi.org/10.1007/s00422-026-01037-5

Two populations have one rate neuron per option: U remembers options, V holds their values. An input makes all of U
fire; when it ends, activity lasts only where the plastic synapse from U to V is strong enough. If U and V then agree on
the best option it is taken, else a random one; the reward changes its weight. In the middle of the game the bandit
changes.

This script needs brian2, numpy and matplotlib alone. Equation numbers are the paper's, the parameters those of the
authors' public code. Writes ``Danieli_Lepperod_2026.png``.
"""

import matplotlib

matplotlib.use("agg")  # no window: the figure goes to a file
import matplotlib.pyplot as plt
import numpy as np
from brian2 import Network, NeuronGroup, StateMonitor, Synapses, defaultclock, ms, network_operation, prefs, second

prefs.codegen.target = "numpy"  # for so few neurons it takes longer to compile than to run
defaultclock.dt = 10 * ms
rng = np.random.default_rng(4)

K = 6  # options
n_rounds = 60
tau_u, tau_v = 179 * ms, 238 * ms  # time constants
gain_u, offset_u, threshold_u = 37.7, 0.5, -0.42  # response of U
gain_v, offset_v, threshold_v = 45.8, 0.2, 0.49  # response of V
beta_v, alpha_v, mu_v, sigma_v, r_v = 6.0, 3.1, -2.0, 1.91, 0.91  # option value function of the weight
beta_eta, alpha_eta, mu_eta, sigma_eta, r_eta = 4.3, -0.3, -1.1, 2.10, 0.1  # learning rate function of the weight
w_max = 4.5  # weight that a steady reward leads to
I_ext = 1.0  # input to U in phase 1
phase_1, phase_2 = 2890 * ms, 2690 * ms  # input on, input off
input_steps, round_steps = round(phase_1 / defaultclock.dt), round((phase_1 + phase_2) / defaultclock.dt)

# Eq. (2) and (4): leaky neurons, whose response is a sigmoid that is silent up to a threshold.
rate = """
d{x}/dt = (-{x} + I_{x} + I) / tau_{x} : 1
s_{x} = 1 / (1 + exp(-gain_{x} * ({x} - offset_{x}))) : 1
phi_{x} = s_{x} * int(s_{x} > threshold_{x}) : 1
I_{x} : 1  # from the other population
I : 1 (shared)  # from outside
"""
# Appendix: a sigmoid and a Gaussian of the weight, for the value of an option and for its learning rate.
function = """
Phi_{x} = r_{x} / (1 + exp(-beta_{x} * (w - alpha_{x}))) + (1 - r_{x}) * exp(-(w - mu_{x})**2 / (2 * sigma_{x}**2)) : 1
"""
U = NeuronGroup(K, rate.format(x="u"), method="euler")
V = NeuronGroup(K, rate.format(x="v"), method="euler")
VU = Synapses(V, U, "I_u_post = phi_v_pre : 1 (summed)")
plastic = "w : 1" + function.format(x="v") + function.format(x="eta") + "I_v_post = Phi_v * phi_u_pre : 1 (summed)"
UV = Synapses(U, V, plastic)
VU.connect(j="i")  # option by option
UV.connect(j="i")

p = np.empty((n_rounds, K))  # reward probabilities
p[: n_rounds // 2] = rng.normal(0.5, 0.2, K).clip(0, 1)
p[n_rounds // 2 :] = rng.normal(0.5, 0.2, K).clip(0, 1)
arms, agreements, weights = [], [], []


def favourite(activity):
    """Return the most active option; ties are broken at random."""
    return rng.choice(np.flatnonzero(activity >= activity.max() - 1e-6))


@network_operation(when="end")
def control(t):
    """Switch the input off after phase 1; at a round's end choose, learn by eq. (3), and return to rest."""
    step = round((t + defaultclock.dt) / defaultclock.dt) % round_steps
    if step == input_steps:
        U.I = 0
    elif step == 0:
        best_u, best_v = favourite(U.u[:]), favourite(V.v[:])
        arm = best_v if best_u == best_v else rng.integers(K)
        R = rng.random() < p[len(arms), arm]
        UV.w[arm] = UV.w[arm] + UV.Phi_eta[arm] * (R * w_max - UV.w[arm])
        arms.append(arm)
        agreements.append(best_u == best_v)
        weights.append(np.array(UV.w))
        U.u, V.v, U.I = 0, 0, I_ext


watch_u, watch_v = StateMonitor(U, "u", record=True), StateMonitor(V, "v", record=True)
network = Network(U, V, UV, VU, control, watch_u, watch_v)
U.I = I_ext
network.run(n_rounds * round_steps * defaultclock.dt)
print(f"best option: {np.mean(arms == p.argmax(axis=1)):.0%} of the rounds; agreed: {np.mean(agreements):.0%}")

colours = [f"C{k}" for k in range(K)]
fig, ax = plt.subplots(2, 2, figsize=(10, 6), layout="constrained")
shown = slice((n_rounds // 2 - 1) * round_steps, n_rounds // 2 * round_steps)  # the last round before the change
for axes, monitor, name in ((ax[0, 0], watch_u.u, "u"), (ax[1, 0], watch_v.v, "v")):
    for k in range(K):
        axes.plot(np.arange(round_steps) * defaultclock.dt / second, monitor[k, shown], colours[k], label=f"option {k}")
    axes.axvspan(0, phase_1 / second, color="0.93")
    axes.set(
        xlabel="time in the round (s)", ylabel=name, title=f"{name.upper()} in round {n_rounds // 2}; grey: input on"
    )
ax[0, 0].legend(fontsize="small", ncols=2)
ax[0, 1].step(range(n_rounds), p.argmax(axis=1), "0.7", where="mid", linewidth=6, label="best option")
for colour, name, these in (("C0", "agreed", np.array(agreements)), ("C3", "explored", ~np.array(agreements))):
    ax[0, 1].scatter(np.flatnonzero(these), np.array(arms)[these], c=colour, s=12, zorder=2, label=name)
ax[0, 1].set(xlabel="round", ylabel="option", title="choices")
ax[0, 1].legend(fontsize="small", loc="center right")
for k in range(K):
    ax[1, 1].plot(np.array(weights)[:, k], colours[k])
ax[1, 1].set(xlabel="round", ylabel="w", title="weights from U to V")
fig.savefig("Danieli_Lepperod_2026.png")
