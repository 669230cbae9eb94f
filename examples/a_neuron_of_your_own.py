"""
A neuron of your own
====================

Izhikevich's neuron (2007, *Dynamical Systems in Neuroscience*, section 8.2.1, regular spiking) in place of the leaky
integrator. Everything else is as in the model ``spiking``. The coupling from U to V is calibrated by simulation, so
that the critical weight is that of the rate model.
"""

import numpy as np

from nsa_brian import NSA, Parameter, load_model

IZHIKEVICH = load_model("spiking").change(
    name="izhikevich",
    neuron="""
        dvm/dt = (k * (vm - E_L) * (vm - V_T) - r + I_syn + I_0 + I_noise) / C_m : volt
        dr/dt = a * (b_r * (vm - E_L) - r) : amp
        I_noise = sigma_I * sqrt(ms / dt) * noise : amp
        ds/dt = -s / tau_s : 1""",
    threshold="vm > 35 * mV",
    reset="vm = V_reset; r += jump; s += opening * (1 - s)",
    refractory="",
    parameters=[Parameter(*each) for each in (
        ("C_m", 100, "pF"), ("k", 0.7, "nS/mV"), ("E_L", -60, "mV"), ("V_T", -40, "mV"), ("V_reset", -50, "mV"),
        ("a", 0.03, "1/ms"), ("b_r", -2, "nS"), ("jump", 100, "pA"), ("sigma_I", 0.1, "nA"), ("I_0", 0.02, "nA"),
        ("I_in", 0.3, "nA"), ("J_u", 0.5, "nA"), ("J_v", 0.1, "nA"), ("neurons", 10))],
)  # fmt: skip

n_games, n_rounds = 10, 100
p = np.array([0.2, 0.4, 0.9])  # reward probability of each arm
rng, pulled = np.random.default_rng(1), []


def pull(arms):
    pulled.append(arms.copy())
    return rng.random(n_games) < p[arms]


agent = NSA(len(p), model=IZHIKEVICH, n_games=n_games, seed=1)
agent.play(pull, n_rounds)
print(f"current from U to V at the critical weight: {1e9 * agent.engine.values[0]['J_v']:.2f} nA")
print(f"share of the best arm: {np.mean(np.array(pulled) == 2):.2f}; one in {len(p)} by chance")
