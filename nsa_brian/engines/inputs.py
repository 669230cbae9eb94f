"""External inputs of a model, round by round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from nsa_brian.common.checks import REAL
from nsa_brian.common.texts import shown
from nsa_brian.errors import closest
from nsa_brian.model.model import Model
from nsa_brian.model.reading import unit_of


class Inputs:
    """Values of a model's inputs for a batch of games.

    Parameters
    ----------
    model : Model
    n_games, n_arms : int
    given : mapping, optional
        Arrays by name, in the input's unit. An input per option has shape (rounds, arms), the same for all games, or
        (rounds, games, arms); an input per game (rounds,) or (rounds, games). In later rounds an input has its default.

    Attributes
    ----------
    now : dict
        Values in the current round in SI units, (games, arms) or (games, 1) each.
    """

    def __init__(self, model: Model, n_games: int, n_arms: int, given: Mapping[str, Any] | None = None) -> None:
        self._model, self._size = model, (n_games, n_arms)
        self._declared = model.structure.inputs
        self._round = 0
        self._given: dict[str, np.ndarray] = {}
        self.now = {name: self._default(name).copy() for name in self._declared}
        self.give(given or {})

    def _default(self, name: str) -> np.ndarray:
        declared = self._declared[name]
        width = self._size[1] if declared.per == "option" else 1
        return np.full((self._size[0], width), declared.default * float(unit_of(declared.unit)))

    def give(self, given: Mapping[str, Any]) -> None:
        """Set the values from the next round on."""
        self._given, self._round = self.arrays(given), 0
        self._show()

    def arrays(self, given: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """Check values; return them in SI units, (rounds, games, arms) or (rounds, games, 1) each."""
        if not isinstance(given, Mapping):
            raise ValueError(f"inputs must be a mapping of names to arrays, got {shown(given)}")
        n_games, n_arms = self._size
        found = {}
        for name, values in given.items():
            if name not in self._declared:
                near = closest(str(name), self._declared)
                known = ", ".join(self._declared) or "none"
                hint = f"did you mean {near}?" if near else f"it has {known}"
                raise ValueError(f"the model {self._model.name} has no input {shown(name)}; {hint}")
            array, declared = np.asarray(values), self._declared[name]
            if array.dtype.kind not in REAL or not np.isfinite(array.astype(float)).all():
                raise ValueError(f"input {name} must be finite numbers, got {shown(values)}")
            width = n_arms if declared.per == "option" else 1
            whole = array if declared.per == "option" else array[..., None]
            if whole.ndim == 2:
                whole = whole[:, None, :]
            if whole.ndim != 3 or whole.shape[1] not in (1, n_games) or whole.shape[2] != width or not len(whole):
                legal = f"(rounds, {n_arms}) or (rounds, {n_games}, {n_arms})"
                legal = legal if declared.per == "option" else f"(rounds,) or (rounds, {n_games})"
                raise ValueError(f"input {name} must be of shape {legal}, got {array.shape}")
            scaled = whole.astype(float) * float(unit_of(declared.unit))
            found[name] = np.broadcast_to(scaled, (len(whole), n_games, width))
        return found

    def next(self) -> None:
        """Advance to the next round."""
        if self._given:
            self._round += 1
            self._show()

    def reset(self) -> None:
        """Go back to the first round."""
        self._round = 0
        self._show()

    def ahead(self, n_rounds: int) -> dict[str, np.ndarray]:
        """Return the values of the next rounds, (rounds, games, arms) or (rounds, games, 1) each."""
        found = {}
        for name in self._declared:
            part = self._given.get(name, np.empty((0,)))[self._round : self._round + n_rounds]
            rest = np.broadcast_to(self._default(name), (n_rounds - len(part), *self._default(name).shape))
            found[name] = np.concatenate([part, rest]) if len(part) else rest
        return found

    def skip(self, n_rounds: int) -> None:
        """Advance by ``n_rounds`` rounds."""
        self._round += n_rounds
        self._show()

    def snapshot(self) -> dict[str, np.ndarray]:
        """Return the values that were given, and the current round."""
        given = {f"given {name}": np.array(array) for name, array in self._given.items()}
        return {**given, "round of inputs": np.array(self._round)}

    def resume(self, snapshot: Mapping[str, np.ndarray]) -> None:
        """Set values and round to those of a snapshot."""
        self._round = int(snapshot["round of inputs"])
        self._given = {name: snapshot[f"given {name}"] for name in self._declared if f"given {name}" in snapshot}
        for name, array in self._given.items():
            if array.ndim != 3 or array.shape[1:] != self.now[name].shape:
                raise ValueError(f"the stored values of input {name} must be (rounds, *{self.now[name].shape})")
        self._show()

    def _show(self) -> None:
        for name, now in self.now.items():
            given = self._given.get(name)
            now[:] = given[self._round] if given is not None and self._round < len(given) else self._default(name)
