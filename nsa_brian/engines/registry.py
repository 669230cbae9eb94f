"""The ways to run a model, by name. Each is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nsa_brian.errors import closest, shown

if TYPE_CHECKING:
    from nsa_brian.engines.base import Engine
    from nsa_brian.model.model import Model

#: Name of each engine, with its module and class.
ENGINES = {
    "rounds": ("nsa_brian.engines.rounds", "Rounds"),
    "table": ("nsa_brian.engines.table", "Table"),
    "network": ("nsa_brian.engines.network", "NSANetwork"),
}
#: The engine ``rounds`` of models whose populations have many neurons, or neurons that spike.
COLUMNS = ("nsa_brian.engines.columns", "ColumnRounds")
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


def engine_class(name: str, model: Model | None = None) -> type[Engine]:
    """The class of an engine for a model, by default the paper's; an unknown name is a ValueError with the nearest."""
    if not isinstance(name, str):
        raise ValueError(f"engine must be one of {', '.join(ENGINES)}, got {shown(name)}")
    if name not in ENGINES:
        near = closest(name, ENGINES)
        hint = f"did you mean {near}? " if near else ""
        raise ValueError(f"unknown engine {shown(name)}; {hint}known: {', '.join(ENGINES)}")
    if model is not None and model.refusal(name):
        raise ValueError(model.refusal(name))
    columns = name == "rounds" and model is not None and not model.structure.single
    module, cls = COLUMNS if columns else ENGINES[name]
    return getattr(import_module(module), cls)
