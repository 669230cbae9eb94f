"""Many rounds of many games in one call of compiled code: respond, select, reward, learn."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from brian2.codegen.generators.cpp_generator import c_data_type

from nsa_brian.codegen.integrator import Integrator
from nsa_brian.codegen.learning import idle_lines, rule_lines
from nsa_brian.codegen.stretch_code import stretch_code
from nsa_brian.model.model import Model
from nsa_brian.model.reading import Value, names_in, plain
from nsa_brian.model.structure import closure


@dataclass
class Grid:
    """Arrays of a response table, in which responses are looked up; the table grows.

    Attributes
    ----------
    coordinates : tuple of str
        The variable of the table.
    parts : array of int (sets, cells)
        Number of parts of a cell; 0 if it is not computed yet.
    offsets : array of int (sets, cells)
        Index of a cell's first point.
    points : array (n, 2)
        Values of u and v.
    scale : array (sets,)
        Upper end of the coordinate.
    finite : bool
        Whether all points are finite.
    """

    coordinates: tuple[str, ...]
    parts: np.ndarray
    offsets: np.ndarray
    points: np.ndarray
    scale: np.ndarray
    finite: bool


@dataclass
class Cells:
    """Arrays of a response table of two or three variables; the table grows.

    Attributes
    ----------
    coordinates : tuple of str
        The variables of the table.
    keys, places : array of int (slots,)
        A hash table: a cell's key, -1 in free slots, and its place among ``points``; negative if it has no points.
    points : array (n, 5**variables, 2)
        Values of u and v.
    scale : array (sets, variables)
        The unit of each variable.
    cells, levels : int
        Cells in a unit, and how often they are divided, plus 1.
    integrator : callable
        Returns the compiled round, for options that cannot be looked up.
    """

    coordinates: tuple[str, ...]
    keys: np.ndarray
    places: np.ndarray
    points: np.ndarray
    scale: np.ndarray
    cells: int
    levels: int
    integrator: Callable[[], Integrator]


@dataclass(frozen=True)
class Players:
    """The games of an engine, as references to the engine's arrays.

    Attributes
    ----------
    model : Model
    values : sequence of mapping
        The parameter sets: values in SI units by name.
    which : array of int (games,)
        The parameter set of each game.
    lasting : mapping
        State that lasts from round to round, (games, arms) each: synapses' and carried-over variables.
    ends : array (outputs, games, arms)
        Outputs of options.
    outputs : tuple of str
        Names of the outputs, u and v first.
    pools : mapping
        State of the pools, (games,) each.
    signals : mapping
        Signals of the games, (games,) each.
    shown : array (2, games, arms)
        Outputs of U and V, if the model's choice defines them.
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


#: Variables of the choice in C++.
OF_CHOICE = {
    "u_top": "nsa::most_of(_u, _n_arms)",
    "v_top": "nsa::most_of(_v, _n_arms)",
    "best_u": "_k == _k_u",
    "best_v": "_k == _k_v",
    "u_at_v": "_u[_k_v]",
    "v_at_u": "_v[_k_u]",
}

#: Integers passed to compiled code, which sets the last one: to 1 if activities are not finite, to 2 and more if a
#: variable of the synapse, a signal, or an exploration weight is not. ``stride`` is from round to round in ``chances``.
SIZES = (
    "n_games",
    "n_arms",
    "n_rounds",
    "n_rows",
    "stride",
    "cells",
    "n_slots",
    "random",
    "watch",
    "lenient",
    "runaway",
)


#: Responses that are remembered, a power of two: each under the bits of its parameter set and inputs.
MEMO_SLOTS = 1 << 12


class CompiledStretch:
    """Compiled rounds of the games of an engine.

    Parameters
    ----------
    players : Players
    answers : Grid, Cells or Integrator
    watched : bool
        Whether to check that activities are finite.
    lenient : bool
        Treat neurons with non-finite activity as silent and reset non-finite synapses to 0, instead of stopping.

    Attributes
    ----------
    earned : array (games,)
        Sum of the reward probabilities of the arms chosen so far.
    changed : array of bool (games, arms)
        Options whose synapse has changed since their last response, if the learning rule changes options that are not
        chosen.
    pulled : array of int (games,)
        The one such option of each game, or -1, if it changes the chosen one only.
    """

    def __init__(self, players: Players, answers: Grid | Cells | Integrator, watched: bool, lenient: bool) -> None:
        model, structure = players.model, players.model.structure
        n_games, n_arms = players.ends.shape[1:]
        self._table = None if isinstance(answers, Integrator) else answers
        self._synaptic = structure.synaptic
        choice, self._signals = structure.choice, [*players.signals]
        values = [{**each, "n_arms": float(n_arms)} for each in players.values]
        learn, lines = rule_lines(model)
        idle = [] if isinstance(structure.rule, Value) else idle_lines(learn, lines)
        self._by_statements = bool(idle)  # whether options change that are not chosen
        coordinates = () if isinstance(answers, Integrator) else answers.coordinates
        shown = {f"_shown_{name}": text for name, text in (("u", choice.u), ("v", choice.v)) if text}
        blocks = {
            "learn": learn,
            "idle": idle,
            "value": [f"_value_{i} = {name}" for i, name in enumerate(coordinates)],
            "signal": [f"{s.target} {s.operation} {plain(s.expression)}" for s in structure.signal_update],
            "weigh": [f"_weight = {plain(choice.explore)}"] if choice.explore != "1" else [],
            "show": [f"{name} = {plain(text)}" for name, text in shown.items()],
        }
        texts = [line for block in blocks.values() for line in block]
        names = closure(set().union(*map(names_in, texts)), lines)
        used = [name for name in values[0] if name in names]
        self.earned = np.zeros(n_games)
        self.pulled = np.full(n_games, -1, dtype=np.int64)
        self.changed = _flags(n_games, n_arms)
        # Options that statements leave as they are unless chosen, by reward, until they change.
        self._settled = _flags(2, n_games, n_arms)
        self._sizes = np.zeros(len(SIZES), dtype=np.int64)
        self._set_sizes(
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
            "settled": self._settled,
            "ends": players.ends,
            "shown": players.shown,
            **{f"last_{name}": array for name, array in players.lasting.items()},
            **{f"pool_{name}": array for name, array in players.pools.items()},
            **{f"signal_{name}": array for name, array in players.signals.items()},
            **{f"given_{name}": np.zeros(1) for name in structure.inputs},
        }
        if isinstance(answers, Grid):
            self._set_sizes(cells=answers.parts.shape[1])
            self._arrays |= {
                "parts": answers.parts,
                "offsets": answers.offsets,
                "points": answers.points,
                "scale": answers.scale,
            }
        elif isinstance(answers, Cells):
            self._set_sizes(cells=answers.cells)
            self._arrays |= {name: getattr(answers, name) for name in ("keys", "places", "points", "scale")}
        integrator = None if isinstance(answers, Grid) else _integrator(answers)
        if integrator is not None:
            self._arrays |= {
                "call": np.array(integrator.entry, dtype=np.uintp),
                "of_pair": integrator.of_pair,
                "memo": np.zeros((MEMO_SLOTS if integrator.shares else 1, _memo_width(integrator)), dtype=np.int64),
                **{f"in_{name}": array for name, array in integrator.inputs.items()},
                **{f"out_{name}": array for name, array in integrator.outputs.items()},
                **{f"game_input_{name}": array for name, array in integrator.game_inputs.items()},
            }
        for name, array in self._arrays.items():
            assert array.flags.c_contiguous, name

        read = [name for name in sorted(structure.reads) if name in (*players.outputs, *players.pools)]
        given = {
            per: [name for name, each in structure.inputs.items() if each.per == per] for per in ("option", "game")
        }
        shared = [*used, *structure.synaptic, *read, *self._signals, *structure.inputs, *shown, *OF_CHOICE, "u", "v"]
        shared += ["R", "chosen", "agreed", *(f"_value_{i}" for i in range(len(coordinates))), "_weight"]
        # Declare helpers too, or Brian2 may infer that they are integers or vectors.
        rule = () if isinstance(structure.rule, Value) else structure.rule
        targets = [statement.target for statement in rule]
        idle_targets = [line.split()[0] for line in idle]
        shared += [*targets, *(statement.target for statement in structure.signal_update)]
        expressions = {name: plain(lines[name]) for name in sorted(names & set(lines))}
        # What the rule reads of an option, and where it is in memory.
        of_neurons = {
            name: f"_ends + {players.outputs.index(name)} * _n_units" for name in read if name in players.outputs
        }
        seen = {name: f"_last_{name}" for name in structure.synaptic} | of_neurons
        seen |= {name: f"_given_{name} + _round * _n_units" for name in given["option"]}
        every = isinstance(answers, Integrator) and answers.every
        read_by_rule, read_by_idle, read_by_choice, read_to_show = (
            closure(set().union(*map(names_in, blocks[name])), lines) for name in ("learn", "idle", "weigh", "show")
        )
        derived = [i for i, name in enumerate(coordinates) if name in lines] if len(coordinates) > 1 else []
        derived_from = closure({coordinates[i] for i in derived}, lines) & {*structure.depends_on}
        # The variable along which responses are followed from round to round: one that changes in options not chosen.
        moves = [i for i, name in enumerate(coordinates) if closure({name}, lines) & {*idle_targets}]
        of_choice = {name: f"_{name} - _game * _n_arms" for name in ("u", "v")}
        self._code = stretch_code(
            {key: "\n".join(block) for key, block in blocks.items()},
            shared,
            expressions,
            {
                "_answer": ("all" if every else "changed") if isinstance(answers, Integrator) else "table",
                "_of_table": coordinates,
                "_derived": derived,
                "_derived_from": sorted(derived_from),
                "_n_variables": len(coordinates),
                "_line": moves[0] if moves else len(coordinates) - 1,
                "_levels": answers.levels if isinstance(answers, Cells) else 0,
                "_sizes": SIZES,
                "_buffers": [(name, c_data_type(array.dtype)) for name, array in self._arrays.items()],
                "_by_statements": self._by_statements,
                # Few activities change at a time.
                "_keeps_highest": len(coordinates) == 1 and not shown,
                # Whether an option that the rule left as it was stays so while it is not chosen.
                "_settles": not (every or read_by_rule & {*self._signals, *structure.inputs, *players.pools}),
                "_depends_on": structure.depends_on,
                "_seen_by": {
                    "learn": {name: source for name, source in seen.items() if name in read_by_rule | {*targets}},
                    "idle": {name: source for name, source in seen.items() if name in read_by_idle | {*idle_targets}},
                },
                "_has_idle": idle != learn,
                "_idle_targets": [*dict.fromkeys(idle_targets)],
                "_seen_by_choice": {name: text for name, text in (seen | of_choice).items() if name in read_by_choice},
                "_seen_by_table": {name: f"_last_{name}" for name in structure.depends_on},
                "_seen_by_show": {name: source for name, source in seen.items() if name in read_to_show},
                "_targets": [*dict.fromkeys(targets or ["w"])],
                "_of_sets": used,
                "_synaptic": self._synaptic,
                "_lasting": (*players.lasting,),
                "_reads": read,
                "_signals": self._signals,
                "_given_options": given["option"],
                "_given_games": given["game"],
                "_game_inputs": () if integrator is None else (*integrator.game_inputs,),
                "_shows": bool(shown),
                "_shown_by_expression": [*shown],
                "_weighs": choice.explore != "1",
                "_exploits": choice.exploit == "agreement",
                "_of_choice": list(OF_CHOICE.items()),
                "_inputs": () if integrator is None else (*integrator.inputs,),
                "_outputs": players.outputs if integrator is None else (*integrator.outputs,),
                "_shares": integrator is not None and integrator.shares,
                "_memo_slots": MEMO_SLOTS,
                "_memo_width": 0 if integrator is None else _memo_width(integrator),
                "_depth": 1 if integrator is None else integrator.depth,
            },
        )
        self._entry = np.array([array.ctypes.data for array in self._arrays.values()], dtype=np.int64)
        self._place = {name: i for i, name in enumerate(self._arrays)}

    def watch(self) -> None:
        """Check activities before each decision from now on."""
        self._set_sizes(watch=True)

    @property
    def runaway(self) -> bool:
        """Whether non-finite activities, or non-finite variables after learning, were found."""
        return bool(self._size("runaway"))

    @property
    def runaway_variable(self) -> str:
        """The non-finite variable of a synapse, signal, or ``"explore"``; empty if activities are not finite."""
        place = self._size("runaway") - 2
        return [*self._synaptic, *self._signals, "explore"][place] if place >= 0 else ""

    @property
    def waiting(self) -> np.ndarray:
        """The games (n,) that stopped because an option's response is not in the table."""
        if self._table is None:
            return np.empty(0, np.intp)
        return np.flatnonzero(self._arrays["from"] < self._size("n_rounds"))

    def stale(self, games: np.ndarray) -> np.ndarray:
        """Return the flat indices (n,) of options in some games whose synapse has changed since their last response."""
        n_arms = self.changed.shape[1]
        if self._by_statements:
            within, arm = self.changed[games].nonzero()
            return games[within] * n_arms + arm
        pulled = self.pulled[games]
        return (games * n_arms + pulled)[pulled >= 0]

    def answered(self, games: np.ndarray) -> None:
        """Mark all options of some games as up to date."""
        self.pulled[games] = -1
        self.changed[games] = 0

    def start_anew(self) -> None:
        """Mark all options as up to date, with synapses that were not set by these rounds."""
        self.answered(np.arange(len(self.pulled)))
        self._settled[:] = 0

    def begin(self, row: np.ndarray, chances: np.ndarray, luck: np.ndarray, given: Mapping[str, np.ndarray]) -> None:
        """Set the arrays of the next rounds; see ``Stretch.play`` of the engines."""
        n_rounds, n_rows, _ = chances.shape
        size = (n_rounds, len(self.pulled))
        self._put("row", np.ascontiguousarray(row, dtype=np.int32))
        constant = chances.strides[0] == 0  # all rounds are the same memory
        self._set_sizes(n_rounds=n_rounds, n_rows=n_rows, stride=0 if constant else chances[0].size)
        self._put("chances", np.ascontiguousarray(chances[:1] if constant else chances, dtype=float))
        self._put("luck", np.ascontiguousarray(luck, dtype=float))
        for name, array in given.items():
            self._put(f"given_{name}", np.ascontiguousarray(array, dtype=float))
        self._put("arms", np.empty(size, dtype=np.int32))
        self._put("agreed", np.empty(size, dtype=np.int8))
        self._arrays["from"][:] = 0

    def run(self) -> None:
        """Play the rounds, or resume them in games that stopped."""
        if self._table is not None:
            self._put("points", self._table.points)  # a new array if the table grew
        if isinstance(self._table, Grid) and not self._table.finite:
            self.watch()
        if isinstance(self._table, Cells):
            self._put("keys", self._table.keys)
            self._put("places", self._table.places)
            self._set_sizes(n_slots=len(self._table.keys))
        self._code(self._entry)

    @property
    def choices(self) -> tuple[np.ndarray, np.ndarray]:
        """Arms and agreement (rounds, games) of the rounds played."""
        return self._arrays["arms"], self._arrays["agreed"].view(bool)

    def _set_sizes(self, **sizes: int) -> None:
        for name, value in sizes.items():
            self._sizes[SIZES.index(name)] = value

    def _size(self, name: str) -> int:
        return int(self._sizes[SIZES.index(name)])

    def _put(self, name: str, array: np.ndarray) -> None:
        self._arrays[name] = array
        self._entry[self._place[name]] = array.ctypes.data


def _flags(*shape: int) -> np.ndarray:
    """Return an array of flags, followed in memory by seven bytes: compiled code reads and writes eight at a time."""
    return np.zeros(math.prod(shape) + 7, dtype=np.int8)[:-7].reshape(shape)


def _integrator(answers: Cells | Integrator) -> Integrator:
    """Return the compiled round of a table of several variables, or the compiled round itself."""
    return answers.integrator() if isinstance(answers, Cells) else answers


def _memo_width(answers: Integrator) -> int:
    """Return the length of a remembered response: its parameter set, inputs and outputs."""
    return 1 + len(answers.inputs) + len(answers.outputs)
