"""The ways to run the model, by name. Each is imported when it is asked for."""

from __future__ import annotations

import difflib
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nsa_brian.engines.base import Engine
    from nsa_brian.model.model import Model

#: Name of each engine, with its module and class.
ENGINES = {
    "rounds": ("nsa_brian.engines.rounds", "Rounds"),
    "table": ("nsa_brian.engines.table", "Table"),
    "network": ("nsa_brian.engines.network", "NSANetwork"),
    "spiking": ("nsa_brian.spiking.engine", "SpikingNSA"),
}
DEFAULT_ENGINE = "rounds"

#: The kinds of model, and the engines that run each; the first is its default.
MODELS = {"rate": ("rounds", "table", "network"), "spiking": ("spiking",)}


def engine_class(name: str) -> type[Engine]:
    """The class of an engine; an unknown name is a ValueError that offers the nearest."""
    if name not in ENGINES:
        near = difflib.get_close_matches(name, ENGINES, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise ValueError(f"unknown engine {name!r}; {hint}known: {', '.join(ENGINES)}")
    module, cls = ENGINES[name]
    return getattr(import_module(module), cls)


def engine_of(model: str | None, engine: str | None) -> str | None:
    """The engine that a model and an engine, each given or not, come to; None leaves it to the default.

    Raises
    ------
    ValueError
        If there is no such model, or if the engine does not run it.
    """
    if model is None:
        return engine
    if model not in MODELS:
        raise ValueError(f"model must be one of {', '.join(MODELS)}, got {model!r}")
    if engine is not None and engine not in MODELS[model]:
        raise ValueError(f"the {model} model is run by {' or '.join(MODELS[model])}, not by engine {engine!r}")
    return MODELS[model][0] if engine is None else engine


def refusal(engine: str, model: Model) -> str:
    """Why an engine cannot run a model other than the paper's; empty if it can."""
    if engine in MODELS["spiking"]:
        return f"the engine {engine} has neurons of its own and cannot run the model {model.name}; use rounds"
    return model.refusal(engine)
