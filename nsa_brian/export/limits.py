"""What can be exported: the bandits, and names that a model must not have."""

from __future__ import annotations

from nsa_brian.errors import closest, shown
from nsa_brian.model.model import Model

#: Bandits that a script can contain, with their settings and defaults.
BANDITS: dict[str, dict[str, float]] = {"MAB-P": {"mean": 0.5, "sd": 0.2, "trial_rounds": 2000}}
#: Names of the script, which a model's own names must not have.
OWN = frozenset([
    "Bandit", "Network", "NeuronGroup", "Streams", "Synapses", "arm", "arms", "bandit", "begin_phase", "begin_round",
    "chances", "choice_step", "choose", "defaultclock", "draw", "end_of_step", "end_round", "ends", "explore", "exprel",
    "favourite", "favourite_u", "favourite_v", "game", "generator", "inputs", "learn", "len", "linked_var", "math",
    "max", "means", "min", "mix", "n_contacts", "n_rounds", "network", "network_operation", "new", "normal", "np",
    "number", "on", "options", "outcome", "phases", "poisson", "print", "reading", "reading_step", "readout", "rewards",
    "rng", "round", "seed", "seeds", "shown", "shown_u", "shown_v", "since_u", "since_v", "step", "steps", "strong",
    "sum", "time_step", "update_signals", "upto", "weights",
])  # fmt: skip


def check_exportable(model: Model, bandit: str) -> None:
    """Raise a ValueError if there is no script for a model or a bandit."""
    if bandit not in BANDITS:
        near = closest(bandit, BANDITS)
        hint = f"did you mean {near}?" if near else f"known: {', '.join(BANDITS)}"
        raise ValueError(f"no script has the bandit {shown(bandit)}; {hint}")
    structure = model.structure
    own = {*model.declared, *structure.expressions, *structure.synaptic, *structure.populations, *structure.inputs}
    own |= {name for place in structure.places for name in structure.names(place)}
    own |= {name for each in structure.populations.values() for name in each.written}
    taken = sorted(own & OWN)
    if taken:
        raise ValueError(f"model {model.name}: the name {taken[0]!r} has a meaning in exported scripts; rename it")
