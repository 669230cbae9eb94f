"""Rate models beyond the paper: U knows how familiar an option is. Each is a declaration with an evolved set.

``docs/explanation/beyond.md`` has the equations, what they are in the brain, the sources, and what each is worth.
"""

from __future__ import annotations

from nsa_brian.model.model import Model
from nsa_brian.model.parts import Choice, Phase, Population
from nsa_brian.parameters import UNIT_INTERVAL, Parameter

_ETA_H = Parameter("eta_h", 0.9, "", UNIT_INTERVAL, (0, 1), meaning="learning rate added by novelty")

#: V shows the weight of an option. U shows the same, as far as the option is familiar, and else the game's aspiration.
FAMILIARITY = Model(
    name="familiarity",
    populations=(
        Population("u", "du/dt = (-u + (1 - h) * w + h * a) / tau : 1"),
        Population("v", "dv/dt = (-v + w) / tau : 1"),
    ),
    synapse="h : 1",  # novelty
    signals="a : 1",  # aspiration
    initial={"h": "1", "a": "a_0"},
    signal_update="a += (rise * int(R > a) + sink * int(R <= a)) * (R - a)",
    plasticity="""
        w += chosen * clip(eta + eta_h * h, 0, 1) * (R - w)
        h += (1 - chosen) * recovery * (1 - h) - chosen * fall * h
    """,
    phases=(Phase("input", "50 * ms"),),
    choice=Choice(explore="int(u > u_at_v)"),
    parameters=(
        Parameter("tau", 10, "ms", meaning="time constant of both populations"),
        Parameter("a_0", 0.85, "", UNIT_INTERVAL, (0.3, 1), meaning="aspiration at first"),
        Parameter("rise", 2e-4, "", UNIT_INTERVAL, (1e-5, 0.5), "log", meaning="step of the aspiration by a success"),
        Parameter("sink", 5e-4, "", UNIT_INTERVAL, (1e-5, 0.5), "log", meaning="step of the aspiration by a failure"),
        Parameter("eta", 0.05, "", UNIT_INTERVAL, (0.003, 0.5), "log", meaning="learning rate of a familiar option"),
        _ETA_H,
        Parameter("fall", 0.25, "", UNIT_INTERVAL, (0.05, 1), meaning="part of the novelty that a trial takes"),
        Parameter("recovery", 0.0027, "", UNIT_INTERVAL, (1e-5, 0.1), "log", meaning="its recovery in a round"),
    ),
)

#: Unexpected failures make all options unfamiliar again: a fast trace of surprise, and a slow one of volatility.
SURPRISE = FAMILIARITY.change(
    name="familiarity-surprise",
    signals="a : 1\ns : 1\nz : 1",
    signal_update="""
        a += (rise * int(R > a) + sink * int(R <= a)) * (R - a)
        s += k_s * ((w_chosen - R) * (1 - h_chosen) - s)
        z += k_z * (clip(s - theta, 0, 1) - z)
    """,
    plasticity="""
        w += chosen * clip(eta + eta_h * h, 0, 1) * (R - w)
        h += (1 - chosen) * clip(recovery + fast * clip(s - theta, 0, 1) + slow * z, 0, 1) * (1 - h) - chosen * fall * h
    """,
    parameters=(
        Parameter("k_s", 0.2, "", UNIT_INTERVAL, (0.01, 0.9), "log", meaning="step of the surprise"),
        Parameter("theta", 0.25, "", UNIT_INTERVAL, (0, 0.6), meaning="surprise that noise alone causes"),
        Parameter("k_z", 0.004, "", UNIT_INTERVAL, (5e-4, 0.1), "log", meaning="step of the volatility"),
        Parameter("fast", 0.7, "", (0, 100), (0, 8), meaning="recovery of novelty by surprise"),
        Parameter("slow", 1.1, "", (0, 100), (0, 8), meaning="recovery of novelty by volatility"),
    ),
)

MODELS = {model.name: model for model in (FAMILIARITY, SURPRISE)}
