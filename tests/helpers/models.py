"""Models to test with, besides those of the guide."""

import brian2

from nsa_brian import Coupling, Model, Parameter, Population

#: Of our own making, and none of the guide's.
OTHERS = {
    "synaptic current and threshold that rises": Model(
        name="two-stage",
        rate_v="""
            dv/dt = (-v + q - 0.3 * h{noise}) / tau_v : 1
            dq/dt = (-q + I_v) / tau_q : 1
            dh/dt = (v - h) / (40 * ms) : 1
        """,
        parameters=(Parameter("tau_q", 8, unit="ms"),),
        initial={"h": "0.1"},
    ),
    "learning rate by surprise": Model(
        name="surprise",
        synapse="m : 1",
        plasticity="""
            error = R - m
            w += chosen * clip(abs(error) + 0.1, 0, 1) * Phi_eta * (R * w_max - w)
            m += chosen * 0.2 * error
        """,
        initial={"m": "0.5"},
    ),
    "V of other options divides U": Model(
        name="divisive",
        rate_u="du/dt = (-u + (I_u + I) / (1 + S){noise}) / tau_u : 1",
        couplings=(Coupling("v", "u", "S", "k * phi_v_pre", to="others"),),
        constants={"k": 0.2},
    ),
    "two pools that inhibit each other, one of them carried": Model(
        name="two-pools",
        rate_u="du/dt = (-u + I_u - G + I{noise}) / tau_u : 1",
        populations=(
            Population("fast", "df/dt = (-f + from_u - from_slow) / (5 * ms) : 1", per="game"),
            Population("slow", "ds/dt = (-s + f_in) / (60 * ms) : 1", per="game"),
        ),
        couplings=(
            Coupling("u", "fast", "from_u", "phi_u_pre / n_arms"),
            Coupling("slow", "fast", "from_slow", "0.5 * s_pre"),
            Coupling("fast", "slow", "f_in", "f_pre"),
            Coupling("fast", "u", "G", "0.3 * f_pre"),
        ),
        carried=("s",),
        plasticity="w + Phi_eta * (R * w_max - w) / (1 + s)",
    ),
    "voltage with units, synapse that facilitates, input helper": Model(
        name="units",
        rate_u="""
            net = I_u + I : 1
            dm/dt = (-m + net * V_0) / tau_m : volt
            du/dt = (-u + m / V_0{noise}) / tau_u : 1
        """,
        synapse="""
            dy/dt = (1 - y) / (100 * ms) + 2 * Hz * phi_u_pre * (2 - y) : 1
            eff = y * Phi_v : 1
        """,
        drive_v="""
            sent = eff * phi_u_pre : 1
            clip(sent, 0, 1.5)
        """,
        initial={"m": "0 * mV", "y": "1"},
        constants={"V_0": 10 * brian2.mV, "tau_m": 6 * brian2.ms},
    ),
}

#: Whose activity runs away, beyond all numbers.
WILD = Model(name="wild", rate_u="du/dt = (u * u * 10 + I_u + I{noise}) / tau_u : 1")
