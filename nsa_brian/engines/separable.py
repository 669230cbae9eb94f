"""What the fast engines have in common where each option decides for itself."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from nsa_brian.codegen.code_objects import NumpyRound, code_object_class
from nsa_brian.codegen.integrator import Integrator
from nsa_brian.codegen.pairs import distinct_values
from nsa_brian.codegen.stretch import Grid, Players
from nsa_brian.common.overrides import overrides
from nsa_brian.engines.base import Engine
from nsa_brian.engines.stretch import CompiledRounds, Stretch


class Separable(Engine):
    """Activities option by option: only those whose synapse has changed need a new answer.

    Activities are those at the end of the last round; after :meth:`set_weights`, those of a round with these weights.
    Weights, activities and states are read-only views: ``set_weights`` replaces weights.

    A subclass says how options answer to their synapses.

    Attributes
    ----------
    plays_compiled : bool
        Whether compiled rounds do what the methods do. Declared by ``class Name(Separable, compiled=True)`` and
        inherited; not if a subclass overrides one of the methods of a round.
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
        #: What options answer with: the activities, and what else rules and the choice read.
        self.outputs: tuple[str, ...] = ("u", "v")
        self.ends = np.zeros((len(self.outputs), *shape))
        self._shown = np.zeros((2, *shape))  # by U and V, where the choice says what
        self.stale: np.ndarray | None = None  # places in the flattened arrays
        self._uniform = False  # all options of a game have the same synapse, and no answer yet
        self._by_hand = False  # the synapses were changed since the last round, and not by learning

    @abstractmethod
    def answer(self, places: np.ndarray) -> np.ndarray:
        """The outputs at a round's end (outputs, n) of options at some places (n,) of the flattened arrays."""

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
        """What U and V showed at a round's end, a read-only view."""
        self._look()
        return read_only(self._shown if self._end.shows else self.ends[:2])

    def state(self, name: str) -> np.ndarray:
        """A state variable of the neurons at a round's end, a read-only view."""
        self._look()
        return read_only(self.ends[self.outputs.index(name)])

    def _look(self) -> None:
        """Bring answers up to date where synapses were changed by hand."""
        if self._by_hand:
            self.refresh()
            self._by_hand = False
            self._show()

    def _show(self) -> None:
        """What U and V show now, to be kept until the next round is over."""
        if self._end.shows:
            self._by_hand = False
            self._shown[:] = self._end.show(self.ends[:2])

    def stretch(self, *, lenient: bool = False) -> Stretch:
        """Many rounds at once, compiled; round by round without a compiler, or if not :attr:`plays_compiled`."""
        if not self.plays_compiled or issubclass(code_object_class(), NumpyRound):
            return super().stretch(lenient=lenient)
        sets, which = distinct_values(self.values)
        lasting, pools = self._going_on()
        ways = (self._shown, self.ties, self.tolerance)
        players = Players(self.model, sets, which, lasting, self.ends, self.outputs, *ways, pools, self.signals)
        return CompiledRounds(self, players, self.answers(), lenient)

    @abstractmethod
    def answers(self) -> Grid | Integrator:
        """How options answer in compiled rounds."""

    def _going_on(self) -> tuple[Mapping[str, np.ndarray], Mapping[str, np.ndarray]]:
        """What goes on from round to round: of options, (games, arms) each, and of pools, (games,) each."""
        return self._synapses, {}

    def _variables(self) -> Mapping[str, np.ndarray]:
        return self._synapses

    def respond(self) -> None:
        """Bring u and v up to date where a synapse has changed."""
        self.refresh()
        self._show()

    def refresh(self) -> None:
        """Bring the answers up to date where a synapse has changed."""
        self._by_hand = False
        if self._uniform:
            self._uniform = False
            self.ends[:] = self.answer(self._first)[:, :, None]
        if self.stale is not None:
            places, self.stale = self.stale, None
            self.ends.reshape(len(self.ends), -1)[:, places] = self.answer(places)

    def _learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        """Apply the learning rule, and remember which synapses it changed."""
        self.refresh()  # in case nobody looked since the last time
        if not self._end.by_statements:
            super()._learn(arms, rewards)
            self.stale = self._first + arms
            return
        before = {name: array.copy() for name, array in self._synapses.items()}
        super()._learn(arms, rewards)
        changed = np.zeros((self.n_games, self.n_arms), dtype=bool)
        for name, array in self._synapses.items():
            changed |= array != before[name]
        self.stale = np.flatnonzero(changed)

    def reset(self) -> None:
        """Forget everything: the synapses start their game anew, and so one answer serves all arms of a game."""
        super().reset()
        self.stale, self._uniform, self._by_hand = None, True, True

    def set_weights(self, w: np.ndarray, **others: np.ndarray) -> None:
        """Put in weights, and other variables of the synapses by name: (games, arms), or (arms,) for all games."""
        super().set_weights(w, **others)
        self.stale, self._uniform, self._by_hand = np.arange(self.n_games * self.n_arms), False, True


def read_only(array: np.ndarray) -> np.ndarray:
    """A view that refuses to be written to, where writing would change nothing."""
    view = array.view()
    view.flags.writeable = False
    return view
