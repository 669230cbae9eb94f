"""The state of an engine as arrays, and pickling, copying and rebuilding of engines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from nsa_brian.engines.base import Engine

#: Arrays of a snapshot by name.
Snapshot = dict[str, np.ndarray]


def settings_of(engine: Engine) -> dict[str, Any]:
    """Return the keywords with which an engine like this one is made, except its random generator."""
    tolerance = engine.tolerance
    return {
        "n_arms": engine.n_arms,
        "parameters": engine.parameters,
        "n_games": engine.n_games,
        "ties": engine.ties,
        "tolerance": None if np.ndim(tolerance) else tolerance,  # two numbers are the model's default
        "model": engine.model,
        "dt": engine.dt,
        "method": engine.method,
        "prepared": engine.values,
        "lenient": engine.lenient,
        "precision": engine.precision,
        **engine.own_settings(),
    }


def rebuilt(kind: type[Engine], settings: dict[str, Any], snapshot: Snapshot, rng: Any) -> Engine:
    """Return an engine with the given settings, state and random generator."""
    # A generator of its own while it is made: what is drawn then is in the snapshot.
    engine = kind(**settings, rng=np.random.default_rng(0))
    engine.resume(snapshot)
    engine.rng = rng
    return engine


def read(snapshot: Snapshot, name: str, like: np.ndarray) -> np.ndarray:
    """Return an array of a snapshot.

    Raises
    ------
    ValueError
        If it is missing, or differs from ``like`` in shape or kind of numbers.
    """
    found = snapshot.get(name)
    if found is None:
        raise ValueError(f"the stored state has no {name}")
    if found.shape != like.shape or found.dtype != like.dtype:
        raise ValueError(
            f"the stored state of {name} must be {like.dtype} of shape {like.shape}, "
            f"got {found.dtype} of shape {found.shape}"
        )
    return found
