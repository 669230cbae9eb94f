"""Base class of the fast engines, in which options respond independently."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from nsa_brian.codegen.code_objects import NumpyRound, code_object_class
from nsa_brian.codegen.integrator import Integrator
from nsa_brian.codegen.pairs import distinct_values
from nsa_brian.codegen.stretch import Cells, Grid, Players
from nsa_brian.common.overrides import overrides
from nsa_brian.engines.base import Engine
from nsa_brian.engines.snapshot import Snapshot, read
from nsa_brian.engines.stretch import CompiledRounds, Stretch


class Separable(Engine):
    """Base class of engines that update only the options whose synapse has changed.

    Activities are those at the end of the last round; after :meth:`set_weights`, those of a round with these weights.
    Weights, activities and states are read-only views: ``set_weights`` replaces weights.

    A subclass defines how options respond, given their synapses.

    Attributes
    ----------
    plays_compiled : bool
        Whether compiled rounds may replace the methods. Declared by ``class Name(Separable, compiled=True)`` and
        inherited, unless a subclass overrides a method of a round.
    """

    plays_compiled: ClassVar[bool] = False

    def __init_subclass__(cls, compiled: bool = False, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        parent = next(base for base in cls.__mro__[1:] if issubclass(base, Separable))
        if compiled:
            cls.plays_compiled = True
        elif overrides(cls, parent, "respond", "answer", "select", "learn", "_learn"):
            cls.plays_compiled = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        shape = (self.n_games, self.n_arms)
        self._synapses = {name: np.zeros(shape) for name in self.structure.synaptic}
        #: Names of an option's outputs: the activities, and other variables that rules and the choice read.
        self.outputs: tuple[str, ...] = ("u", "v")
        self.ends = np.zeros((len(self.outputs), *shape))
        self._shown = np.zeros((2, *shape))  # outputs of U and V, if the model's choice defines them
        self.stale: np.ndarray | None = None  # options to update, as indices into the flattened arrays
        self._uniform = False  # all options of a game have the same synapse, and no response yet
        self._by_hand = False  # the synapses were changed since the last round, but not by learning

    @abstractmethod
    def answer(self, places: np.ndarray) -> np.ndarray:
        """Return the outputs (outputs, n) at a round's end of options, given as indices (n,) into flattened arrays."""

    @property
    def synapses(self) -> Mapping[str, np.ndarray]:
        """All variables of the plastic synapses by name; read-only views."""
        return {name: read_only(array) for name, array in self._synapses.items()}

    @property
    def w(self) -> np.ndarray:  # type: ignore[override]
        """The weights, a read-only view: change them with ``set_weights``."""
        return read_only(self._synapses["w"])

    @property
    def activity(self) -> np.ndarray:  # type: ignore[override]
        """Output of U and V at a round's end, a read-only view."""
        self._look()
        return read_only(self._shown if self._end.shows else self.ends[:2])

    def state(self, name: str) -> np.ndarray:
        """Return a state variable of the neurons at a round's end, a read-only view."""
        self._look()
        return read_only(self.ends[self.outputs.index(name)])

    def _look(self) -> None:
        """Update the responses of options whose synapse the user changed."""
        if self._by_hand:
            self.refresh()
            self._by_hand = False
            self._show()

    def _show(self) -> None:
        """Store the outputs of U and V until the end of the next round."""
        if self._end.shows:
            self._by_hand = False
            self._shown[:] = self._end.show(self.ends[:2])

    def stretch(self, *, lenient: bool = False) -> Stretch:
        """Return a compiled stretch; round by round without a compiler, or if not :attr:`plays_compiled`."""
        if not self.plays_compiled or issubclass(code_object_class(), NumpyRound):
            return super().stretch(lenient=lenient)
        sets, which = distinct_values(self.values)
        lasting, pools = self._going_on()
        ways = (self._shown, self.ties, self.tolerance)
        players = Players(self.model, sets, which, lasting, self.ends, self.outputs, *ways, pools, self.signals)
        return CompiledRounds(self, players, self.answers(), lenient)

    @abstractmethod
    def answers(self) -> Grid | Cells | Integrator:
        """Return how options respond in compiled rounds."""

    def _going_on(self) -> tuple[Mapping[str, np.ndarray], Mapping[str, np.ndarray]]:
        """Return the state that lasts from round to round: of options, (games, arms), and of pools, (games,)."""
        return self._synapses, {}

    def _lasting_arrays(self) -> dict[str, np.ndarray]:
        synapses = {f"synapse {name}": array for name, array in self._synapses.items()}
        return {**super()._lasting_arrays(), **synapses, "ends": self.ends, "shown": self._shown}

    def snapshot(self) -> Snapshot:
        """Return the state; see :meth:`nsa_brian.engines.base.Engine.snapshot`."""
        pending = np.array([self._uniform, self._by_hand, self.stale is not None])
        stale = np.empty(0, np.intp) if self.stale is None else np.array(self.stale)
        return {**super().snapshot(), "pending": pending, "stale": stale}

    def resume(self, snapshot: Snapshot) -> None:
        """Set the state; see :meth:`nsa_brian.engines.base.Engine.resume`."""
        super().resume(snapshot)
        self._uniform, self._by_hand, some = read(snapshot, "pending", np.empty(3, bool)).tolist()
        # A new array: compiled rounds update what changed since they played last.
        self.stale = np.array(snapshot["stale"], np.intp) if some else None

    def _variables(self) -> Mapping[str, np.ndarray]:
        return self._synapses

    def respond(self) -> None:
        """Update u and v of options whose synapse has changed."""
        self.refresh()
        self._show()

    def refresh(self) -> None:
        """Update the responses of options whose synapse has changed."""
        self._by_hand = False
        if self._uniform:
            self._uniform = False
            self.ends[:] = self.answer(self._first)[:, :, None]
        if self.stale is not None:
            places, self.stale = self.stale, None
            self.ends.reshape(len(self.ends), -1)[:, places] = self.answer(places)

    def _learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        """Apply the learning rule, and mark the options that it changed, in variables that a round reads."""
        self.refresh()  # in case of changes that are still pending
        if not self._end.by_statements:
            super()._learn(arms, rewards)
            self.stale = self._first + arms
            return
        before = {name: self._synapses[name].copy() for name in self.structure.depends_on}
        super()._learn(arms, rewards)
        changed = np.zeros((self.n_games, self.n_arms), dtype=bool)
        for name, array in before.items():
            changed |= self._synapses[name] != array
        self.stale = np.flatnonzero(changed)

    def reset(self) -> None:
        """Reset synapses, signals and inputs; all arms of a game then have the same response."""
        super().reset()
        self.stale, self._uniform, self._by_hand = None, True, True

    def set_weights(self, w: np.ndarray, **others: np.ndarray) -> None:
        """Replace the weights, and other variables of the synapses by name: (games, arms), or (arms,) for all games."""
        super().set_weights(w, **others)
        self.stale, self._uniform, self._by_hand = np.arange(self.n_games * self.n_arms), False, True


def read_only(array: np.ndarray) -> np.ndarray:
    """Return a read-only view, for arrays where writing would have no effect."""
    view = array.view()
    view.flags.writeable = False
    return view
