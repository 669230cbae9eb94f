"""Lesions that any model can have: a silenced population, another choice rule, noise in the rates.

Each is derived from the model's declaration, and keeps the parameters of the set that the changed model still has.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import nsa_brian  # Brian2 is imported on first use: baselines do not need it
from evolution.checks import own_part
from experiments.core.nsa_agents import with_noise
from nsa_brian import Model, Parameter, ParameterSet, Population

#: A leaky neuron's rate equation, in which noise can be added: its variable, input and time constant.
_LEAKY = re.compile(r"^\s*d(\w+)/dt\s*=\s*\(-\1\s*\+\s*(.+)\)\s*/\s*(\w+)\s*:\s*1\s*$")


class Lesion(NamedTuple):
    """A change of any model.

    Attributes
    ----------
    name, what : str
    change : callable
        Returns the changed model, or None if the model is such already.
    """

    name: str
    what: str
    change: Callable[[Model], Model | None]


def lesioned(agent: ParameterSet, change: Callable[[Model], Model | None]) -> ParameterSet | None:
    """Return an agent with a changed model and the same values of its parameters; None if nothing changes."""
    model = change(model_of(agent))
    return None if model is None else with_model(agent, model)


def with_model(agent: ParameterSet, model: Model) -> ParameterSet:
    """Return an agent with another model; parameters that it does not share have the model's defaults."""
    return replace(agent, parameters=own_part(model, agent.parameters), model=model, evolve=None)


def model_of(agent: ParameterSet) -> Model:
    """Return the model of an agent."""
    return nsa_brian.MODELS["paper"] if agent.model is None else agent.model


def noisy(agent: ParameterSet, strength: float) -> ParameterSet | None:
    """Return an agent with noise in the rates of U and V; None if their equations have no place for it.

    As in the paper's model, the activity of a neuron left alone then has this standard deviation.
    """
    model = model_of(agent)
    own = {population.name: population for population in model.populations}
    if "u" not in own and "v" not in own:
        return with_noise(agent, strength)
    if "u" not in own or "v" not in own:
        return None
    populations = []
    for population in model.populations:
        found = _LEAKY.match(population.equations)
        if population.name not in ("u", "v"):
            populations.append(population)
        elif found is None or population.normal or population.neurons != 1:
            return None
        else:
            variable, arrives, tau = found.groups()
            term = f"noise_sd * sqrt(2 * {tau} / dt) * fluctuation_{variable}"
            equations = f"d{variable}/dt = (-{variable} + {arrives} + {term}) / {tau} : 1"
            populations.append(replace(population, equations=equations, normal=(f"fluctuation_{variable}",)))
    sd = Parameter("noise_sd", strength, meaning="standard deviation of the activity under noise alone")
    name = f"{model.name} with noise"
    return with_model(agent, model.change(populations=tuple(populations), parameters=(sd,), name=name))


def changed(model: Model, **changes: Any) -> Model:
    """Return a copy with some fields changed; of a model in a short form that has no such fields, in its long form."""
    return replace(model, **changes) if "written" in vars(model) else model.change(**changes)


def _silenced(name: str) -> Callable[[Model], Model]:
    def change(model: Model) -> Model:
        """Clamp the activity of a population at 0; of many or spiking neurons, only what it shows."""
        quiet, own = f"{model.name}, {name.upper()} silenced", [population.name for population in model.populations]
        if name not in own:
            return model.change(**{f"rate_{name}": f"d{name}/dt = -{name} / tau_{name} : 1"}, name=quiet)
        if not model.structure.populations[name].single:
            return changed(model, choice=replace(model.choice, **{name: "0"}), name=quiet)
        silent = Population(name, f"d{name}/dt = -{name} / (10 * ms) : 1", per="option")
        populations = [silent if population.name == name else population for population in model.populations]
        return model.change(populations=tuple(populations), name=quiet)

    return change


def _chosen(label: str, **changes: str) -> Callable[[Model], Model | None]:
    def change(model: Model) -> Model | None:
        """Return the model with another rule of choice."""
        choice = replace(model.choice, **changes)
        return None if choice == model.choice else changed(model, choice=choice, name=f"{model.name}, {label}")

    return change


#: The lesions of any model.
LESIONS = (
    Lesion("U silenced", "the activity of U stays 0", _silenced("u")),
    Lesion("V silenced", "the activity of V stays 0", _silenced("v")),
    Lesion(
        "V alone",
        "V's favourite is always taken, whatever U shows",
        _chosen("V alone", exploit="never", explore="best_v"),
    ),
    Lesion(
        "U alone",
        "U's favourite is always taken, whatever V shows",
        _chosen("U alone", exploit="never", explore="best_u"),
    ),
    Lesion(
        "uniform exploration",
        "any option where U and V disagree, each as likely, as in the paper",
        _chosen("uniform exploration", explore="1"),
    ),
)
