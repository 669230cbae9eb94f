"""The state of a Brian2 network as arrays, and files that hold some of them by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from brian2 import Network

from nsa_brian.common.archive import ArchiveFormat, Arrays
from nsa_brian.common.generators import from_data, to_data
from nsa_brian.common.lock import Lock
from nsa_brian.common.texts import shown

#: A file with states of a network.
STATES = ArchiveFormat("nsa-network-states", 1, "a file with states of an NSANetwork")
#: Name under which the network stores its state for a moment; the entry of a synaptic pathway with its queue.
_NOW, _QUEUE = "nsa_brian snapshot", "_spikequeue"


def network_arrays(network: Network) -> dict[str, np.ndarray]:
    """Return what ``Network.store`` stores, except Brian2's random numbers, which are not used."""
    network.store(_NOW)
    state = network._stored_state.pop(_NOW)
    del state["_random_generator_state"]
    found = {"network t": np.array(state.pop("0_t"))}
    for owner, variables in state.items():
        for name, value in variables.items():
            key = f"network {owner}.{name}"
            # Spikes that are under way are a number and lists of numbers.
            found[key] = (
                np.array(json.dumps(value, default=np.ndarray.tolist)) if name == _QUEUE else np.array(value[0])
            )
    return found


def restore_network(network: Network, arrays: dict[str, np.ndarray]) -> None:
    """Set the state of a network with the same objects.

    Raises
    ------
    ValueError
        If the objects have other names or sizes.
    """
    state: dict[str, Any] = {}
    for key, array in arrays.items():
        if key.startswith("network ") and key != "network t":
            owner, _, name = key.removeprefix("network ").rpartition(".")
            size = array.shape if array.ndim > 1 else array.size
            state.setdefault(owner, {})[name] = _queue(str(array)) if name == _QUEUE else (array, size)
    state["0_t"] = float(arrays["network t"])
    network._stored_state[_NOW] = state
    try:
        network.restore(_NOW)
    except (KeyError, ValueError) as error:
        why = error.args[0] if error.args else type(error).__name__
        raise ValueError(f"the stored state is of another network: {why}") from None
    finally:
        del network._stored_state[_NOW]


def _queue(text: str) -> Any:
    """Return the state of a queue of spikes."""
    found = json.loads(text)
    return found if found is None else tuple(found)


def write_state(path: str | Path, name: str, arrays: Arrays, rng: Any) -> None:
    """Add a state to a file, or replace the one of that name; other states in it stay."""
    path = Path(path)
    data, drawn = to_data(rng)
    own = {**arrays, **{f"rng {key}": array for key, array in drawn.items()}}
    with Lock(path.parent, path.name, wait=True):  # another process may add a state of its own
        states, stored = _read(path) if path.exists() else ({}, {})
        stored = {key: array for key, array in stored.items() if not _belongs(key, name)}
        STATES.write(path, {"states": {**states, name: data}}, {**stored, **{f"{name}|{k}": v for k, v in own.items()}})


def read_state(path: str | Path, name: str) -> tuple[Arrays, Any]:
    """Return the arrays and the random generator of a state in a file."""
    states, stored = _read(Path(path))
    if name not in states:
        raise KeyError(f"nothing was stored under the name {shown(name)} in {path}; it has {', '.join(states)}")
    own = {key.rpartition("|")[2]: array for key, array in stored.items() if _belongs(key, name)}
    drawn = {key.removeprefix("rng "): array for key, array in own.items() if key.startswith("rng ")}
    return own, from_data(states[name], drawn)


def _read(path: Path) -> tuple[dict[str, Any], Arrays]:
    meta, arrays = STATES.read(path, "states")
    return meta["states"], arrays


def _belongs(key: str, name: str) -> bool:
    """Return whether an array of a file belongs to the state of that name; arrays have no ``|`` in their names."""
    return key.rpartition("|")[0] == name
