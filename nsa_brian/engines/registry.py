"""The ways to run a model, by name. Each is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nsa_brian.errors import closest

if TYPE_CHECKING:
    from nsa_brian.engines.base import Engine
    from nsa_brian.model.base import AnyModel

#: Name of each engine of rate models, with its module and class.
ENGINES = {
    "rounds": ("nsa_brian.engines.rounds", "Rounds"),
    "table": ("nsa_brian.engines.table", "Table"),
    "network": ("nsa_brian.engines.network", "NSANetwork"),
}
#: The same of models whose neurons spike.
SPIKING_ENGINES = {
    "rounds": ("nsa_brian.spiking.rounds", "SpikingRounds"),
    "network": ("nsa_brian.spiking.network", "SpikingNSA"),
}
DEFAULT_ENGINE = "rounds"


def named(engine: str, model: Any) -> tuple[str, Any]:
    """Engine and model as they are named: ``spiking`` was an engine once, and is a model now."""
    if engine != "spiking":
        return engine, model
    if model in (None, engine):
        return DEFAULT_ENGINE, engine
    raise ValueError(f"spiking is a model and no engine; the engines are {', '.join(ENGINES)}")


def ties_refusal(engine: str, ties: str) -> str:
    """Why an engine cannot break ties in some way; empty if it can."""
    if engine == "table" and ties == "first":
        return (
            "the engine table cannot play with ties 'first': it interpolates activities, and to compare them exactly "
            "is to compare rounding errors; use rounds"
        )
    return ""


def engine_class(name: str, model: AnyModel | None = None) -> type[Engine]:
    """The class of an engine for a model, by default the paper's; an unknown name is a ValueError with the nearest."""
    if name not in ENGINES:
        near = closest(name, ENGINES)
        hint = f"did you mean {near}? " if near else ""
        raise ValueError(f"unknown engine {name!r}; {hint}known: {', '.join(ENGINES)}")
    if model is not None and model.refusal(name):
        raise ValueError(model.refusal(name))
    known = ENGINES if model is None or model.kind == "rate" else SPIKING_ENGINES
    module, cls = known[name]
    return getattr(import_module(module), cls)
