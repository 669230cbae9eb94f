"""Probabilities of the arms in rounds whose choices and rewards are known: the model learns from them.

Where a round depends on the synapse alone, all weights follow from the data first, then the responses of all rounds are
computed at once (:class:`Ahead`). Other models are run round by round (:func:`round_by_round`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from brian2 import second

from nsa_brian.codegen.pairs import Pairs, distinct_values
from nsa_brian.codegen.unit import Unit
from nsa_brian.engines.base import Engine
from nsa_brian.engines.stretch import runaway
from nsa_brian.engines.table import make_table
from nsa_brian.model.agreement import choice_probabilities
from nsa_brian.model.expression import numpy_function
from nsa_brian.model.model import PAPER, Model
from nsa_brian.model.reading import names_in
from nsa_brian.model.structure import SIGNALS
from nsa_brian.parameters import NSAParameters

#: Pairs integrated together.
BATCH = 8192


class Ahead(Engine):
    """Games of given choices and rewards: first the weights of all rounds, then all responses.

    Parameters are those of :class:`nsa_brian.engines.base.Engine`.
    """

    name = "rounds"

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        shape = (self.n_games, self.n_arms)
        self._synapses = {name: np.zeros(shape) for name in self.structure.synaptic}
        self.activity = np.zeros((2, *shape))
        self.reset()
        self._initial = {name: array.copy() for name, array in self._synapses.items()}

    @property
    def synapses(self) -> Mapping[str, np.ndarray]:
        """All variables of the plastic synapses by name."""
        return self._synapses

    @property
    def w(self) -> np.ndarray:  # type: ignore[override]
        """The weights."""
        return self._synapses["w"]

    @property
    def serves(self) -> bool:
        """Whether a round depends on the synapse alone, and the synapse on choices and rewards."""
        structure = self.structure
        return bool(structure.coordinates) and self._end.reads_synapse_alone and not structure.state(SIGNALS)

    def respond(self) -> None:
        """Do nothing: responses follow when all weights are known."""

    def replay(
        self,
        arms: np.ndarray,
        rewards: np.ndarray,
        starts: np.ndarray,
        offered: np.ndarray | None = None,
        table: bool = False,
    ) -> np.ndarray:
        """Return the probabilities of the arms (games, rounds, arms) in each round, given its past.

        Parameters
        ----------
        arms, rewards : array (rounds, games)
        starts : array of bool (rounds,)
            Whether games start anew.
        offered : array of bool (rounds, games, arms), optional
        table : bool
            Look responses up in a table; else they are integrated.
        """
        past = {name: np.empty((len(arms), self.n_games, self.n_arms)) for name in self._synapses}
        for t, (arm, reward) in enumerate(zip(arms, rewards, strict=True)):
            for name, array in self._synapses.items():
                if starts[t]:
                    array[:] = self._initial[name]
                past[name][t] = array
            self._learn(arm, reward)
        if self._watched and not all(np.isfinite(array).all() for array in past.values()):
            raise runaway(self.model)
        ends = self._responses(past, table)
        if self._watched and not np.isfinite(ends).all():
            raise runaway(self.model)
        if self.structure.choice.explore == "1" and not self._end.shows:
            among = None if offered is None else offered.reshape(-1, self.n_arms)
            flat = ends.reshape(2, -1, self.n_arms)
            found = choice_probabilities(flat, self.ties, self.tolerance, None, self.structure.choice.exploit, among)
            return found.reshape(len(arms), self.n_games, self.n_arms).swapaxes(0, 1)
        probable = []
        for t in range(len(arms)):
            self.set_weights(**{name: values[t] for name, values in past.items()})
            self.activity = ends[:, t]
            self.activity = self._end.show(ends[:, t])
            probable.append(masked_probabilities(self, None if offered is None else offered[t]))
        return np.stack(probable, axis=1)

    def _responses(self, past: Mapping[str, np.ndarray], table: bool) -> np.ndarray:
        """Return the activities (2, rounds, games, arms) for synapses (rounds, games, arms)."""
        structure = self.structure
        columns = {name: np.reshape(value, (-1, 1)) if np.ndim(value) else value
                   for name, value in self.constants().items()}  # fmt: skip
        given = {name: past[name] for name in structure.depends_on}
        values = np.stack(
            [np.broadcast_to(numpy_function(name, structure.expressions, columns)(**given), past["w"].shape)
             for name in structure.coordinates]
        )  # fmt: skip
        # An option responds as in the round before unless its synapse has changed.
        values = np.moveaxis(values, 1, 3)
        changed = np.ones(values.shape[1:], dtype=bool)
        changed[..., 1:] = (values[..., 1:] != values[..., :-1]).any(axis=0)
        sets, which = responses_of(self.model, self.values, structure.coordinates)
        which = np.broadcast_to(which[:, None, None], changed.shape)[changed]
        find = looked_up if table else integrated
        found = find(self, sets, which, np.ascontiguousarray(values[:, changed]))
        place = np.cumsum(changed.reshape(-1)) - 1
        return np.moveaxis(found[:, place].reshape(2, *changed.shape), 3, 1)


def responses_of(
    model: Model, values: Sequence[Mapping[str, float]], coordinates: tuple[str, ...]
) -> tuple[list[int], np.ndarray]:
    """Return one game for each distinct response of options, and which of them each game has.

    Sets whose parameters differ only in the learning rule or in the option value function have the same response.
    """
    names = sorted(_names_in_a_round(model, coordinates))
    distinct, which_values = distinct_values(values)
    index: dict[tuple[float, ...], int] = {}
    which = [index.setdefault(tuple(each[name] for name in names), len(index)) for each in distinct]
    of_game = np.array(which)[which_values]
    return [int(np.argmax(of_game == i)) for i in range(len(index))], of_game


@lru_cache(maxsize=64)
def _names_in_a_round(model: Model, coordinates: tuple[str, ...]) -> frozenset[str]:
    """Return the parameters that a round depends on, given its coordinates."""
    names = Unit(model, coordinates).names.union(*(names_in(phase.duration) for phase in model.structure.phases))
    scale = {"w_max"} if "w" in coordinates else set()  # the range of a table
    return frozenset(model.declared) & (names | scale)


def response_parameters(model: Model | None = None) -> frozenset[str]:
    """Return the parameters that the response of an option depends on, besides its value; None is the paper's model."""
    model = PAPER if model is None else model
    return _names_in_a_round(model, model.structure.coordinates)


def integrated(engine: Ahead, sets: Sequence[int], which: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Integrate rounds for coordinates (coordinates, n); equal ones once. Return activities (2, n)."""
    names, inverse = engine.structure.coordinates, None
    if len(names) == 1:  # complex numbers sort by their real part first
        keys = np.empty(len(which), complex)
        keys.real, keys.imag = which, values[0]  # not which + 1j * values, whose real part is NaN where one is infinite
        distinct, inverse = np.unique(keys, return_inverse=True)
        which, values = distinct.real.astype(np.intp), distinct.imag[None]
    numbers = [engine.values[game] for game in sets]
    pairs = Pairs(numbers, min(BATCH, len(which)), engine.dt, engine.method, names, engine.model)
    parts = []
    for start in range(0, len(which), BATCH):
        these = slice(start, start + BATCH)
        given = dict(zip(names, values[:, these], strict=True))
        parts.append(pairs.respond(which[these], given)[:2])
    found = np.concatenate(parts, axis=1)
    return found if inverse is None else found[:, inverse.reshape(-1)]


def looked_up(engine: Ahead, sets: Sequence[int], which: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Look rounds up in a table for coordinates (coordinates, n). Return activities (2, n)."""
    model, used = engine.model, _names_in_a_round(engine.model, engine.structure.coordinates)
    unused = {name: info.default for name, info in model.declared.items() if name not in used}
    parameters = tuple(engine.parameters[game].replace(**unused) for game in sets)  # equal for equal responses
    table = _table(model, parameters, float(engine.dt), engine.method)
    return table.look_up(which, values[0] if len(values) == 1 else values)


@lru_cache(maxsize=4)
def _table(model: Model, parameters: tuple[NSAParameters, ...], dt: float, method: str) -> Any:
    """Return the table of some responses, to which look-ups add."""
    return make_table(model, parameters, dt=dt * second, method=method)


def masked_probabilities(engine: Engine, offered: np.ndarray | None) -> np.ndarray:
    """Return the choice probabilities (games, arms) for the engine's activities, of the offered arms only."""
    choice, activity = engine.structure.choice, engine.activity
    among = None if offered is None else np.broadcast_to(offered, activity.shape[1:])
    weigh = engine._end.weigh(activity, among=among)
    return choice_probabilities(activity, engine.ties, engine.tolerance, weigh, choice.exploit, among)


def round_by_round(
    engine: Engine, arms: np.ndarray, rewards: np.ndarray, starts: np.ndarray, offered: np.ndarray | None = None
) -> np.ndarray:
    """Return the probabilities of the arms (games, rounds, arms) in each round, given its past, for any engine.

    Parameters are an engine and those of :meth:`Ahead.replay`.
    """
    found = np.empty((engine.n_games, len(arms), engine.n_arms))
    for t, (arm, reward) in enumerate(zip(arms, rewards, strict=True)):
        if t and starts[t]:
            engine.reset()
            engine.inputs.skip(t)  # they are given by rounds of the data, not of the block
        engine.respond()
        found[:, t] = masked_probabilities(engine, None if offered is None else offered[t])
        engine.learn(arm, reward)
    return found
