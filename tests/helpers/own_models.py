"""Models that are none of the guide's, each a function of 20 lines at most; one for each new part of the language."""

from nsa_brian import Choice, Coupling, Input, Model, Parameter, Phase, Population
from nsa_brian.model import neurons
from nsa_brian.model.shipped import SPIKING


def habit():
    """A third population of options, carried over, fed by choices."""
    return Model(
        name="habit",
        rate_u="du/dt = (-u + I_u + I + 0.3 * h_habit{noise}) / tau_u : 1",
        populations=(Population("habit", "dh/dt = (c - h) / (100 * ms) : 1", per="option", carried=("h",)),),
        synapse="c : 1",
        plasticity="w += chosen * Phi_eta * (R * w_max - w)\nc += 0.2 * (chosen - c)",
    )


def cue():
    """Four phases: a cue before the input, a signal to go at the end."""
    return Model(
        name="cue",
        rate_u="du/dt = (-u + I_u + I + cue{noise}) / tau_u : 1",
        phases=(
            Phase("cue", "50 * ms", {"cue": "0.5"}),
            Phase("input", "duration_input", {"I": "I_ext"}),
            Phase("free", "duration_free"),
            Phase("go", "30 * ms", {"cue": "0.2"}),
        ),
    )


def arousal():
    """A signal of the game in an equation and in a drive; the choice weighs arms by what U and V show."""
    return Model(
        name="arousal",
        signals="arousal : 1\nlevel = 1 + arousal : 1",
        signal_update="arousal += 0.2 * (R - arousal) + 0.01 * agreed",
        initial={"arousal": "0.5"},
        rate_u="du/dt = (-u + I_u + I * level{noise}) / tau_u : 1",
        drive_v="Phi_v * phi_u_pre * level",
        choice=Choice(explore="int(u > u_at_v) + 0.1 * best_u + 0.01", v="v + 0.01 * w"),
    )


def drug():
    """An input of the game, one of options, and a pool that hears the mean of V."""
    return Model(
        name="drug",
        inputs=(Input("drug", per="game", default=0.3), Input("cost")),
        rate_v="dv/dt = (-v + I_v * (1 - 0.2 * drug) - 0.1 * G{noise}) / tau_v : 1",
        populations=(Population("pool", "dp/dt = (-p + into + drug) / (10 * ms) : 1", per="game"),),
        couplings=(
            Coupling("v", "pool", "into", "phi_v_pre * (1 + cost)", over="mean"),
            Coupling("pool", "v", "G", "p_pre"),
        ),
        plasticity="w + Phi_eta * (clip(R - cost, 0, 1) * w_max - w) + 0.01 * drug",
    )


def fatigue():
    """A synapse that changes within a round, read by U, V and a third population."""
    return Model(
        name="fatigue",
        synapse="dy/dt = (1 - y) / (100 * ms) - 2 * Hz * phi_u_pre * y : 1\neff = y * Phi_v : 1",
        initial={"y": "1"},
        drive_v="eff * phi_u_pre",
        rate_u="du/dt = (-u + I_u + I * y{noise}) / tau_u : 1",
        rate_v="dv/dt = (-v + I_v + 0.1 * h_third{noise}) / tau_v : 1",
        populations=(Population("third", "dh/dt = (eff - h) / (20 * ms) : 1", per="option"),),
    )


def outcome():
    """A phase after the choice, in which V hears the reward; the rule reads V."""
    return Model(
        name="outcome",
        rate_v="dv/dt = (-v + I_v{noise} + R * int(choice > 0)) / tau_v : 1",
        phases=(
            Phase("input", "duration_input", {"I": "I_ext"}),
            Phase("free", "duration_free"),
            Phase("outcome", "20 * ms", {}, True),
        ),
        plasticity="w + Phi_eta * (v * w_max - w)",
    )


def rivals():
    """Spiking U and V of different sizes, options that inhibit each other, a rate pool, a dynamic synapse."""
    lif = {"threshold": neurons.THRESHOLD, "reset": neurons.RESET, "refractory": "tau_ref", "initial": {"vm": "E_L"}}
    u = neurons.NEURON + "I_syn = J_u * s_v + I_in * I - J_i * (p_pool + inh) : amp"
    v = neurons.NEURON + "I_syn = J_v * gain * s_u * y - J_i * rec : amp"
    return Model(
        name="rivals",
        populations=(
            Population("u", u, "option", "neurons", normal=("noise",), **lif),
            Population("v", v, "option", 10, normal=("noise",), **lif),
            Population("pool", "dp/dt = (-p + s_u) / (10 * ms) : 1", per="game"),
        ),
        couplings=(Coupling("v", "u", "inh", "s_pre * (1 + n)"), Coupling("v", "v", "rec", "s_pre", over="mean")),
        synapse="gain = Phi_v : 1\nn : 1\ndy/dt = (1 - y) / (50 * ms) - 3 * Hz * s_u * y : 1",
        initial={"y": "1"},
        phases=(Phase("input", "input_time", {"I": "1"}), Phase("free", "free_time")),
        choice=Choice(window="reading_time"),
        plasticity="w += chosen * Phi_eta * (R * w_max - w)\nn += 0.1 * (chosen - n) + 0.001 * s_v",
        parameters=(*SPIKING_PARAMETERS, Parameter("J_i", 0.05, "nA")),
    )


_USED = (
    "C_m g_L E_L V_th V_reset tau_ref tau_s opening sigma I_0 I_in J_u J_v neurons input_time free_time reading_time"
)
SPIKING_PARAMETERS = tuple(each for each in SPIKING.parameters if each.name in _USED.split())

OWN_MODELS = (habit, cue, arousal, drug, fatigue, outcome, rivals)
