"""
Options that inhibit each other
===============================

Each neuron of U inhibits all others of U, by synapses between options that the paper's model does not have. One string
declares what they add, and the rate equation where. The network shows a decision; the compiled engine makes the same
choices, some hundred times faster.
"""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from nsa_brian import Lateral, Model, NSANetwork, check, load

model = Model(
    name="lateral",
    rate_u="du/dt = (-u + I_u + I_lateral + I{noise}) / tau_u : 1",
    lateral=(Lateral("u", "I_lateral", "-inhibition * phi_u_pre"),),
    constants={"inhibition": 0.4},
)
parameters = load("minbandit-38").parameters
weights = np.array([3.0, 3.4, 3.8, 4.2])

figure, axes = plt.subplots(1, 2, figsize=(8, 3), sharey=True, layout="constrained")
for ax, title, given in ((axes[0], "paper", {}), (axes[1], "with inhibition", {"model": model})):
    network = NSANetwork(4, parameters, seed=1, **given)
    network.set_weights(weights)
    decision = network.decide()
    for k in range(4):
        ax.plot(decision.t, decision.u[:, k], label=f"w = {weights[k]}")
    ax.set_title(f"{title}: arm {decision.arm}", loc="left")
    ax.set_xlabel("time (s)")
    print(f"{title}: u at the end {decision.u[-1].round(2)}, arm {decision.arm}, agreed: {decision.agreed}")
axes[0].set_ylabel("u")
axes[1].legend()
figure.savefig("inhibit_between_options.png", dpi=120)

print(check(model, parameters, n_rounds=5))
