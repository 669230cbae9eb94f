"""The pictures of the page as plain data: curves, and one decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from experiments.core.functions import activities_left, function, holds_for
from experiments.explore.catalogue import Catalogue
from experiments.explore.courses import WEIGHTS, Network, course, left, warm
from experiments.explore.lesion import SILENCE, lesioned
from experiments.explore.view import FieldError, View
from nsa_brian import NSAParameters
from nsa_brian.model.agreement import choice_probabilities
from nsa_brian.model.critical import critical
from nsa_brian.model.model import TOLERANCE, Model
from nsa_brian.model.parts import Choice
from nsa_brian.preparation import LASTING

#: Weights at which spiking or coupled networks are run.
FEWER = 33
#: Activities at which the responses are drawn.
X = np.linspace(-0.2, 2, 221)


@lru_cache(maxsize=8)
def network_of(model: Model, parameters: NSAParameters, arms: int) -> Network:
    """Return the prepared network, cached: panels share its calibration."""
    return Network.of(model, parameters, arms)


def perturbed(network: Network, view: View) -> Network:
    """Return the network with the view's inputs, and with the silenced population."""
    model = lesioned(network.model) if view.silence else network.model
    given = {name: np.array(1.0) for key, name in SILENCE.items() if key in view.silence}
    for name, value in view.inputs.items():
        declared = model.structure.inputs[name]
        chosen = np.ones(view.arms, bool) if view.option < 0 else np.arange(view.arms) == view.option
        given[name] = np.where(chosen, value, declared.default) if declared.per == "option" else np.array(float(value))
    return replace(network, model=model, inputs=given)


def curves(view: View, catalogue: Catalogue) -> dict[str, Any]:
    """Return the functions of the weight and of the activity, with the critical weight w*."""
    model, parameters = view.of(catalogue), view.values(catalogue)
    network = network_of(model, parameters, view.arms)
    alone = warm(model)
    w = np.linspace(0, parameters.w_max, WEIGHTS if alone else FEWER)
    if model.structure.spikes or model.structure.draws:
        ends = _measured(network, w, view.seed)
        star = _lasting(w, ends[0], LASTING if model.structure.populations["u"].spikes else ends[0].max() / 2)
    else:
        ends = left(network, w) if alone else activities_left(parameters, model, w, view.arms)
        star = critical(w, ends[0])
    fine = np.linspace(0, parameters.w_max, WEIGHTS)
    made = {
        name: plain(function(parameters, model, name, variable, values, view.arms))
        for name, variable, values in (
            ("Phi_v", "w", fine), ("Phi_eta", "w", fine), ("phi_u", "u", X), ("phi_v", "v", X),
        )
        if _is_function(model, name, variable)
    }  # fmt: skip
    return {
        "w": plain(fine),
        "x": plain(X),
        "functions": made,
        "left": {"w": plain(w), "u": plain(ends[0]), "v": plain(ends[1])},
        "critical": None if np.isnan(star) else float(star),
        "holds_for": holds_for(model, view.arms),
        "unit": "Hz" if model.structure.spikes else "",
    }


def _is_function(model: Model, name: str, variable: str) -> bool:
    """Return whether a model has an expression that depends on a variable and on nothing else that changes."""
    structure = model.structure
    if name not in structure.expressions:
        return False
    return variable in structure.comes_down_to({name})


def _measured(network: Network, w: np.ndarray, seed: int) -> np.ndarray:
    """Return what U and V show (2, n) at the end of a round, the first option with each of n weights."""
    engine = network.engine(seed, len(w))
    weights = np.zeros((len(w), network.arms))
    weights[:, 0] = w
    engine.set_weights(weights)
    engine.respond()
    return np.array(engine.activity[:, :, 0])


def _lasting(w: np.ndarray, u: np.ndarray, level: float) -> float:
    """Return the weight above which U is above a level, from the share of weights at which it is."""
    share = float((u > level).mean())
    return float(w[-1] * (1 - share)) if 0 < share < 1 else float("nan")


def decision(view: View, catalogue: Catalogue, given: Any = None) -> dict[str, Any]:
    """Return one decision, without and with the perturbation."""
    network = network_of(view.of(catalogue), view.values(catalogue), view.arms)
    w = np.linspace(0, network.parameters.w_max, view.arms)
    if view.weights == "game" and given is not None:
        w = np.array(given, float)
        if w.shape != (view.arms,) or not np.isfinite(w).all():
            raise FieldError("weights", f"the decision needs {view.arms} weights")
    found = {"w": plain(w), "plain": _decided(network, w, view.seed)}
    if view.perturbed:
        found["perturbed"] = _decided(perturbed(network, view), w, view.seed)
    return found


def _decided(network: Network, w: np.ndarray, seed: int) -> dict[str, Any]:
    """Return what U and V do in a round: activities over time, or spikes, and the probability of each choice."""
    structure, names = network.model.structure, ("u", "v")
    borders = [0.0, *(border * network.dt for border in network.borders)]
    on = ["I" in phase.on for phase in structure.before]
    found: dict[str, Any] = {"borders": borders, "on": on}
    rates = [name for name in names if name in structure.populations[name].state]
    if rates:
        t, values = course(network, w, seed)
        found["t"] = plain(t)
        found |= {name: {"lines": plain(values["uv".index(name)].T)} for name in rates}
    if len(rates) == 2 and warm(network.model) and network.model.choice == Choice():
        ends = values[:, -1]
        chosen = choice_probabilities(ends[:, None], "random", TOLERANCE)[0]
    else:
        engine = _run(network, w, seed)
        ends, chosen = engine.activity[:, 0], engine.probabilities()[0]
        for name in names:
            if structure.populations[name].spikes:
                at, neuron = engine.spikes(name)
                before = at < borders[-1]
                per_option = engine.columns.neurons[name] // network.arms
                spikes: Mapping[str, Any] = {
                    "t": plain(at[before]),
                    "i": neuron[before].tolist(),
                    "neurons": per_option,
                }
                found[name] = {"spikes": spikes}
    for row, name in enumerate(names):
        found.setdefault(name, {})["end"] = plain(ends[row])
    found["probabilities"] = plain(chosen)
    return found


def _run(network: Network, w: np.ndarray, seed: int) -> Any:
    recorded = {"record": True} if any(each.spikes for each in network.model.structure.populations.values()) else {}
    engine = network.engine(seed, 1, **recorded)
    engine.set_weights(w)
    engine.respond()
    return engine


def plain(values: np.ndarray) -> list[Any]:
    """Convert an array to lists with about five digits; numbers that are not finite become None."""
    array = np.asarray(values, float)
    finite = np.isfinite(array)
    top = np.abs(array[finite]).max() if finite.any() else 1.0
    rounded: Any = np.round(array, max(0, 5 - int(np.floor(np.log10(max(top, 1e-12))))))
    if not finite.all():
        rounded = rounded.astype(object)
        rounded[~finite] = None
    return rounded.tolist()
