"""What the network computes, as functions of the weight and of the activity."""

from __future__ import annotations

import numpy as np

from experiments.core.cells import Arrays
from nsa_brian import NSAParameters
from nsa_brian.codegen.expression import numpy_function
from nsa_brian.codegen.pairs import answers
from nsa_brian.engines.rounds import Rounds
from nsa_brian.model.critical import critical
from nsa_brian.model.model import PAPER, Model


def respond(parameters: NSAParameters, points: int, model: Model | None = None) -> Arrays:
    """The functions of one set, all made from the model's own strings; by default the paper's."""
    model = PAPER if model is None else model
    w = np.linspace(0, parameters.w_max, points)
    u, v = activities_left(parameters, model, w)
    x = np.linspace(-0.2, 2, 441)
    return {
        "w": w,
        "u": u,
        "v": v,
        "value": function(parameters, model, "Phi_v", "w", w),
        "rate": function(parameters, model, "Phi_eta", "w", w),
        "x": x,
        "phi_u": function(parameters, model, "phi_u", "u", x),
        "phi_v": function(parameters, model, "phi_v", "v", x),
        "critical": np.array(critical(w, u)),
    }


def activities_left(parameters: NSAParameters, model: Model, w: np.ndarray) -> np.ndarray:
    """The activities (2, n) of an option with some weight at a round's end, all else being as in a game's beginning."""
    if model.structure.coordinate and "n_arms" not in model.structure.used:
        return answers(parameters, w, model=model)
    # A game for each weight, against an arm that has not been pulled yet.
    engine = Rounds(2, parameters, len(w), rng=np.random.default_rng(0), model=model)
    weights = engine.w.copy()
    weights[:, 0] = w
    engine.set_weights(weights)
    engine.respond()
    return engine.activity[:, :, 0].copy()


def function(parameters: NSAParameters, model: Model, name: str, variable: str, values: np.ndarray) -> np.ndarray:
    """One of a model's expressions of one variable, others being where they start; NaN where the model has none."""
    structure, constants = model.structure, {**model.values_in_si(parameters), "n_arms": 2}
    if name not in structure.expressions:
        return np.full(len(values), np.nan)
    states = {state: numpy_function(text, {}, constants)() for state, text in structure.initial.items()}
    made = numpy_function(name, structure.expressions, constants)(**{**states, variable: values})
    return np.broadcast_to(made, values.shape).copy()
