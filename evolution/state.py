"""Validation of the state of a single run when a checkpoint is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from nsa_brian.common.texts import shown

if TYPE_CHECKING:
    from evolution.settings import SearchSettings

#: The logbook's columns.
COLUMNS = ("generation", "restart", "population", "best", "mean", "low", "high", "optimum", "regret", "sigma")
#: Those of them that only games have.
OF_GAMES = ("optimum", "regret")
#: The number of individuals that meet the requirements, a column of searches that have some.
MET = "met"

#: The state of DEAP's strategy, with the shapes for n genes.
STRATEGY = {
    "centroid": "n",
    "sigma": "",
    "pc": "n",
    "ps": "n",
    "C": "nn",
    "B": "nn",
    "diagD": "n",
    "cond": "",
    "update_count": "",
}

#: All arrays; a row for each individual or centre (-), a column for each gene (n) or for both scores (2).
_ARRAYS = {
    **{f"strategy_{name}": shape for name, shape in STRATEGY.items()},
    "hall_genes": "-n",
    "hall_scores": "-2",
    "centres": "-n",
    "population_genes": "-n",
    "population_scores": "-2",
}


def columns_of(settings: SearchSettings, custom_fitness: str = "") -> tuple[str, ...]:
    """Return the columns of a search's logbook; a custom fitness has neither an optimum nor a regret."""
    columns = tuple(name for name in COLUMNS if not custom_fitness or name not in OF_GAMES)
    return (*columns, MET) if settings.require else columns


def check_state(state: Mapping[str, Any], n_genes: int, columns: tuple[str, ...] = COLUMNS) -> None:
    """Raise a ValueError if this is not the state of a search with so many genes."""
    sizes = {"n": n_genes, "2": 2}
    generation = state.get("generation")
    for name, letters in _ARRAYS.items():
        array = state.get(name)
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "iuf":
            raise ValueError(f"{name} must be an array of numbers")
        may_degenerate = name.startswith("strategy_") and name != "strategy_centroid"
        if not may_degenerate and not np.isfinite(array).all():
            raise ValueError(f"{name} must be an array of finite numbers")
        if letters[:1] == "-" and array.shape == (0,):
            continue  # before the first generation, or none met the requirements
        wanted = tuple(len(array) if array.ndim and letter == "-" else sizes.get(letter, 0) for letter in letters)
        if array.shape != wanted:
            raise ValueError(f"{name} has the shape {array.shape}, for {n_genes} genes it must be {wanted}")
    for kind in ("hall", "population"):
        if len(state[f"{kind}_genes"]) != len(state[f"{kind}_scores"]):
            raise ValueError(f"{kind}_scores must have a row for each of {kind}_genes")
    logbook = state.get("logbook")
    if not isinstance(logbook, list) or not all(_is_record(record, columns) for record in logbook):
        raise ValueError(f"logbook must be a list of records with {', '.join(columns)}")
    for name in ("generation", "restart"):
        if type(state.get(name)) is not int or state[name] < 0:
            raise ValueError(f"{name} must be a whole number from 0 up, got {shown(state.get(name))}")
    none = MET in columns and bool(logbook) and not logbook[-1][MET]
    if generation != len(logbook) or bool(generation) != bool(len(state["population_genes"]) or none):
        raise ValueError(f"generation is {generation}, the logbook has {len(logbook)} records")


def _is_record(record: Any, columns: tuple[str, ...]) -> bool:
    return (
        isinstance(record, dict)
        and set(record) == set(columns)
        and all(type(value) in (int, float) for value in record.values())
    )
