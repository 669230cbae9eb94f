"""A stretch of rounds of many games in one call: answer, select, pay and learn in compiled code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from brian2 import ms
from brian2.codegen.codeobject import create_runner_codeobj
from brian2.codegen.generators.cpp_generator import c_data_type

from nsa_brian.codegen.code_objects import code_object_class
from nsa_brian.codegen.group import UnitGroup
from nsa_brian.codegen.integrator import Integrator
from nsa_brian.model.model import Model
from nsa_brian.model.reading import Value, names_in, plain
from nsa_brian.model.structure import closure


@dataclass
class Grid:
    """Answers that are looked up, in the arrays of a response table, which grows.

    Attributes
    ----------
    coordinate : str
        What they are looked up by.
    parts : array of int (sets, cells)
        The parts of a cell; 0 where it is still to be made.
    offsets : array of int (sets, cells)
        Where its points begin.
    points : array (n, 2)
        Of u and v.
    scale : array (sets,)
        The coordinate at the table's end.
    finite : bool
        Whether all points are numbers.
    """

    coordinate: str
    parts: np.ndarray
    offsets: np.ndarray
    points: np.ndarray
    scale: np.ndarray
    finite: bool


@dataclass(frozen=True)
class Players:
    """The games of an engine: what a stretch works on, in the engine's own arrays.

    Attributes
    ----------
    model : Model
    values : sequence of mapping
        The sets: numbers in SI units by name.
    which : array of int (games,)
        The set of each game.
    lasting : mapping
        What goes on from round to round, (games, arms) each: the synapses' variables, and what is carried over.
    ends : array (outputs, games, arms)
        What options answered.
    outputs : tuple of str
        The names of the answers, u and v first.
    pools : mapping
        The state of the games' own populations, (games,) each.
    signals : mapping
        The games' signals, (games,) each.
    shown : array (2, games, arms)
        What U and V showed, where a choice says what that is.
    ties, tolerance
        See :func:`nsa_brian.model.agreement.select`.
    """

    model: Model
    values: Sequence[Mapping[str, float]]
    which: np.ndarray
    lasting: Mapping[str, np.ndarray]
    ends: np.ndarray
    outputs: tuple[str, ...]
    shown: np.ndarray
    ties: str
    tolerance: float
    pools: Mapping[str, np.ndarray] = field(default_factory=dict)
    signals: Mapping[str, np.ndarray] = field(default_factory=dict)


#: What the choice knows besides what options show, in compiled code.
OF_CHOICE = {
    "u_top": "nsa::most_of(_u, _n_arms)",
    "v_top": "nsa::most_of(_v, _n_arms)",
    "best_u": "_k == _k_u",
    "best_v": "_k == _k_v",
    "u_at_v": "_u[_k_v]",
    "v_at_u": "_v[_k_u]",
}

#: Whole numbers that compiled code is given, by name; it sets the last one: to 1 where activities are not finite, to 2
#: and more where a variable of the synapse, a signal, or the weight of an option that may be explored is not.
#: ``stride`` leads from one round's probabilities to the next one's.
SIZES = (
    "n_games",
    "n_arms",
    "n_rounds",
    "n_rows",
    "stride",
    "cells",
    "random",
    "watch",
    "lenient",
    "runaway",
)


class CompiledStretch:
    """The compiled rounds of some players.

    Parameters
    ----------
    players : Players
    answers : Grid or Integrator
    watched : bool
        Whether activities may become infinite, or no numbers at all.
    lenient : bool
        What to do then: with it, such neurons count as silent, and such synapses start anew at 0. Else it is an error.

    Attributes
    ----------
    earned : array (games,)
        The probabilities of the arms chosen so far, added up.
    changed : array of bool (games, arms)
        Options whose synapse has changed since they answered, where the learning rule is statements.
    pulled : array of int (games,)
        The one option of each game of which that is so, or -1, where the learning rule is an expression.
    """

    def __init__(self, players: Players, answers: Grid | Integrator, watched: bool, lenient: bool) -> None:
        model, structure = players.model, players.model.structure
        n_games, n_arms = players.ends.shape[1:]
        self._by_statements = not isinstance(structure.rule, Value)
        self._grid = answers if isinstance(answers, Grid) else None
        self._synaptic = structure.synaptic
        choice, self._signals = structure.choice, [*players.signals]
        values = [{**each, "n_arms": float(n_arms)} for each in players.values]
        learn, lines = _rule(model)
        shown = {f"_shown_{name}": text for name, text in (("u", choice.u), ("v", choice.v)) if text}
        blocks = {
            "learn": learn,
            "value": [f"_value = {answers.coordinate if isinstance(answers, Grid) else '0'}"],
            "signal": [f"{s.target} {s.operation} {plain(s.expression)}" for s in structure.signal_update],
            "weigh": [f"_weight = {plain(choice.explore)}"] if choice.explore != "1" else [],
            "show": [f"{name} = {plain(text)}" for name, text in shown.items()],
        }
        texts = [line for block in blocks.values() for line in block]
        names = closure(set().union(*map(names_in, texts)), lines)
        used = [name for name in values[0] if name in names]
        self.earned = np.zeros(n_games)
        self.pulled = np.full(n_games, -1, dtype=np.int64)
        self.changed = np.zeros((n_games, n_arms), dtype=np.int8)
        self._sizes = np.zeros(len(SIZES), dtype=np.int64)
        self._tell(
            n_games=n_games,
            n_arms=n_arms,
            random=players.ties == "random",
            watch=watched,
            lenient=lenient,
        )
        self._arrays = {
            "sizes": self._sizes,
            "limits": np.array([players.tolerance]),
            "which": players.which.astype(np.int32),
            "sets": np.array([[each[name] for name in used] for each in values], dtype=float),
            "row": np.zeros(n_games, dtype=np.int32),
            "chances": np.zeros(1),
            "luck": np.zeros(1),
            "arms": np.zeros(1, dtype=np.int32),
            "agreed": np.zeros(1, dtype=np.int8),
            "earned": self.earned,
            "from": np.zeros(n_games, dtype=np.int64),
            "pulled": self.pulled,
            "changed": self.changed,
            "ends": players.ends,
            "shown": players.shown,
            **{f"last_{name}": array for name, array in players.lasting.items()},
            **{f"pool_{name}": array for name, array in players.pools.items()},
            **{f"signal_{name}": array for name, array in players.signals.items()},
            **{f"given_{name}": np.zeros(1) for name in structure.inputs},
        }
        if isinstance(answers, Grid):
            self._tell(cells=answers.parts.shape[1])
            self._arrays |= {
                "parts": answers.parts,
                "offsets": answers.offsets,
                "points": answers.points,
                "scale": answers.scale,
            }
        else:
            self._arrays |= {
                "call": np.array(answers.entry, dtype=np.uintp),
                "of_pair": answers.of_pair,
                **{f"in_{name}": array for name, array in answers.inputs.items()},
                **{f"out_{name}": array for name, array in answers.outputs.items()},
                **{f"game_input_{name}": array for name, array in answers.game_inputs.items()},
            }
        for name, array in self._arrays.items():
            assert array.flags.c_contiguous, name

        group = UnitGroup("nsa_stretch", 1 * ms)
        read = [name for name in sorted(structure.reads) if name in (*players.outputs, *players.pools)]
        given = {
            per: [name for name, each in structure.inputs.items() if each.per == per] for per in ("option", "game")
        }
        shared = [*used, *structure.synaptic, *read, *self._signals, *structure.inputs, *shown, *OF_CHOICE, "u", "v"]
        shared += ["R", "chosen", "agreed", "_value", "_weight"]
        # Helpers too, or Brian2 may take them for whole or for many numbers.
        rule = () if isinstance(structure.rule, Value) else structure.rule
        shared += [statement.target for statement in (*rule, *structure.signal_update)]
        group.add_shared(dict.fromkeys(shared, 0.0))
        for name in names & set(lines):
            group.add_expression(name, plain(lines[name]))
        group.add({"_entry": np.zeros(len(self._arrays), dtype=np.int64)}, len(self._arrays))
        self._run = create_runner_codeobj(
            group,
            {key: "\n".join(block) for key, block in blocks.items()},
            "stretch",
            run_namespace={},
            check_units=False,  # those of the equations were checked with the model
            template_kwds={
                "_answer": "table" if isinstance(answers, Grid) else ("all" if answers.every else "changed"),
                "_sizes": SIZES,
                "_buffers": [(name, c_data_type(array.dtype)) for name, array in self._arrays.items()],
                "_by_statements": self._by_statements,
                # One number at a time changes.
                "_keeps_highest": self._grid is not None and not self._by_statements and not shown,
                "_of_sets": used,
                "_synaptic": self._synaptic,
                "_lasting": (*players.lasting,),
                "_reads": read,
                "_signals": self._signals,
                "_given_options": given["option"],
                "_given_games": given["game"],
                "_game_inputs": () if isinstance(answers, Grid) else (*answers.game_inputs,),
                "_shows": bool(shown),
                "_shows_u": bool(choice.u),
                "_shows_v": bool(choice.v),
                "_weighs": choice.explore != "1",
                "_exploits": choice.exploit == "agreement",
                "_of_choice": list(OF_CHOICE.items()),
                "_inputs": () if isinstance(answers, Grid) else (*answers.inputs,),
                "_outputs": players.outputs,
                "_depth": 1 if isinstance(answers, Grid) else answers.depth,
            },
            codeobj_class=code_object_class(),
        )
        self._entry = group.array("_entry")
        self._entry[:] = [array.ctypes.data for array in self._arrays.values()]
        self._place = {name: i for i, name in enumerate(self._arrays)}
        self._group = group

    def watch(self) -> None:
        """Look at activities before each decision from now on."""
        self._tell(watch=True)

    @property
    def runaway(self) -> bool:
        """Whether activities were found that are not finite, or variables of a synapse after learning."""
        return bool(self._size("runaway"))

    @property
    def runaway_variable(self) -> str:
        """The variable of a synapse, or the signal, that is not finite; empty where activities are not."""
        place = self._size("runaway") - 2
        return [*self._synaptic, *self._signals, "explore"][place] if place >= 0 else ""

    @property
    def waiting(self) -> np.ndarray:
        """The games (n,) that stopped since an option has no answer in compiled code."""
        if self._grid is None:
            return np.empty(0, np.intp)
        return np.flatnonzero(self._arrays["from"] < self._size("n_rounds"))

    def stale(self, games: np.ndarray) -> np.ndarray:
        """Places (n,), in flattened arrays, of options in some games whose synapse has changed since they answered."""
        n_arms = self.changed.shape[1]
        if self._by_statements:
            within, arm = self.changed[games].nonzero()
            return games[within] * n_arms + arm
        pulled = self.pulled[games]
        return (games * n_arms + pulled)[pulled >= 0]

    def answered(self, games: np.ndarray) -> None:
        """Take note that all options of some games have answered."""
        self.pulled[games] = -1
        self.changed[games] = 0

    def begin(self, row: np.ndarray, chances: np.ndarray, luck: np.ndarray, given: Mapping[str, np.ndarray]) -> None:
        """Lay out the rounds to come; see ``Stretch.play`` of the engines."""
        n_rounds, n_rows, _ = chances.shape
        size = (n_rounds, len(self.pulled))
        self._put("row", np.ascontiguousarray(row, dtype=np.int32))
        constant = chances.strides[0] == 0  # one round's stand for all
        self._tell(n_rounds=n_rounds, n_rows=n_rows, stride=0 if constant else chances[0].size)
        self._put("chances", np.ascontiguousarray(chances[:1] if constant else chances, dtype=float))
        self._put("luck", np.ascontiguousarray(luck, dtype=float))
        for name, array in given.items():
            self._put(f"given_{name}", np.ascontiguousarray(array, dtype=float))
        self._put("arms", np.empty(size, dtype=np.int32))
        self._put("agreed", np.empty(size, dtype=np.int8))
        self._arrays["from"][:] = 0

    def run(self) -> None:
        """Play the rounds, or go on with them in games that waited."""
        if self._grid is not None:
            self._put("points", self._grid.points)  # others, if cells were made
            if not self._grid.finite:
                self.watch()
        self._run()

    @property
    def choices(self) -> tuple[np.ndarray, np.ndarray]:
        """Arms and agreement (rounds, games) of the rounds played."""
        return self._arrays["arms"], self._arrays["agreed"].view(bool)

    def _tell(self, **sizes: int) -> None:
        for name, value in sizes.items():
            self._sizes[SIZES.index(name)] = value

    def _size(self, name: str) -> int:
        return int(self._sizes[SIZES.index(name)])

    def _put(self, name: str, array: np.ndarray) -> None:
        self._arrays[name] = array
        self._entry[self._place[name]] = array.ctypes.data


def _rule(model: Model) -> tuple[list[str], dict[str, str]]:
    """The learning rule as lines of code, and the expressions by name that it may use."""
    rule, lines = model.structure.rule, model.structure.expressions
    if isinstance(rule, Value):
        return [f"w = {plain(rule.expression)}"], {**lines, **{name: text for name, text, _ in rule.helpers}}
    return [f"{each.target} {each.operation} {plain(each.expression)}" for each in rule], lines
