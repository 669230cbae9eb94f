"""The ways to run the model, by name. Each is imported when it is asked for."""

from __future__ import annotations

import difflib
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nsa_brian.engine import Engine

#: Name of each engine, with its module and class.
ENGINES = {
    "rounds": ("nsa_brian.rounds", "Rounds"),
    "table": ("nsa_brian.table", "Table"),
    "network": ("nsa_brian.network", "NSANetwork"),
}
DEFAULT_ENGINE = "rounds"


def engine_class(name: str) -> type[Engine]:
    """The class of an engine; an unknown name is a ValueError that offers the nearest."""
    if name not in ENGINES:
        near = difflib.get_close_matches(name, ENGINES, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise ValueError(f"unknown engine {name!r}; {hint}known: {', '.join(ENGINES)}")
    module, cls = ENGINES[name]
    return getattr(import_module(module), cls)
