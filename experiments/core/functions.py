"""Functions of the weight and of the activity that a model computes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from experiments.core.cells import Arrays
from nsa_brian import NSAParameters
from nsa_brian.codegen.pairs import answers
from nsa_brian.engines.registry import engine_class
from nsa_brian.model.critical import critical
from nsa_brian.model.expression import numpy_function
from nsa_brian.model.model import PAPER, Model
from nsa_brian.model.timing import EULER, engine_options
from nsa_brian.preparation import with_prepared

#: Default number of arms, for models in which the final activity depends on it.
ARMS = 10
#: Time step and method of an engine where none are given.
DEFAULTS: Mapping[str, Any] = MappingProxyType({})
#: Options integrated at once.
OPTIONS_AT_ONCE = 2**17


def respond(
    parameters: NSAParameters,
    points: int,
    model: Model | None = None,
    arms: int = ARMS,
    dt: float | None = None,
    method: str = EULER,
) -> Arrays:
    """Return the functions of a parameter set, computed from the strings of the model (default: the paper's).

    The number of arms matters to models with ``structure.depends_on_arms``; the time step is in ms.
    """
    model, options = PAPER if model is None else model, engine_options(dt, method)
    w = np.linspace(0, parameters.w_max, points)
    u, v = activities_left(parameters, model, w, arms, options)
    x = np.linspace(-0.2, 2, 441)
    return {
        "w": w,
        "u": u,
        "v": v,
        "value": function(parameters, model, "Phi_v", "w", w, arms),
        "rate": function(parameters, model, "Phi_eta", "w", w, arms),
        "x": x,
        "phi_u": function(parameters, model, "phi_u", "u", x, arms),
        "phi_v": function(parameters, model, "phi_v", "v", x, arms),
        "critical": np.array(critical_weight(parameters, model, w, arms, options) if model.noise else critical(w, u)),
    }


def refusal(model: Model | None) -> str:
    """Return why the final activity is not a function of the weight; empty if it is."""
    structure = (PAPER if model is None else model).structure
    if structure.spikes:
        return "its neurons spike, and how many spikes are left is random"
    if structure.draws and not structure.noise:
        return "its populations draw random numbers in every time step"
    return ""


def critical_weight(
    parameters: NSAParameters, model: Model, w: np.ndarray, arms: int = ARMS, options: Mapping[str, Any] = DEFAULTS
) -> float:
    """Return w* among some weights, in the games described by :func:`holds_for`; NaN if there is none."""
    return critical(w, activities_left(parameters, without_noise(model), w, arms, options)[0])


def without_noise(model: Model) -> Model:
    """Return the model without noise."""
    return dataclasses.replace(model, noise=0.0) if model.noise else model


def holds_for(model: Model | None, arms: int) -> str:
    """Return a description of the games in which w* of a model (None for the paper's) holds."""
    structure = (PAPER if model is None else model).structure
    parts = ["any number of arms"]
    if structure.crossing:
        parts = [f"{arms} arms, the others untrained"]
    elif structure.depends_on_arms:
        parts = [f"{arms} arms"]
    if structure.remembered:
        parts.append(f"first round of a game ({', '.join(structure.remembered)} carried over)")
    if "w" in structure.dynamic:
        parts.append("w at the start of a round")
    if structure.noise:
        parts.append("without the noise")
    inputs = {name: structure.inputs[name].default for name in structure.outside if name in structure.inputs}
    if inputs:
        parts.append(", ".join(f"{name} = {default:g}" for name, default in inputs.items()))
    return "; ".join(parts)


def activities_left(
    parameters: NSAParameters, model: Model, w: np.ndarray, arms: int = ARMS, options: Mapping[str, Any] = DEFAULTS
) -> np.ndarray:
    """Return the activities (2, n) at the end of the first round of a game, of an option with each of n weights.

    The other options, ``arms`` in all, have their initial weight. ``options`` are the engine's ``dt`` and ``method``.
    """
    if model.structure.coordinate and "n_arms" not in model.structure.used:
        return answers(parameters, w, model=model, **options)
    n_arms = arms if model.structure.depends_on_arms else 2
    n_parts = -(-len(w) * n_arms // OPTIONS_AT_ONCE)
    size = -(-len(w) // min(n_parts, len(w)))
    make: Any = engine_class("rounds", model)
    prepared = with_prepared(model, parameters, n_arms, size, {"model": model, **options})
    engine = make(n_arms, parameters, size, rng=np.random.default_rng(0), **prepared)
    left = []
    for part in (w[i : i + size] for i in range(0, len(w), size)):  # one game per weight
        engine.reset()
        weights = engine.w.copy()
        weights[: len(part), 0] = part
        engine.set_weights(weights)
        engine.respond()
        left.append(engine.activity[:, : len(part), 0].copy())
    return np.concatenate(left, axis=1)


def function(
    parameters: NSAParameters, model: Model, name: str, variable: str, values: np.ndarray, arms: int
) -> np.ndarray:
    """Evaluate an expression of a model, other variables at their initial values; NaN if the model has none."""
    structure, constants = model.structure, {**model.values_in_si(parameters), "n_arms": arms}
    if name not in structure.expressions:
        return np.full(len(values), np.nan)
    states = {state: numpy_function(text, {}, constants)() for state, text in structure.initial.items()}
    made = numpy_function(name, structure.expressions, constants)(**{**states, variable: values})
    return np.broadcast_to(made, values.shape).copy()
