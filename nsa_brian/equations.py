"""The model, as Brian2 equation strings. Every engine is built from these strings and from nothing else.

Equation numbers are those of Danieli and Lepperød, "A Bio-Inspired Minimal Model for Non-Stationary K-Armed
Bandits". The activities u, v and the weight w have no unit; times have Brian2's. Parameters appear under the
names of :class:`nsa_brian.parameters.NSAParameters`.

Change a string here and every engine follows.
"""

from brian2 import Equations

# Eq. (2), first line: the memory of the options. `I` is I_ext in phase 1 of a round and 0 in phase 2.
RATE_U = "du/dt = (-u + I_u + I) / tau_u : 1"

# Eq. (2), second line: the value of the options.
RATE_V = "dv/dt = (-v + I_v) / tau_v : 1"

# What one neuron's partner sends it (the coupling is diagonal): W^VU is the identity, and W^UV reaches V through
# the option value function of the weight. {pre} is "_pre" inside a synapse and empty where a pair is one unit.
DRIVE_U = "phi_v{pre}"
DRIVE_V = "Phi_v * phi_u{pre}"

# Eq. (4): a generalised sigmoid that is silent up to its threshold.
RESPONSE = """
s = 1 / (1 + exp(-gain * (x - offset))) : 1
phi = s * int(s > threshold) : 1
"""

# Appendix: a sigmoid and a Gaussian, weighted r and 1 - r. sigma is a standard deviation.
GAUSSIAN_SIGMOID = """
Phi = r / (1 + exp(-beta * (w - alpha))) + (1 - r) * exp(-(w - mu)**2 / (2 * sigma**2)) : 1
"""

# Eq. (3): the pulled arm's weight after reward R. Nothing else learns.
PLASTICITY = "w + Phi_eta * (R * w_max - w)"


def response(population: str) -> Equations:
    """The threshold-sigmoid response phi of population ``"u"`` or ``"v"`` to its own activity."""
    names = {name: f"{name}_{population}" for name in ("s", "phi", "gain", "offset", "threshold")}
    return Equations(RESPONSE, x=population, **names)


def gaussian_sigmoid(suffix: str) -> Equations:
    """The function Phi of the weight: ``"v"`` for the option value, ``"eta"`` for the learning rate."""
    names = {name: f"{name}_{suffix}" for name in ("Phi", "r", "beta", "alpha", "mu", "sigma")}
    return Equations(GAUSSIAN_SIGMOID, **names)


def population_u() -> Equations:
    """Population U as a NeuronGroup's model; ``I_u`` is summed from V."""
    return Equations(RATE_U + "\nI_u : 1\nI : 1 (shared)") + response("u")


def population_v() -> Equations:
    """Population V as a NeuronGroup's model; ``I_v`` is summed from U."""
    return Equations(RATE_V + "\nI_v : 1") + response("v")


def pair() -> Equations:
    """A neuron of U and its partner in V as one unit, the coupling substituted in.

    The option value ``Phi_v`` stands as a number: the weight does not change within a round.
    """
    drives = f"I_u = {DRIVE_U.format(pre='')} : 1\nI_v = {DRIVE_V.format(pre='')} : 1"
    given = "I : 1\nPhi_v : 1 (constant)"
    return Equations("\n".join([RATE_U, RATE_V, drives, given])) + response("u") + response("v")


def synapse_uv() -> Equations:
    """The plastic synapse from U to V: its weight and the two functions of it."""
    drive = f"I_v_post = {DRIVE_V.format(pre='_pre')} : 1 (summed)"
    return Equations("w : 1\n" + drive) + gaussian_sigmoid("v") + gaussian_sigmoid("eta")


def synapse_vu() -> Equations:
    """The fixed synapse from V to U."""
    return Equations(f"I_u_post = {DRIVE_U.format(pre='_pre')} : 1 (summed)")
