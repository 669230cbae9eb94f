"""Engines by name, each imported on first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nsa_brian.errors import closest, shown
from nsa_brian.model.timing import DOUBLE, SINGLE

if TYPE_CHECKING:
    from nsa_brian.engines.base import Engine
    from nsa_brian.model.model import Model

#: Module and class of each engine.
ENGINES = {
    "rounds": ("nsa_brian.engines.rounds", "Rounds"),
    "table": ("nsa_brian.engines.table", "Table"),
    "network": ("nsa_brian.engines.network", "NSANetwork"),
}
#: The engine ``rounds`` for models with populations of many neurons, or of spiking neurons.
COLUMNS = ("nsa_brian.engines.columns", "ColumnRounds")
DEFAULT_ENGINE = "rounds"


def named(engine: str, model: Any) -> tuple[str, Any]:
    """Return engine and model by their current names: ``spiking``, formerly an engine, is a model."""
    if engine != "spiking":
        return engine, model
    if model in (None, engine):
        return DEFAULT_ENGINE, engine
    raise ValueError(f"spiking is a model, not an engine; the engines are {', '.join(ENGINES)}")


def ties_refusal(engine: str, ties: str) -> str:
    """Return why an engine does not support a way to break ties; empty if it does."""
    if engine == "table" and ties == "first":
        return (
            "the engine table cannot play with ties 'first': an exact comparison of its interpolated activities would "
            "compare rounding errors; use rounds"
        )
    return ""


def precision_refusal(engine: str, model: Model | None, precision: str) -> str:
    """Return why an engine does not run a model, None for the paper's, in some precision; empty if it does."""
    if precision == DOUBLE or (engine == "rounds" and model is not None and not model.structure.single):
        return ""
    name = "paper" if model is None else model.name
    return (
        f"precision must be {DOUBLE} for the engine {engine} and the model {name}, got {shown(precision)}; "
        f"{SINGLE} is for the engine rounds and models of many or spiking neurons"
    )


def engine_class(name: str, model: Model | None = None) -> type[Engine]:
    """Return the class of an engine for a model, by default the paper's; raise a ValueError if the name is unknown."""
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
