"""NSA agents: ``nsa``, and ``nsa:WHAT`` with other parameters or another model. Each is a ParameterSet."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import nsa_brian  # Brian2 is imported on first use: baselines do not need it
from nsa_brian import NSAParameters, ParameterSet
from nsa_brian.engines.registry import precision_refusal
from nsa_brian.model.timing import DOUBLE, EULER, steps_of

NSA = "nsa"

#: Help texts of ``--model``.
RATE_MODEL_HELP = "NSA's model: FILE.py, FILE.py:NAME, FILE.json, rate (default), or a plugin's"
MODEL_HELP = RATE_MODEL_HELP.replace(", or", ", spiking, spiking-ei, ..., or")


def is_nsa(agent: str) -> bool:
    """Return whether an agent is an NSA agent."""
    return agent.partition(":")[0] == NSA


def fires(agent: ParameterSet) -> bool:
    """Return whether the neurons of both U and V spike."""
    return agent.model is not None and all(agent.model.structure.populations[name].spikes for name in "uv")


def with_noise(agent: ParameterSet, noise: float) -> ParameterSet:
    """Return the agent with this strength of noise in its rates."""
    if agent.model is None and not noise:
        return agent
    model = agent.model or nsa_brian.MODELS["paper"]
    replaced = [population.name for population in model.populations if population.name in ("u", "v")]
    if replaced:
        raise ValueError(
            f"noise needs the rate equations of U and V, but the model {model.name} replaces "
            f"{' and '.join(map(str.upper, replaced))}"
        )
    return replace(agent, model=replace(model, noise=noise))


def check_agent(
    agent: ParameterSet, engine: str, dt: float | None = None, method: str = EULER, precision: str = DOUBLE
) -> None:
    """Raise a ValueError if the engine cannot run the agent, or not with this time step (in ms), method, precision."""
    refusal = precision_refusal(engine, agent.model, precision)
    if refusal:
        raise ValueError(refusal)
    if agent.model is None:
        steps_of(agent.parameters, 1.0 if dt is None else dt, method)
        return
    if agent.model.refusal(engine):
        raise ValueError(agent.model.refusal(engine))

    from nsa_brian.model.model import check_noise  # here: they import Brian2
    from nsa_brian.preparation import check_map

    check_noise(agent.model, method)
    check_map(agent.model, agent.parameters, dt, method)


def check_course(model: Any, parameters: NSAParameters, dt: float | None, method: str) -> None:
    """Raise a ValueError if a round of the model (None: the paper's) cannot have this time step, in ms."""
    from nsa_brian.model.course import Course, default_dt  # here: they import Brian2

    model = model or nsa_brian.MODELS["paper"]
    Course.of(model, model.values_in_si(parameters), default_dt(model) if dt is None else dt / 1e3, method)


def agent_to_dict(agent: ParameterSet) -> dict[str, Any]:
    """Convert an agent to plain data, as stored in results files."""
    model = None if agent.model is None else json.loads(agent.model.to_json())
    return {"parameters": agent.parameters.to_dict(), "parameters_name": agent.name, "model": model}


def agent_from_dict(plain: Mapping[str, Any]) -> ParameterSet:
    """Restore an agent from :func:`agent_to_dict`."""
    model = None if plain.get("model") is None else nsa_brian.Model.from_dict(plain["model"])
    declared = None if model is None else model.declared
    return ParameterSet(NSAParameters.from_dict(plain["parameters"], declared), plain["parameters_name"], model=model)
