"""Functions of the weight and of the activity that a model computes."""

from __future__ import annotations

import numpy as np

from experiments.core.cells import Arrays
from nsa_brian import NSAParameters
from nsa_brian.model.critical import critical
from nsa_brian.model.expression import numpy_function
from nsa_brian.model.model import PAPER, Model
from nsa_brian.model.timing import EULER, engine_options
from nsa_brian.responses import ARMS, activities_left, critical_weight, refusal

__all__ = ["ARMS", "activities_left", "critical_weight", "function", "holds_for", "refusal", "respond"]


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
