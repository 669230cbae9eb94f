"""The spiking model, as Brian2 equation strings: the rate model's populations made of integrate-and-fire neurons.

The value function of the weight, the learning rule and the agreement rule are those of the rate model and are not
repeated here: see :mod:`nsa_brian.model.equations` and :mod:`nsa_brian.model.agreement`. Constants appear under the
names of :class:`nsa_brian.spiking.parameters.SpikingParameters`, which tells their values and sources.
"""

from brian2 import Equations

# A leaky integrate-and-fire neuron. What the rest of the brain sends it is white noise, which makes the potential of
# a neuron left alone an Ornstein-Uhlenbeck process with standard deviation sigma. `noise` is a normal number the
# engine draws for each neuron and time step, game by game, so that a game does not depend on those beside it.
MEMBRANE = """
dvm/dt = (g_L * (E_L - vm) + I_syn + I_noise) / C_m : volt (unless refractory)
I_noise = sigma * sqrt(2 * g_L * C_m / dt) * noise : amp
noise : 1
"""

# The share of open channels at the synapses a neuron makes on others: a spike opens a part of those that are closed.
SYNAPSE = "ds/dt = -s / tau_s : 1"

THRESHOLD = "vm > V_th"
RESET = """
vm = V_reset
s += opening * (1 - s)
count += 1
"""

# Eq. (2) in currents. Each neuron of an option receives from all neurons of the option's other population: `s_u` and
# `s_v` are the means of s over them. W^VU is the identity; W^UV acts through the value function, as in the rates.
CURRENT_U = "I_syn = J_u * s_v + I : amp"
CURRENT_V = "I_syn = J_v * Phi_v * s_u : amp"

# An option: its weight, the weight's value (it does not change within a round), the means of s over its neurons.
OPTION = """
w : 1
Phi_v : 1
s_u : 1
s_v : 1
"""


def neurons_u() -> Equations:
    """The neurons of U as a NeuronGroup's model; ``s_v`` is linked to their option, ``I`` is on in phase 1."""
    return Equations(MEMBRANE + SYNAPSE + "\ncount : 1\n" + CURRENT_U + "\ns_v : 1 (linked)\nI : amp (shared)")


def neurons_v() -> Equations:
    """The neurons of V as a NeuronGroup's model; ``s_u`` and ``Phi_v`` are linked to their option."""
    return Equations(MEMBRANE + SYNAPSE + "\ncount : 1\n" + CURRENT_V + "\ns_u : 1 (linked)\nPhi_v : 1 (linked)")


def mean_opening(population: str) -> Equations:
    """Synapses from all neurons of population ``"u"`` or ``"v"`` to their option: the mean of s."""
    return Equations(f"s_{population}_post = s_pre / neurons : 1 (summed)")
