"""The variants of ``nsa ablation``: data about the mechanisms of shipped models, and the agents made from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

import nsa_brian  # Brian2 is imported on first use: baselines do not need it
from experiments.core.functions import respond
from experiments.core.named import read_agent, read_set
from experiments.core.nsa_agents import NSA
from experiments.studies.ablation.lesions import LESIONS, lesioned, model_of, noisy, with_model
from nsa_brian import DEFAULT_SET, Parameter, ParameterSet
from nsa_brian.parameter_set import model_names

#: Kinds of variants: lesions of any model; a mechanism added or taken away with the parameters of the full model, and
#: with parameters that were searched for the variant; noise in the rates; the spiking version; other agents.
LESION, MECHANISM, RETUNED, NOISE, SPIKING, AGENT = KINDS = (
    "lesion",
    "mechanism",
    "mechanism, retuned",
    "noise",
    "spiking",
    "agent",
)

#: Most arms of spiking variants, and most time steps of all arms together in a round with noise: there all neurons are
#: integrated in every round.
FEW_ARMS, MOST_STEPS = 10, 60_000


@dataclass(frozen=True)
class Variant:
    """A variant of the full model.

    Attributes
    ----------
    name, what, kind : str
    agent : ParameterSet
    most_arms : int
        It is compared in cells with at most so many arms; 0: in all.
    """

    name: str
    what: str
    kind: str
    agent: ParameterSet
    most_arms: int = 0

    def plays(self, arms: int) -> bool:
        """Return whether it is compared in cells with so many arms."""
        return not self.most_arms or arms <= self.most_arms


class Mechanism(NamedTuple):
    """A mechanism of a shipped model.

    Attributes
    ----------
    name : str
        With its sign: "without recovery", "with surprise".
    what : str
    variant : str or callable
        The shipped model without, or with, the mechanism; or a function that changes an agent.
    retuned_only : bool
        Whether a shipped model plays with its own parameters only.
    """

    name: str
    what: str
    variant: str | Callable[[ParameterSet], ParameterSet]
    retuned_only: bool = False


def _constant_rate(agent: ParameterSet) -> ParameterSet:
    """Return the agent with its mean learning rate over all weights."""
    rate = Parameter("rate", float(np.mean(respond(agent.parameters, 201, agent.model)["rate"])))
    model = model_of(agent).change(
        plasticity="w + rate * (R * w_max - w)", parameters=(rate,), name="constant learning rate"
    )
    return with_model(agent, model)


def _no_forgetting(agent: ParameterSet) -> ParameterSet:
    model = model_of(agent).change(plasticity="w + R * Phi_eta * (w_max - w)", name="no forgetting")
    return with_model(agent, model)


def _linear_value(agent: ParameterSet) -> ParameterSet:
    model = model_of(agent).change(drive_v="w / w_max * phi_u{pre}", name="linear value")
    return with_model(agent, model)


def _rewritten(**changes: tuple[str, str]) -> Callable[[ParameterSet], ParameterSet]:
    """Return a function that replaces a text in strings of a model: old and new by the name of a field."""

    def change(agent: ParameterSet) -> ParameterSet:
        model = model_of(agent)
        fields: dict[str, Any] = {
            name: _replaced(getattr(model, name), old, new) for name, (old, new) in changes.items()
        }
        return with_model(agent, model.change(**fields, name=f"{model.name}, changed"))

    return change


def _replaced(text: str, old: str, new: str) -> str:
    if old not in text:
        raise ValueError(f"a mechanism of the ablation is not in the model any more: {old!r}")
    return text.replace(old, new)


def _us_favourite(agent: ParameterSet) -> ParameterSet:
    model = model_of(agent)
    choice = replace(model.choice, explore="best_u")
    return with_model(agent, model.change(choice=choice, name=f"{model.name}, U's favourite"))


_FAMILIARITY = (
    Mechanism("without candidates", "any option where U and V disagree", "familiarity-uniform"),
    Mechanism("U's favourite, no candidates", "U's favourite where U and V disagree", "familiarity-own"),
    Mechanism("without recovery of novelty", "an option once tried stays familiar", "familiarity-no-recovery"),
    Mechanism("without novelty in learning", "the learning rate is the same at all trials", "familiarity-plain-rate"),
    Mechanism("with a fixed aspiration", "the aspiration does not follow reward", "familiarity-fixed"),
    Mechanism("without memory in U", "U knows no option, only the aspiration", "familiarity-memoryless"),
    Mechanism("drift in V in place of U", "unchosen weights drift to the aspiration, U idle", "aspiration-drift"),
)

#: The mechanisms of shipped models, by the model's name.
MECHANISMS: dict[str, tuple[Mechanism, ...]] = {
    "paper": (
        Mechanism("constant learning rate", "the learning rate does not depend on the weight", _constant_rate),
        Mechanism("no forgetting", "misses do not lower a weight", _no_forgetting),
        Mechanism("linear value", "V's input is proportional to the weight", _linear_value),
    ),
    "familiarity": (
        Mechanism("with surprise", "unexpected failures restore novelty", "familiarity-surprise"),
        *_FAMILIARITY,
    ),
    "familiarity-surprise": (
        Mechanism("without surprise", "unexpected failures do not restore novelty", "familiarity"),
        Mechanism("U's favourite, no candidates", "U's favourite where U and V disagree", _us_favourite),
        Mechanism(
            "without recovery of novelty",
            "only surprise restores novelty",
            _rewritten(plasticity=("recovery + ", "")),
        ),
        Mechanism(
            "without novelty in learning",
            "the learning rate is the same at all trials",
            _rewritten(plasticity=("clip(eta + eta_h * h, 0, 1)", "eta")),
        ),
        Mechanism(
            "with a fixed aspiration",
            "the aspiration does not follow reward",
            _rewritten(signal_update=("a += (rise * int(R > a) + sink * int(R <= a)) * (R - a)", "a = a_0")),
        ),
        Mechanism(
            "without memory in U",
            "U knows no option, only the aspiration",
            "familiarity-surprise-memoryless",
        ),
        Mechanism(
            "with noise, and a margin",
            "noise of 0.03 in all rates; candidates lead in U by a margin",
            "familiarity-noisy",
            retuned_only=True,
        ),
        # The shipped variants have no surprise either.
        *(each._replace(name=f"{each.name}, nor surprise", retuned_only=True) for each in _FAMILIARITY),
    ),
}


def variants(full: ParameterSet, noise: Sequence[float], spiking: str, others: Sequence[str]) -> list[Variant]:
    """Return all variants of an agent: lesions, mechanisms, noise, the spiking version, and other agents."""
    found = [*_lesions(full), *_mechanisms(full), *_noisy(full, noise)]
    if spiking:
        model = nsa_brian.load_model(spiking)
        what = f"the model {model.name}, in cells with at most {FEW_ARMS} arms"
        agent = read_agent(f"{NSA}:{spiking}") if spiking in model_names() else with_model(full, model)
        found.append(Variant("spiking", what, SPIKING, agent, FEW_ARMS))
    if model_of(full).name != "paper":
        found.append(Variant("the paper's model", f"with the set {DEFAULT_SET}", AGENT, read_set(DEFAULT_SET)))
    found += [Variant(name.removeprefix(f"{NSA}:"), "another agent", AGENT, read_agent(name)) for name in others]
    return found


def _lesions(full: ParameterSet) -> Iterator[Variant]:
    for lesion in LESIONS:
        agent = lesioned(full, lesion.change)
        if agent is not None:
            yield Variant(lesion.name, lesion.what, LESION, agent)


def _mechanisms(full: ParameterSet) -> Iterator[Variant]:
    """Yield each mechanism's variant with the full model's parameters, and with its own if they are shipped."""
    for name, what, variant, retuned_only in MECHANISMS.get(model_of(full).name, ()):
        if not isinstance(variant, str):
            yield Variant(name, what, MECHANISM, variant(full))
            continue
        if not retuned_only:
            yield Variant(name, what, MECHANISM, with_model(full, nsa_brian.load_model(variant)))
        if variant in model_names():
            yield Variant(f"{name}, retuned", what, RETUNED, read_agent(f"{NSA}:{variant}"))


def _noisy(full: ParameterSet, strengths: Sequence[float]) -> Iterator[Variant]:
    from nsa_brian.model.course import Course, default_dt  # here: Brian2 takes a second to import

    for strength in strengths:
        agent = noisy(full, strength)
        if agent is not None:
            model = model_of(agent)
            course = Course.of(model, model.values_in_si(agent.parameters), default_dt(model))
            most = MOST_STEPS // course.round_steps
            what = f"white noise in all rates, in cells with at most {most} arms"
            yield Variant(f"noise {strength:g}", what, NOISE, agent, most)
