"""What the network computes, as functions of the weight and of the activity."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from experiments.core.cells import Arrays
from nsa_brian import NSAParameters
from nsa_brian.codegen.pairs import answers
from nsa_brian.engines.registry import engine_class
from nsa_brian.model.critical import critical
from nsa_brian.model.expression import numpy_function
from nsa_brian.model.model import PAPER, Model
from nsa_brian.preparation import with_prepared

#: Arms of a game, where the activity left of one option depends on their number.
ARMS = 10
#: Options that are integrated at once.
OPTIONS_AT_ONCE = 2**17


def respond(parameters: NSAParameters, points: int, model: Model | None = None, arms: int = ARMS) -> Arrays:
    """The functions of one set, all made from the model's own strings; by default the paper's.

    The number of arms matters to models with ``structure.depends_on_arms``.
    """
    model = PAPER if model is None else model
    w = np.linspace(0, parameters.w_max, points)
    u, v = activities_left(parameters, model, w, arms)
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
        "critical": np.array(critical_weight(parameters, model, w, arms) if model.noise else critical(w, u)),
    }


def refusal(model: Model | None) -> str:
    """Why what is left at a round's end is no function of the weight; empty if it is one."""
    structure = (PAPER if model is None else model).structure
    if structure.spikes:
        return "its neurons spike, and how many spikes are left is random"
    if structure.draws and not structure.noise:
        return "its populations draw random numbers in every time step"
    return ""


def critical_weight(parameters: NSAParameters, model: Model, w: np.ndarray, arms: int = ARMS) -> float:
    """Return w* among some weights, in the games that :func:`holds_for` names; NaN if there is none."""
    return critical(w, activities_left(parameters, without_noise(model), w, arms)[0])


def without_noise(model: Model) -> Model:
    """Return the same model without its noise."""
    return dataclasses.replace(model, noise=0.0) if model.noise else model


def holds_for(model: Model | None, arms: int) -> str:
    """Say in which games w* of a model (None for the paper's) holds: how many arms, and all else that matters."""
    structure = (PAPER if model is None else model).structure
    said = ["any number of arms"]
    if structure.crossing:
        said = [f"{arms} arms, the others untrained"]
    elif structure.depends_on_arms:
        said = [f"{arms} arms"]
    if structure.remembered:
        said.append(f"first round of a game ({', '.join(structure.remembered)} carried over)")
    if "w" in structure.dynamic:
        said.append("w at the start of a round")
    if structure.noise:
        said.append("without the noise")
    inputs = {name: structure.inputs[name].default for name in structure.outside if name in structure.inputs}
    if inputs:
        said.append(", ".join(f"{name} = {default:g}" for name, default in inputs.items()))
    return "; ".join(said)


def activities_left(parameters: NSAParameters, model: Model, w: np.ndarray, arms: int = ARMS) -> np.ndarray:
    """The activities (2, n) of an option with some weight at a round's end, all else being as in a game's beginning.

    The other options of its game, ``arms`` in all, have the weight that they start a game with.
    """
    if model.structure.coordinate and "n_arms" not in model.structure.used:
        return answers(parameters, w, model=model)
    n_arms = arms if model.structure.depends_on_arms else 2
    n_parts = -(-len(w) * n_arms // OPTIONS_AT_ONCE)
    size = -(-len(w) // min(n_parts, len(w)))
    make: Any = engine_class("rounds", model)
    options = with_prepared(model, parameters, n_arms, size, {"model": model})
    engine = make(n_arms, parameters, size, rng=np.random.default_rng(0), **options)
    left = []
    for part in (w[i : i + size] for i in range(0, len(w), size)):  # a game for each weight
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
    """One of a model's expressions of one variable, others being where they start; NaN where the model has none."""
    structure, constants = model.structure, {**model.values_in_si(parameters), "n_arms": arms}
    if name not in structure.expressions:
        return np.full(len(values), np.nan)
    states = {state: numpy_function(text, {}, constants)() for state, text in structure.initial.items()}
    made = numpy_function(name, structure.expressions, constants)(**{**states, variable: values})
    return np.broadcast_to(made, values.shape).copy()
