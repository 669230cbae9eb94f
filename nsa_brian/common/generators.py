"""Random generators as data: JSON and arrays, without pickled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from nsa_brian.common.game_streams import GameStreams
from nsa_brian.common.texts import shown

#: Bit generators that can be stored, by name.
BIT_GENERATORS = {name: getattr(np.random, name) for name in ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")}

Arrays = dict[str, np.ndarray]


def to_data(rng: Any) -> tuple[dict[str, Any], Arrays]:
    """Return a JSON object and arrays, from which :func:`from_data` makes the same generator.

    Raises
    ------
    ValueError
        If it is neither one of numpy's generators nor a :class:`GameStreams`.
    """
    if isinstance(rng, GameStreams) and rng._betas is None:
        data = {"generators": [_generator_to_data(each) for each in rng._generators], "next": rng._next}
        return data, {"ahead": rng._ahead.copy()}
    if isinstance(rng, np.random.Generator):
        return {"generators": [_generator_to_data(rng)]}, {}
    raise ValueError(f"only numpy's random generators can be saved, got {shown(rng)}")


def from_data(data: dict[str, Any], arrays: Arrays) -> Any:
    """Return the generator that :func:`to_data` converted."""
    generators = [_generator_from_data(each) for each in data["generators"]]
    if "next" not in data:
        return generators[0]
    streams = GameStreams(generators)
    streams._ahead, streams._next = arrays["ahead"], int(data["next"])
    return streams


def _generator_to_data(generator: np.random.Generator) -> dict[str, Any]:
    bits = generator.bit_generator
    name = type(bits).__name__
    if BIT_GENERATORS.get(name) is not type(bits):
        raise ValueError(f"only numpy's random generators can be saved, got one of {shown(name)}")
    data: dict[str, Any] = {"name": name, "state": _plain(bits.state)}
    seed = bits.seed_seq
    if isinstance(seed, np.random.SeedSequence):  # from which children are spawned
        fields = ("entropy", "spawn_key", "pool_size", "n_children_spawned")
        data["seed"] = {field: _plain(getattr(seed, field)) for field in fields}
    return data


def _generator_from_data(data: dict[str, Any]) -> np.random.Generator:
    seed = data.get("seed")
    bits = BIT_GENERATORS[data["name"]](np.random.SeedSequence(**seed) if seed else None)
    bits.state = data["state"]
    return np.random.Generator(bits)


def _plain(value: Any) -> Any:
    """Return the state of a generator as plain JSON."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(each) for each in value]
    return int(value) if isinstance(value, np.integer) else value
