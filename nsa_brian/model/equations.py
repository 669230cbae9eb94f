"""The model's equations as Brian2 strings. Every engine is built from these strings and from nothing else.

Equation numbers are those of Danieli and Lepperød, "A Bio-Inspired Minimal Model for Non-Stationary K-Armed
Bandits". The activities u, v and the weight w have no unit; times have Brian2's. Parameters appear under the
names of :class:`nsa_brian.parameters.NSAParameters`.

A string that is changed here changes in every engine. A :class:`nsa_brian.model.model.Model` replaces strings without
changing this file.
"""

# Eq. (2), first line: the memory of the options. `I` is I_ext in phase 1 and 0 in phase 2; {noise} is empty by default.
RATE_U = "du/dt = (-u + I_u + I{noise}) / tau_u : 1"

# Eq. (2), second line: the value of the options.
RATE_V = "dv/dt = (-v + I_v{noise}) / tau_v : 1"

# Not in the paper. White noise, with which the activity of an isolated neuron is an Ornstein-Uhlenbeck process with
# standard deviation `noise`: the integral of xi over a time step is sqrt(dt) n. Engines draw n, with mean 0 and
# variance 1, for each neuron and time step, game by game, so that games do not depend on each other.
NOISE_U = " + noise * sqrt(2 * tau_u / dt) * n_u"
NOISE_V = " + noise * sqrt(2 * tau_v / dt) * n_v"

# Input from a neuron's partner (the coupling is diagonal): W^VU is the identity, and W^UV reaches V through
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
