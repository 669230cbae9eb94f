"""Models beyond the paper: familiarity in U, its parts one by one, two other mechanisms, and a spiking version.

Each model has a parameter set of the same name, found by a search that started at the defaults here; the spiking
version has the values of its rate model.
``docs/explanation/beyond.md`` has the equations, what they are in the brain, the sources, and what each is worth.
"""

from __future__ import annotations

from dataclasses import replace

from nsa_brian.model.model import Model
from nsa_brian.model.parts import Choice, Phase, Population
from nsa_brian.model.shipped import LIF, lif
from nsa_brian.parameters import POSITIVE, UNIT_INTERVAL, Parameter

#: Options that U holds above V's favourite.
CANDIDATES = Choice(explore="int(u > u_at_v)")
_V = Population("v", "dv/dt = (-v + w) / tau : 1")
_PHASE = Phase("input", "50 * ms")
_TAU = Parameter("tau", 10, "ms", meaning="time constant of both populations")
_ETA = Parameter("eta", 0.05, "", UNIT_INTERVAL, (0.003, 0.5), "log", meaning="learning rate of a familiar option")
_ETA_H = Parameter("eta_h", 0.9, "", UNIT_INTERVAL, (0, 1), meaning="learning rate added by novelty")
_FALL = Parameter("fall", 0.25, "", UNIT_INTERVAL, (0.05, 1), meaning="part of the novelty that a trial takes")
_K_S = Parameter("k_s", 0.18, "", UNIT_INTERVAL, (0.01, 0.9), "log", meaning="step of the surprise")
_THETA = Parameter("theta", 0.26, "", UNIT_INTERVAL, (0, 0.6), meaning="surprise that chance alone causes")

#: V shows the weight of an option. U shows it as far as the option is familiar, and else the aspiration of the game.
FAMILIARITY = Model(
    name="familiarity",
    populations=(Population("u", "du/dt = (-u + (1 - h) * w + h * a) / tau : 1"), _V),
    synapse="h : 1",  # novelty
    signals="a : 1",  # aspiration
    initial={"h": "1", "a": "a_0"},
    signal_update="a += (rise * int(R > a) + sink * int(R <= a)) * (R - a)",
    plasticity="""
        w += chosen * clip(eta + eta_h * h, 0, 1) * (R - w)
        h += (1 - chosen) * recovery * (1 - h) - chosen * fall * h
    """,
    phases=(_PHASE,),
    choice=CANDIDATES,
    parameters=(
        *(_TAU, _ETA, _ETA_H, _FALL),
        Parameter("recovery", 0.0028, "", UNIT_INTERVAL, (1e-5, 0.1), "log", meaning="recovery of novelty in a round"),
        Parameter("a_0", 0.84, "", UNIT_INTERVAL, (0.3, 1), meaning="aspiration at first"),
        Parameter("rise", 2e-4, "", UNIT_INTERVAL, (1e-5, 0.5), "log", meaning="step of the aspiration by a success"),
        Parameter("sink", 5e-4, "", UNIT_INTERVAL, (1e-5, 0.5), "log", meaning="step of the aspiration by a failure"),
    ),
)


def _start(**values: float) -> list[Parameter]:
    """Return parameters of familiarity with other defaults, at which the search of a variant starts."""
    return [replace(FAMILIARITY.declared[name], default=value) for name, value in values.items()]


#: Unexpected failures make all options unfamiliar again: at once, and while they are frequent.
SURPRISE = FAMILIARITY.change(
    name="familiarity-surprise",
    signals="a : 1\nsurprise : 1\nvolatility : 1",
    signal_update="""
        a += (rise * int(R > a) + sink * int(R <= a)) * (R - a)
        surprise += k_s * ((w_chosen - R) * (1 - h_chosen) - surprise)
        volatility += k_z * (clip(surprise - theta, 0, 1) - volatility)
    """,
    plasticity="""
        w += chosen * clip(eta + eta_h * h, 0, 1) * (R - w)
        h -= chosen * fall * h
        h += (1 - chosen) * clip(recovery + fast * clip(surprise - theta, 0, 1) + slow * volatility, 0, 1) * (1 - h)
    """,
    parameters=(
        *_start(eta=0.08, eta_h=0.8, fall=0.28, recovery=3.6e-4, a_0=0.845, rise=4.5e-5, sink=4e-4),
        *(_K_S, _THETA),
        Parameter("k_z", 0.0045, "", UNIT_INTERVAL, (5e-4, 0.1), "log", meaning="step of the volatility"),
        Parameter("fast", 2, "", (0, 100), (0, 8), meaning="recovery of novelty by surprise"),
        Parameter("slow", 1.2, "", (0, 100), (0, 8), meaning="recovery of novelty by volatility"),
    ),
)

_NOISE = "noise_sd * sqrt(2 * tau / dt) * z"
#: The same with white noise in all neurons: an option must lead in U by a margin to be a candidate, since of many
#: options one is always ahead by chance. Where none leads, V's favourite is taken.
NOISY = SURPRISE.change(
    name="familiarity-noisy",
    populations=(
        Population("u", f"du/dt = (-u + (1 - h) * w + h * a + {_NOISE}_u) / tau : 1", per="option", normal=("z_u",)),
        Population("v", f"dv/dt = (-v + w + {_NOISE}_v) / tau : 1", per="option", normal=("z_v",)),
    ),
    choice=Choice(explore="int(u > u_at_v + margin) + 1e-9 * best_v"),
    parameters=(
        *_start(eta=0.06, eta_h=0.8, fall=0.3, recovery=5e-4, a_0=0.86, rise=5e-5, sink=4e-4),
        Parameter("noise_sd", 0.03, "", (0, 1), meaning="standard deviation of the activity under noise alone"),
        Parameter("margin", 0.07, "", (0, 1), (0, 0.3), meaning="lead in U that makes an option a candidate"),
    ),
)

#: Surprise with leaky integrate-and-fire neurons: a value is a current, and firing rates are compared.
FAMILIARITY_SPIKING = SURPRISE.change(
    name="familiarity-spiking",
    populations=(lif("u", "I_syn = J * ((1 - h) * w + h * a) : amp"), lif("v", "I_syn = J * w : amp")),
    phases=(Phase("input", "200 * ms"),),
    parameters=(*LIF, Parameter("J", 1, "nA", POSITIVE, (0.2, 2), "log", meaning="current of a value of 1")),
)

# Parts of familiarity: another choice where U and V disagree, then one part less.
UNIFORM = FAMILIARITY.change(
    name="familiarity-uniform",
    choice=Choice(),
    parameters=_start(eta=0.072, eta_h=0.87, fall=0.2, recovery=0.0019, a_0=0.7),
)
OWN = FAMILIARITY.change(
    name="familiarity-own",
    choice=Choice(explore="best_u"),
    parameters=_start(eta=0.05, eta_h=0.97, fall=0.3, recovery=0.0037, a_0=0.82, rise=3.3e-4, sink=6e-4),
)
NO_RECOVERY = FAMILIARITY.change(
    name="familiarity-no-recovery",
    plasticity="""
        w += chosen * clip(eta + eta_h * h, 0, 1) * (R - w)
        h -= chosen * fall * h
    """,
    parameters=_start(eta=0.107, eta_h=0.8, fall=0.22, a_0=0.71, rise=1.3e-4, sink=1.2e-5),
)
PLAIN_RATE = FAMILIARITY.change(
    name="familiarity-plain-rate",
    plasticity="""
        w += chosen * eta * (R - w)
        h += (1 - chosen) * recovery * (1 - h) - chosen * fall * h
    """,
    parameters=_start(eta=0.42, fall=0.58, recovery=6e-4, a_0=0.36, rise=2.8e-5, sink=1.2e-4),
)
FIXED = FAMILIARITY.change(
    name="familiarity-fixed",
    populations=(Population("u", "du/dt = (-u + (1 - h) * w + h * a_0) / tau : 1"), _V),
    signals="",
    signal_update="",
    initial={"h": "1"},
    parameters=_start(eta=0.043, eta_h=0.98, fall=0.28, recovery=8.4e-4, a_0=0.86),
)
#: U without a memory of options: it shows the weight, or the aspiration if that is higher.
MEMORYLESS = FAMILIARITY.change(
    name="familiarity-memoryless",
    populations=(Population("u", "du/dt = (-u + w + clip(a - w, 0, 1)) / tau : 1"), _V),
    parameters=_start(eta=0.136, eta_h=0.73, fall=0.19, recovery=0.023, a_0=0.62, rise=5.6e-4, sink=2.1e-3),
)
#: The same with surprise, which still makes options unfamiliar, and learning fast again.
SURPRISE_MEMORYLESS = SURPRISE.change(
    name="familiarity-surprise-memoryless",
    populations=MEMORYLESS.populations,
    parameters=_start(eta=0.136, eta_h=0.73, fall=0.19, recovery=0.023, a_0=0.62, rise=5.6e-4, sink=2.1e-3),
)
#: V alone: unchosen weights drift to the aspiration; U shows the weight too and adds nothing.
DRIFT = FAMILIARITY.change(
    name="aspiration-drift",
    populations=(Population("u", "du/dt = (-u + w) / tau : 1"), _V),
    plasticity="""
        w += chosen * clip(eta + eta_h * h, 0, 1) * (R - w) + (1 - chosen) * drift * (a - w)
        h += (1 - chosen) * recovery * (1 - h) - chosen * fall * h
    """,
    parameters=(
        *_start(eta=0.036, eta_h=0.94, fall=0.28, recovery=0.005, a_0=0.87, rise=4.2e-4, sink=8.7e-4),
        Parameter("drift", 0.018, "", UNIT_INTERVAL, (1e-5, 0.1), "log", meaning="drift of unchosen weights"),
    ),
)

#: Synapses consolidate with use and are made plastic again by surprise; U prefers plastic ones.
METAPLASTICITY = Model(
    name="metaplasticity",
    populations=(Population("u", "du/dt = (-u + w + beta * m) / tau : 1"), _V),
    synapse="m : 1",  # metaplastic state: 1 plastic, 0 stable
    signals="surprise : 1",
    initial={"m": "1"},
    signal_update="surprise += k_s * ((w_chosen - R) * (1 - m_chosen) - surprise)",
    plasticity="""
        w += chosen * clip(eta + eta_m * m, 0, 1) * (R - w)
        m += (1 - chosen) * clip(reset * clip(surprise - theta, 0, 1), 0, 1) * (1 - m) - chosen * consolidation * m
    """,
    phases=(_PHASE,),
    choice=CANDIDATES,
    parameters=(
        *(_TAU, _ETA, _K_S, _THETA),
        Parameter("eta_m", 0.98, "", UNIT_INTERVAL, (0, 1), meaning="learning rate added by plasticity"),
        Parameter("consolidation", 0.12, "", UNIT_INTERVAL, (0.02, 1), meaning="part of m that a trial takes"),
        Parameter("reset", 0.7, "", (0, 100), (0, 8), meaning="part of m that surprise restores"),
        Parameter("beta", 0.8, "", (0, 100), (0.05, 2), meaning="preference of U for plastic synapses"),
    ),
)

#: A Kalman filter with estimated volatility; U shows the mean and a bonus for its standard deviation.
KALMAN = Model(
    name="kalman",
    populations=(Population("u", "du/dt = (-u + w + beta * sqrt(c)) / tau : 1"), _V),
    synapse="c : 1\nk = (c + q) / (c + q + omega) : 1",  # variance, Kalman gain
    signals="q : 1",  # volatility
    initial={"c": "c_0", "q": "q_0"},
    signal_update="q += lam * ((k_chosen * (R - w_chosen))**2 + k_chosen * (c_chosen - q))",
    plasticity="""
        w += chosen * k * (R - w)
        c = chosen * (1 - k) * (c + q) + (1 - chosen) * clip(c + q, 0, c_top)
    """,
    phases=(_PHASE,),
    choice=CANDIDATES,
    parameters=(
        _TAU,
        Parameter("c_0", 3, "", (0, 100), (0.01, 5), "log", meaning="variance at first"),
        Parameter("c_top", 0.4, "", (0, 100), (0.01, 5), "log", meaning="largest variance"),
        Parameter("q_0", 1.5e-4, "", (0, 100), (1e-7, 0.1), "log", meaning="volatility at first"),
        Parameter("lam", 2e-6, "", UNIT_INTERVAL, (1e-6, 0.5), "log", meaning="step of the volatility"),
        Parameter("omega", 0.007, "", (1e-9, 100), (0.002, 2), "log", meaning="variance of an outcome"),
        Parameter("beta", 1.26, "", (0, 100), (0.05, 3), "log", meaning="preference of U for uncertain options"),
    ),
)

#: The variants of familiarity that differ by one part, each searched with the same budget.
PARTS = (UNIFORM, OWN, NO_RECOVERY, PLAIN_RATE, FIXED, MEMORYLESS, SURPRISE_MEMORYLESS, DRIFT)

MODELS = {
    model.name: model for model in (FAMILIARITY, SURPRISE, NOISY, FAMILIARITY_SPIKING, *PARTS, METAPLASTICITY, KALMAN)
}
