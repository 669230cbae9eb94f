"""The equations of the spiking models as Brian2 strings.

The value function of the weight, the learning rule and the agreement rule are those of the rate model and are not
repeated here: see :mod:`nsa_brian.model.equations` and :mod:`nsa_brian.model.agreement`. Constants are parameters of
:mod:`nsa_brian.model.shipped`, which gives their values and sources.
"""

# A leaky integrate-and-fire neuron. Background input is a steady current and white noise, with which the potential of
# an isolated neuron is an Ornstein-Uhlenbeck process with standard deviation sigma. s is the fraction of open channels
# at its outgoing synapses.
NEURON = """
dvm/dt = (g_L * (E_L - vm) + I_syn + I_0 + I_noise) / C_m : volt (unless refractory)
I_noise = sigma * sqrt(2 * g_L * C_m / dt) * noise : amp
ds/dt = -s / tau_s : 1
"""

THRESHOLD = "vm > V_th"

# A spike opens a fraction of the closed channels.
RESET = """
vm = V_reset
s += opening * (1 - s)
"""

# Eq. (2) in currents. Each neuron of an option receives from all neurons of the option's other population.
ARRIVES_U = "I_syn = J_u * s_v + I_in * I : amp"
ARRIVES_V = "I_syn = J_v * gain * s_u : amp"

# The same for learning by spikes: in the phase after the choice, the choice excites the neurons of the chosen option
# and inhibits all others, so that only the neurons of the chosen option fire.
AWAITS_U = "I_syn = J_u * s_v + I_in * I + I_choice * choice : amp"
AWAITS_V = "I_syn = J_v * gain * s_u + I_choice * choice : amp"

# Strength of a synapse as a monotone function of its value: 0 at 0, 1 at the critical value, `top` at the highest one.
GAIN = """
highest = Phi_top / Phi_star : 1
kappa = (highest - top) / (highest * (top - 1)) : 1
(1 + kappa) * Phi_v / (Phi_star + kappa * Phi_v)
"""

# Eq. (3) for a synapse that is strong (b = 1) or weak (0): if both of its neurons fired recently, b becomes the outcome
# with probability Phi_eta. So the mean of b changes by Phi_eta (R - b): Soltani and Wang (2006).
FLIPS = "b += int(chance < Phi_eta) * int(since_pre < tau_e) * int(since_post < tau_e) * (R - b)"
WEIGHT = "w_max * b"

# The adaptive exponential neuron of Brette and Gerstner (2005).
ADEX = """
dvm/dt = (g_L * (E_L - vm) + spike + I_syn + I_0 + I_noise - adaptation) / C_m : volt (unless refractory)
spike = g_L * Delta_T * exp((vm - V_T) / Delta_T) : amp
dadaptation/dt = (a * (vm - E_L) - adaptation) / tau_w : amp
I_noise = sigma * sqrt(2 * g_L * C_m / dt) * noise : amp
ds/dt = -s / tau_s : 1
"""
ADEX_THRESHOLD = "vm > V_T + 5 * Delta_T"
ADEX_RESET = """
vm = V_reset
adaptation += jump
s += opening * (1 - s)
"""

# An excitatory neuron with conductances, as in Wang (2002): AMPA (z), NMDA (s) with the block by magnesium of Jahr and
# Stevens (1990), GABA (y, of the pool), and background input from Poisson trains, x_e and x_i. A spike opens a fraction
# of the closed NMDA channels: the limit of Wang's second equation for a fast rise.
EXCITATORY = """
dvm/dt = (g_L * (E_L - vm) + I_syn) / C_m : volt (unless refractory)
I_syn = (x_e + g_A + g_N * block) * (E_E - vm) + (x_i + g_G) * (E_I - vm) : amp
block = 1 / (1 + Mg * exp(-0.062 * vm / mV) / 3.57) : 1
dx_e/dt = -x_e / tau_A + g_x * n_x / dt : siemens
dx_i/dt = -x_i / tau_G + g_xi * n_xi / dt : siemens
ds/dt = -s / tau_N : 1
dz/dt = -z / tau_A : 1
"""
EXCITATORY_RESET = """
vm = V_reset
s += opening * (1 - s)
z += 1
"""
CONDUCTANCES_U = """
g_N = g_u * s_v : siemens
g_A = ampa * g_u * z_v : siemens
g_G = g_GE * y_iu : siemens
arriving = rate_x + rate_in * I : Hz
"""
CONDUCTANCES_V = """
g_N = g_v * gain * s_u : siemens
g_A = ampa * g_v * gain * z_u : siemens
g_G = g_GE * y_iv : siemens
arriving = rate_x : Hz
"""

# Inhibitory neurons of a pool. All excitatory neurons of a population drive them; they inhibit those and each other.
# {pool} and {of} are the names of the pool and of the population.
INHIBITORY = """
dvm/dt = (g_L_I * (E_L - vm) + I_syn) / C_m_I : volt (unless refractory)
I_syn = (x_e + g_A + g_N * block) * (E_E - vm) + g_G * (E_I - vm) : amp
block = 1 / (1 + Mg * exp(-0.062 * vm / mV) / 3.57) : 1
dx_e/dt = -x_e / tau_A + g_xI * n_x / dt : siemens
g_N = g_NI * s_{of} : siemens
g_A = g_AI * z_{of} : siemens
g_G = g_GI * y_{pool} : siemens
dy/dt = -y / tau_G : 1
"""
INHIBITORY_RESET = """
vm = V_reset
y += 1
"""

# The choice as conductances: towards E_E for the chosen option, towards E_I for the others.
CHOICE = "g_choice * int(choice > 0) * (E_E - vm) + g_hush * int(choice < 0) * (E_I - vm)"
AWAITING = EXCITATORY.replace("(E_I - vm) : amp", f"(E_I - vm) + {CHOICE} : amp")
