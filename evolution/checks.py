"""Named checks of parameter sets: physiological properties that a search can require of any model.

A check measures sets and returns, for each, a value and how far it is from being met, from 0 (met) to 1.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from evolution.conditions import LEAST
from evolution.genome import Genome
from nsa_brian.parameters import NSAParameters

if TYPE_CHECKING:
    from nsa_brian.model.model import Model

#: Largest response of a neuron at rest.
RESTING = 0.01
#: Largest activity that may be left after a round without input.
LEFT = 0.05
#: Weights from 0 to w_max at which final activities are computed.
WEIGHTS = 33
SHARES = tuple(np.linspace(0, 1, WEIGHTS).tolist())
#: Standard deviation of the perturbation of the genes, as a fraction of their ranges, the number of perturbed sets, and
#: the largest difference of their mean regret from that of the exact set.
PERTURBED, DRAWS, RISE = 0.02, 16, 0.01
#: Decades below the activity that counts as silent over which the violation of a network without memory is graded.
DECADES = 30

#: Values and violations, each with one entry for a set.
Measured = tuple[np.ndarray, np.ndarray]
#: Plays sets on the same games and returns their mean regrets.
Regrets = Callable[[Sequence[NSAParameters]], np.ndarray]


@dataclass(frozen=True)
class Subject:
    """What is checked: a model, how it is integrated, its genes, and how its sets are played.

    Attributes
    ----------
    model : Model
    genome : Genome
        Whose genes are perturbed.
    options : mapping
        Time step and method of an engine.
    regrets : callable, optional
        Returns the mean regrets of sets on the same games; only checks that play need it.
    """

    model: Model
    genome: Genome
    options: Mapping[str, Any] = field(default_factory=dict)
    regrets: Regrets | None = None


class Check(NamedTuple):
    """A named check.

    Attributes
    ----------
    meaning : str
        What it demands.
    measure : callable
        Returns values and violations of sets.
    refusal : callable
        Returns why a model cannot be checked; empty if it can.
    plays : bool
        Whether it plays games, so that a search applies it to its last candidates only.
    """

    meaning: str
    measure: Callable[[Subject, Sequence[NSAParameters]], Measured]
    refusal: Callable[[Model], str] = lambda model: ""
    plays: bool = False


def _silent_rest(subject: Subject, sets: Sequence[NSAParameters]) -> Measured:
    found = np.max([_at_rest(subject.model, sets, name) for name in "uv"], axis=0)
    return found, _above(found, RESTING)


def _at_rest(model: Model, sets: Sequence[NSAParameters], population: str) -> np.ndarray:
    """Return the response of a population to activity 0, other variables at their initial values."""
    from nsa_brian.model.expression import numpy_function  # here: Brian2 takes a second to import
    from nsa_brian.responses import ARMS

    structure, plain = model.structure, [model.values_in_si(each) for each in sets]
    values: dict[str, Any] = {name: np.array([each[name] for each in plain], float) for name in plain[0]}
    values["n_arms"] = float(ARMS)
    values |= dict.fromkeys(["I", *structure.phased], 0.0) | {n: each.default for n, each in structure.inputs.items()}
    values |= {name: numpy_function(text, {}, {})(**values) for name, text in structure.initial.items()}
    found = numpy_function(f"phi_{population}", structure.expressions, {})(**{**values, population: 0.0})
    return np.broadcast_to(found, len(sets)).astype(float)


def _no_response(model: Model) -> str:
    missing = [f"phi_{name}" for name in "uv" if f"phi_{name}" not in model.structure.expressions]
    if model.structure.spikes:
        return "its neurons spike and have no response function"
    return f"it has no response {' and '.join(missing)}" if missing else ""


def _no_memory(subject: Subject, sets: Sequence[NSAParameters]) -> Measured:
    found = _left(subject, _without_input(subject.model), sets).max(axis=(0, 2))
    return found, _above(found, LEFT)


def _critical_weight(subject: Subject, sets: Sequence[NSAParameters]) -> Measured:
    from nsa_brian.model.critical import SILENT, critical  # here: Brian2 takes a second to import

    (highest,) = _left(subject, subject.model, sets, (1.0,))[0].T
    found = np.full(len(sets), np.nan)
    # Without memory at w_max, which most random sets do not have: graded by how much activity is left.
    decades = np.log10(SILENT / np.clip(highest, SILENT * 10.0**-DECADES, SILENT))
    violations = 0.5 + 0.5 * decades / DECADES
    lasting = np.flatnonzero(highest >= SILENT)
    if len(lasting):
        for i, u in zip(lasting, _left(subject, subject.model, [sets[i] for i in lasting])[0], strict=True):
            if not np.isfinite(u).all():
                violations[i] = 1.0
                continue
            found[i] = critical(np.linspace(0, sets[i].w_max, WEIGHTS), u)
            above = u > u.max() / 2
            # At all weights: graded by how much less is left at one of them. Else by the weights where it is not left.
            violations[i] = u.min() / u.max() if above.all() else 0.5 * np.argmax(above[::-1]) / WEIGHTS
    return found, np.where(np.isnan(found), np.clip(violations, LEAST, 1.0), 0.0)


def _robust(subject: Subject, sets: Sequence[NSAParameters]) -> Measured:
    assert subject.regrets is not None
    by = np.random.default_rng(1).normal(0, PERTURBED, (DRAWS, subject.genome.size))
    players = [each for one in sets for each in (one, *(subject.genome.perturb(one, off) for off in by))]
    regrets = np.reshape(subject.regrets(players), (len(sets), 1 + DRAWS))
    found = regrets[:, 1:].mean(axis=1) - regrets[:, 0]
    return found, _above(found, RISE)


#: The checks by name, in the order in which sets are checked: those that are cheap and that few sets meet first.
CHECKS = {
    "silent-rest": Check(
        f"rest is silent: the responses phi(0) of U and V are at most {RESTING:g}", _silent_rest, _no_response
    ),
    "critical-weight": Check(
        "there is a critical weight between 0 and w_max, above which activity outlasts the input",
        _critical_weight,
        lambda model: _no_activities(model),
    ),
    "no-memory-without-input": Check(
        f"a round without input leaves activities of at most {LEFT:g}, at all weights from 0 to w_max",
        _no_memory,
        lambda model: _no_activities(model),
    ),
    "robust": Check(
        f"the mean regret of {DRAWS} sets with genes perturbed by {100 * PERTURBED:g}% of their ranges is at most "
        f"{RISE:g} higher",
        _robust,
        plays=True,
    ),
}


def _no_activities(model: Model) -> str:
    from nsa_brian.responses import refusal  # here: Brian2 takes a second to import

    if refusal(model):
        return refusal(model)
    shown, phases = sorted(model.structure.shown), model.structure.before
    if shown:
        return f"its population {shown[0]} has no activity {shown[0]}"
    ends = {name for phase in phases for name in phase.on} - set(phases[-1].on)
    return "" if ends else "no input of a phase ends before the choice, so that activity could outlast it"


def _left(
    subject: Subject, model: Model, sets: Sequence[NSAParameters], shares: Sequence[float] = SHARES
) -> np.ndarray:
    """Return the activities (2, sets, weights) that a round leaves, at shares of w_max; infinite if they overflow."""
    from nsa_brian.responses import activities_left, without_noise  # here: Brian2 takes a second to import

    plain = _of_neurons(without_noise(model))
    known = [own_part(plain, each) for each in sets]
    weights = np.concatenate([each.w_max * np.array(shares) for each in sets])
    players = [each for each in known for _ in shares]
    with np.errstate(all="ignore"):
        left = activities_left(players, plain, weights, options=subject.options)
    return np.where(np.isfinite(left), abs(left), np.inf).reshape(2, len(sets), len(shares))


def _of_neurons(model: Model) -> Model:
    """Return a model whose U and V show the activity of their neurons."""
    choice = model.choice
    return model.change(choice=dataclasses.replace(choice, u="", v="")) if choice.u or choice.v else model


def _without_input(model: Model) -> Model:
    """Return a model in which no phase switches an input on."""
    off = [dataclasses.replace(each, on=dict.fromkeys(each.on, "0")) for each in model.structure.phases]
    return model.change(phases=tuple(off), name=f"{model.name} without input")


def own_part(model: Model, parameters: NSAParameters) -> NSAParameters:
    """Return a set without the parameters that a changed model no longer declares."""
    kept = {name: value for name, value in parameters.to_dict().items() if name in model.declared}
    return NSAParameters.from_dict(kept, model.declared)


def _above(values: np.ndarray, limit: float) -> np.ndarray:
    """Return by how much values exceed a limit, from 0 (not at all) to 1, as for values that are not finite."""
    excess = np.where(np.isfinite(values), np.asarray(values) - limit, 1.0)
    return np.where(excess <= 0, 0.0, np.clip(excess, LEAST, 1.0))
