"""Records of games, round by round."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nsa_brian.common.texts import shown

if TYPE_CHECKING:
    from nsa_brian.engines.base import Engine

#: Recorded in every record.
ALWAYS = ("arm", "reward", "agreed")


class Recording:
    """Values of variables in each round, as they were at the choice, and what was chosen.

    Parameters
    ----------
    names : iterable of str
        Variables of options or games: ``u`` and ``v``, variables of the synapse, signals, inputs.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = tuple(dict.fromkeys(names))
        self._rounds: dict[str, list[np.ndarray]] = {name: [] for name in (*ALWAYS, *self.names)}

    @property
    def n_rounds(self) -> int:
        """Number of recorded rounds."""
        return len(self._rounds["arm"])

    def add(self, engine: Engine, arms: np.ndarray, rewards: np.ndarray) -> None:
        """Add a round, before learning."""
        found = {"arm": arms, "reward": np.asarray(rewards, dtype=float), "agreed": engine.agreed}
        found |= {name: value(engine, name) for name in self.names}
        for name, array in found.items():
            self._rounds[name].append(np.array(array))

    def arrays(self, start: int = 0, single: bool = False) -> dict[str, np.ndarray]:
        """Return arrays (rounds, games) and (rounds, games, arms), from a round on; without games if ``single``."""
        found = {}
        for name, rounds in self._rounds.items():
            array = np.array(rounds[start:])
            if array.ndim == 3 and array.shape[2] == 1:  # one value per game
                array = array[:, :, 0]
            found[name] = array[:, 0] if single and array.ndim > 1 else array
        return found

    def snapshot(self) -> dict[str, np.ndarray]:
        """Return the record as arrays."""
        return {f"record {name}": np.array(rounds) for name, rounds in self._rounds.items()}

    @classmethod
    def resumed(cls, snapshot: Mapping[str, np.ndarray]) -> Recording | None:
        """Return the record of a snapshot; None if there is none."""
        stored = {key.removeprefix("record "): each for key, each in snapshot.items() if key.startswith("record ")}
        if not stored:
            return None
        recording = cls(name for name in stored if name not in ALWAYS)
        recording._rounds = {name: list(stored[name]) for name in recording._rounds}
        return recording


def value(engine: Engine, name: str) -> np.ndarray:
    """Return the current value of a variable, (games, arms) or (games, 1)."""
    return engine.activity["uv".index(name)] if name in ("u", "v") else engine.seen([name])[name]


def recordable(engine: Engine, name: Any) -> bool:
    """Return whether an engine has a variable of that name at the end of a round."""
    if name in ("u", "v", *engine.structure.synaptic, *engine.signals, *engine.inputs.now):
        return True
    try:
        return isinstance(name, str) and bool(np.ndim(value(engine, name)))
    except (ValueError, KeyError, StopIteration):
        return False


def check_names(engine: Engine, names: Any) -> Sequence[str]:
    """Return the names of variables to record; raise a ValueError if the engine lacks one."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ValueError(f"record must be a sequence of names, got {shown(names)}")
    names = list(names)
    for name in names:
        if not recordable(engine, name):
            known = dict.fromkeys(["u", "v", *engine.structure.synaptic, *engine.signals, *engine.inputs.now])
            raise ValueError(f"cannot record {shown(name)} by round; the model has {', '.join(known)}")
    return names
