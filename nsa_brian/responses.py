"""Activities that a model's network is left with at the end of a round, of one parameter set or of many."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from nsa_brian.codegen.pairs import answers
from nsa_brian.engines.registry import engine_class
from nsa_brian.model.critical import critical
from nsa_brian.model.model import PAPER, Model
from nsa_brian.parameters import NSAParameters
from nsa_brian.preparation import with_prepared

#: Default number of arms, for models in which the final activity depends on it.
ARMS = 10
#: Time step and method of an engine where none are given.
DEFAULTS: Mapping[str, Any] = MappingProxyType({})
#: Options integrated at once.
OPTIONS_AT_ONCE = 2**17


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
    """Return w* among some weights; NaN if there is none."""
    return critical(w, activities_left(parameters, without_noise(model), w, arms, options)[0])


def without_noise(model: Model) -> Model:
    """Return the model without noise."""
    return dataclasses.replace(model, noise=0.0) if model.noise else model


def activities_left(
    parameters: NSAParameters | Sequence[NSAParameters],
    model: Model,
    w: np.ndarray,
    arms: int = ARMS,
    options: Mapping[str, Any] = DEFAULTS,
) -> np.ndarray:
    """Return the activities (2, n) at the end of the first round of a game, of an option with each of n weights.

    Parameters
    ----------
    parameters : NSAParameters, or a sequence of n
        One set for all weights, or one for each.
    model : Model
    w : array (n,)
    arms : int
        Number of options; all others have their initial weight.
    options : mapping
        The engine's ``dt`` and ``method``.
    """
    if model.structure.coordinate and "n_arms" not in model.structure.used:
        return answers(parameters, w, model=model, **options)
    n_arms = arms if model.structure.depends_on_arms else 2
    n_parts = -(-len(w) * n_arms // OPTIONS_AT_ONCE)
    size = -(-len(w) // min(n_parts, len(w)))
    make: Any = engine_class("rounds", model)
    left, engine = [], None
    for i in range(0, len(w), size):  # one game per weight
        part = w[i : i + size]
        if engine is None or not isinstance(parameters, NSAParameters):
            sets = parameters if isinstance(parameters, NSAParameters) else list(parameters[i : i + size])
            n_games = size if isinstance(sets, NSAParameters) else len(sets)
            prepared = with_prepared(model, sets, n_arms, n_games, {"model": model, **options})
            engine = make(n_arms, sets, n_games, rng=np.random.default_rng(0), **prepared)
        engine.reset()
        weights = engine.w.copy()
        weights[: len(part), 0] = part
        engine.set_weights(weights)
        engine.respond()
        left.append(engine.activity[:, : len(part), 0].copy())
    return np.concatenate(left, axis=1)
