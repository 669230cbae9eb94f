"""The shipped spiking models, with parameter values, ranges and sources.

Sources: W is Wang (2002), "Probabilistic decision making by slow reverberation in cortical circuits", Neuron
36:955-968. BW is Brunel and Wang (2001), "Effects of neuromodulation in a cortical network model of object working
memory", J Comput Neurosci 11:63-85. Both as Brian2's own examples have them. BG is Brette and Gerstner (2005),
"Adaptive exponential integrate-and-fire model", J Neurophysiol 94:3637-3642, as Brian2's example has it. Values without
a source are ours, chosen for plausible firing rates and variability of intervals, and for the right critical weight;
the guide says which value affects what.
"""

from nsa_brian.model import neurons as strings
from nsa_brian.model.parts import Population
from nsa_brian.model.spiking import Pool, SpikingModel
from nsa_brian.parameters import POSITIVE, Parameter

_PART = (0.0, 1.0)


def _top(value: float) -> Parameter:
    return Parameter(
        "top", value, legal=(1.0001, 100), search=(1.1, 2), meaning="how far above critical the highest value is"
    )


_OPENING = Parameter(
    "opening", 0.63, legal=_PART, search=(0.2, 0.8),
    meaning="part of the closed channels that a spike opens (W, BW: 1 - exp(-0.5/ms * 2 ms))",
)  # fmt: skip
_REFRACTORY = Parameter("tau_ref", 2, "ms", search=(1, 5), scale="log", meaning="refractory time (W, BW)")
_SYNAPSE = (
    Parameter("tau_s", 100, "ms", search=(50, 200), scale="log", meaning="time constant of the synapses (W: NMDA)"),
    _OPENING,
)

SPIKING = SpikingModel(
    name="spiking",
    parameters=(
        Parameter("C_m", 0.5, "nF", POSITIVE, (0.25, 1), "log", meaning="capacity of the membrane (W, BW)"),
        Parameter("g_L", 25, "nS", POSITIVE, (12, 50), "log", meaning="leak conductance (W, BW)"),
        Parameter("E_L", -70, "mV", meaning="resting potential (W, BW)"),
        Parameter("V_th", -50, "mV", search=(-54, -46), meaning="potential at which a neuron fires (W, BW)"),
        Parameter("V_reset", -55, "mV", search=(-65, -52), meaning="potential after a spike (W, BW)"),
        _REFRACTORY,
        *_SYNAPSE,
        # In vivo the potential fluctuates by some mV: Pare et al. (1998), J Neurophysiol 79:1450.
        Parameter("sigma", 5, "mV", (0, 100), (2, 8), meaning="sd of the potential of a neuron left alone"),
        # The rheobase is g_L (V_th - E_L) = 0.5 nA.
        Parameter("I_0", 0.15, "nA", search=(0, 0.3), meaning="steady input"),
        Parameter("I_in", 0.3, "nA", POSITIVE, (0.1, 1), "log", meaning="input to U in phase 1"),
        Parameter("J_u", 0.45, "nA", POSITIVE, (0.2, 2), "log", meaning="current from V to U, all channels open"),
        Parameter("J_v", 0.35, "nA", POSITIVE, meaning="current from U to V, all open, at the critical weight; found"),
        _top(1.3),
    ),
)

#: Parameters of the neurons of ``spiking`` and of their synapses, and the number of neurons.
LIF = tuple(
    SPIKING.declared[name]
    for name in (
        *("neurons", "C_m", "g_L", "E_L", "V_th", "V_reset", "tau_ref"),
        *("tau_s", "opening", "sigma", "I_0"),
    )
)


def lif(name: str, arrives: str, per: str = "option", neurons: int | str = "neurons") -> Population:
    """Return a population of neurons of the model ``spiking``, whose parameters are :data:`LIF`.

    Parameters
    ----------
    name, per, neurons
        See :class:`nsa_brian.Population`.
    arrives : str
        Their input, a line that defines ``I_syn``: ``"I_syn = J_v * I_v : amp"``.
    """
    equations, start = f"{strings.NEURON}\n{arrives}", {"vm": "E_L"}
    fires = (strings.THRESHOLD, strings.RESET, "tau_ref")
    return Population(name, equations, per, neurons, *fires, initial=start, normal=("noise",))


ADEX = SpikingModel(
    name="spiking-adex",
    neuron=strings.ADEX,
    threshold=strings.ADEX_THRESHOLD,
    reset=strings.ADEX_RESET,
    parameters=(
        Parameter("C_m", 281, "pF", POSITIVE, (140, 560), "log", meaning="capacity of the membrane (BG)"),
        Parameter("g_L", 30, "nS", POSITIVE, (15, 60), "log", meaning="leak conductance (BG)"),
        Parameter("E_L", -70.6, "mV", meaning="resting potential (BG)"),
        Parameter("V_T", -50.4, "mV", search=(-54, -46), meaning="potential at which a spike begins (BG)"),
        Parameter("Delta_T", 2, "mV", POSITIVE, (0.5, 4), "log", meaning="sharpness of a spike's beginning (BG)"),
        Parameter("V_reset", -70.6, "mV", search=(-72, -55), meaning="potential after a spike (BG)"),
        Parameter("tau_w", 144, "ms", search=(30, 300), scale="log", meaning="time constant of adaptation (BG)"),
        Parameter("a", 4, "nS", search=(0, 10), meaning="adaptation to the potential (BG)"),
        Parameter("jump", 0.0805, "nA", (0, 10), (0, 0.2), meaning="adaptation by a spike (BG)"),
        _REFRACTORY,
        *_SYNAPSE,
        Parameter("sigma", 6, "mV", (0, 100), (2, 8), meaning="sd of the potential of a passive neuron left alone"),
        Parameter("I_0", 0.25, "nA", search=(0, 0.4), meaning="steady input"),
        Parameter("I_in", 0.8, "nA", POSITIVE, (0.3, 2), "log", meaning="input to U in phase 1"),
        Parameter("J_u", 1.2, "nA", POSITIVE, (0.4, 3), "log", meaning="current from V to U, all channels open"),
        Parameter("J_v", 0.4, "nA", POSITIVE, meaning="current from U to V, all open, at the critical weight; found"),
        _top(1.5),
    ),
)


def _pool(name: str, of: str) -> Pool:
    """Return the inhibitory neurons that all options of a population share."""
    return Pool(
        name,
        strings.INHIBITORY.format(pool=name, of=of),
        strings.THRESHOLD,
        strings.INHIBITORY_RESET,
        "tau_ref_I",
        {"vm": "E_L", "x_e": "g_xI * rate_xI * tau_A"},
        {"n_x": "rate_xI"},
        "neurons_I",
    )


EI = SpikingModel(
    name="spiking-ei",
    neuron=strings.EXCITATORY,
    u=strings.CONDUCTANCES_U,
    v=strings.CONDUCTANCES_V,
    reset=strings.EXCITATORY_RESET,
    initial={"vm": "E_L", "x_e": "g_x * rate_x * tau_A", "x_i": "g_xi * rate_xi * tau_G"},
    poisson={"n_x": "arriving", "n_xi": "rate_xi"},
    pools=(_pool("iu", "u"), _pool("iv", "v")),
    critical="g_v",
    homeostasis="rate_x",
    parameters=(
        Parameter("neurons_I", 20, legal=(1, 100_000), meaning="inhibitory neurons of a game in U, and in V"),
        Parameter("C_m", 0.5, "nF", POSITIVE, (0.25, 1), "log", meaning="capacity of an excitatory membrane (W, BW)"),
        Parameter("C_m_I", 0.2, "nF", POSITIVE, (0.1, 0.4), "log", meaning="the same, inhibitory (W, BW)"),
        Parameter("g_L", 25, "nS", POSITIVE, (12, 50), "log", meaning="leak of an excitatory neuron (W, BW)"),
        Parameter("g_L_I", 20, "nS", POSITIVE, (10, 40), "log", meaning="the same, inhibitory (W, BW)"),
        Parameter("E_L", -70, "mV", meaning="resting potential (W, BW)"),
        Parameter("V_th", -50, "mV", search=(-54, -46), meaning="potential at which a neuron fires (W, BW)"),
        Parameter("V_reset", -55, "mV", search=(-65, -52), meaning="potential after a spike (W, BW)"),
        _REFRACTORY,
        Parameter("tau_ref_I", 1, "ms", search=(0.5, 3), scale="log", meaning="the same, inhibitory (W, BW)"),
        Parameter("E_E", 0, "mV", meaning="reversal potential of AMPA and NMDA (W, BW)"),
        Parameter("E_I", -70, "mV", meaning="reversal potential of GABA (W, BW)"),
        Parameter("tau_A", 2, "ms", search=(1, 5), scale="log", meaning="decay of AMPA (W, BW)"),
        Parameter("tau_G", 5, "ms", search=(3, 15), scale="log", meaning="decay of GABA (W; BW: 10 ms)"),
        Parameter("tau_N", 100, "ms", search=(50, 200), scale="log", meaning="decay of NMDA (W, BW)"),
        _OPENING,
        Parameter("Mg", 1, "", POSITIVE, (0.3, 2), "log", meaning="magnesium in mM (W, BW; Jahr and Stevens 1990)"),
        # Twice W's conductance, at a lower rate: larger fluctuations.
        Parameter("g_x", 4, "nS", POSITIVE, (2, 8), "log", meaning="a shot of the background (W: 2.1 nS)"),
        Parameter("rate_x", 2200, "Hz", POSITIVE, meaning="its rate, all inputs together (W: 2400 Hz); found"),
        Parameter("spontaneous", 3.6, "Hz", POSITIVE, (1, 8), meaning="rate of U untrained, which rate_x is found for"),
        # Background inhibition makes the high-conductance state: Destexhe et al. (2001), Neuroscience 107:13.
        Parameter("g_xi", 4, "nS", POSITIVE, (1, 8), "log", meaning="a shot of inhibitory background"),
        Parameter("rate_xi", 1000, "Hz", POSITIVE, (300, 3000), "log", meaning="its rate"),
        Parameter("rate_in", 1000, "Hz", POSITIVE, (300, 3000), "log", meaning="input to U in phase 1"),
        Parameter("g_xI", 1.62, "nS", POSITIVE, (0.8, 3), "log", meaning="background of inhibitory neurons (W, BW)"),
        Parameter("rate_xI", 2400, "Hz", POSITIVE, (1200, 4800), "log", meaning="its rate (W, BW)"),
        Parameter("g_NI", 208, "nS", POSITIVE, (50, 500), "log", meaning="NMDA to the pool (W: 0.13 nS x 1600)"),
        Parameter("g_AI", 64, "nS", POSITIVE, (15, 150), "log", meaning="AMPA to the pool (W: 0.04 nS x 1600)"),
        Parameter("g_GE", 200, "nS", POSITIVE, (50, 600), "log", meaning="the pool's GABA (W: 1.3 nS x 400)"),
        Parameter("g_GI", 154, "nS", POSITIVE, (40, 460), "log", meaning="the same within the pool (W: 1 nS x 400)"),
        Parameter("g_u", 80, "nS", POSITIVE, (30, 200), "log", meaning="NMDA from V to U (W: 0.165 nS x 1600)"),
        Parameter("g_v", 46, "nS", POSITIVE, meaning="NMDA from U to V at the critical weight; found"),
        Parameter("ampa", 0.3, "", (0, 10), (0, 0.5), meaning="AMPA as a part of NMDA (W: 0.05/0.165)"),
        _top(1.4),
    ),
)

# Learning by spikes: a third phase, in which the choice drives the neurons of the chosen option.
_LEARNS = (
    Parameter("outcome_time", 100, "ms", search=(30, 300), scale="log", meaning="duration of phase 3"),
    Parameter("tau_e", 50, "ms", search=(10, 100), scale="log", meaning="how long a spike makes a synapse eligible"),
)
LEARNING = SPIKING.change(
    name="spiking-learning",
    u=strings.AWAITS_U,
    v=strings.AWAITS_V,
    flips=strings.FLIPS,
    parameters=(
        *_LEARNS,
        Parameter("I_choice", 0.4, "nA", POSITIVE, (0.1, 1), "log", meaning="drive by the choice in phase 3"),
    ),
)
EI_LEARNING = EI.change(
    name="spiking-ei-learning",
    neuron=strings.AWAITING,
    flips=strings.FLIPS,
    parameters=(
        *_LEARNS,
        Parameter("g_choice", 12, "nS", POSITIVE, (2, 30), "log", meaning="drive of the chosen option in phase 3"),
        Parameter("g_hush", 50, "nS", POSITIVE, (10, 200), "log", meaning="inhibition of the others in phase 3"),
    ),
)

MODELS = {model.name: model for model in (SPIKING, EI, ADEX, LEARNING, EI_LEARNING)}
