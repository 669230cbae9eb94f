"""Games by the batch, of populations of any kind: a decision round of all their neurons, in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from brian2 import Equations, ms
from brian2.codegen.codeobject import create_runner_codeobj
from brian2.equations.equations import SUBEXPRESSION
from brian2.units.fundamentalunits import DIMENSIONLESS
from brian2.utils.stringtools import word_substitute

from nsa_brian.codegen.code_objects import NumpyRound, code_object_class, why_not_compiled
from nsa_brian.codegen.group import UnitGroup
from nsa_brian.codegen.invariants import Invariants, time_step
from nsa_brian.codegen.streams import count_of, states
from nsa_brian.model.course import Course
from nsa_brian.model.model import Model
from nsa_brian.model.reading import Statement, names_in, plain
from nsa_brian.model.structure import (
    REFRACTORY,
    SIGNALS,
    SPIKED,
    SYNAPSE,
    Link,
    Neurons,
    Structure,
    equation,
    variable,
)


class Columns:
    """A batch of games, each with one of some parameter sets.

    Parameters
    ----------
    model : Model
    values : sequence of mapping
        The sets: numbers in SI units by name.
    which : array of int (games,)
        The set of each game.
    n_arms : int
    seeds : array (games, seeds)
        Uniform numbers, as many as :func:`nsa_brian.codegen.streams.n_seeds` says: each neuron's random numbers follow
        from its own.
    dt : Quantity
    record : bool
        Keep the spikes of a round.

    Attributes
    ----------
    given : dict of array (games, arms)
        What options are given at a round's start: the static names of an option that neurons read.
    told : dict of array (games,)
        The same of a game: signals, inputs.
    learnt : dict of array (games, arms)
        The same for the rule of contacts.
    choice : array (games, arms)
        1 for the chosen option and -1 for the others after the choice.
    counts : array (2, games, arms)
        Spikes of the option in U and V while they were counted in the last round.
    b : array (games, arms, neurons of U, neurons of V)
        The variable of contacts.
    raster : array of bool (games, steps, neurons)
        Whether each neuron fired, population after population, if spikes are recorded.
    courses : list of Course
        Of each set.
    states : dict
        The state variables of each population's neurons, by name: (games, neurons) each; those of the synapse that
        change within a round are under ``"synapse"``, (games, arms) each.
    """

    def __init__(
        self,
        model: Model,
        values: Sequence[Mapping[str, float]],
        which: np.ndarray,
        n_arms: int,
        seeds: np.ndarray,
        dt: Any = 0.5 * ms,
        record: bool = False,
    ) -> None:
        target = code_object_class()
        if issubclass(target, NumpyRound):
            raise ValueError(
                "populations of many neurons, or of neurons that spike, need compiled code, for the engine rounds and, "
                f"whatever the engine, for finding a coupling: {why_not_compiled()}"
            )
        structure = model.structure
        self.model, self.n_games, self.n_arms = model, len(which), n_arms
        self.courses = [Course.of(model, each, float(dt)) for each in values]
        contacts = bool(structure.contacts)
        places = {name: _Place(structure, each) for name, each in _places(structure).items()}
        links = [_link(link, places) for link in structure.links]
        links += [_copy(name, place, places) for place in places.values() for name in place.moving]

        self._group = group = UnitGroup("nsa_columns", dt)
        phases = [{name: plain(phase.on.get(name, "0")) for name in structure.phased} for phase in structure.phases]
        rule = structure.contact_rule
        texts = [text for place in places.values() for text in place.texts]
        texts += [text for link in structure.links for text in link.texts]
        texts += [text for phase in phases for text in phase.values()] + [statement.expression for statement in rule]
        read = set().union(*(names_in(plain(text)) for text in texts))
        used = [name for name in values[0] if name in read]
        told = [name for name in (*structure.names(SIGNALS), *structure.of_game) if name in read]
        told = list(dict.fromkeys(told))
        given = list(dict.fromkeys(name for place in places.values() for name in place.given))
        learnt = structure.read_by_contacts
        shared = dict.fromkeys([*used, "I", *structure.phased, *told, "R", "n_arms"], 0.0)
        group.add_shared(shared)
        group.add_shared({"_n_games": self.n_games, "_n_options": n_arms})
        group.add_shared({link["name"]: 0.0 for link in links if link["how"] == "scalar"})
        for place in places.values():
            group.add_shared(dict.fromkeys(place.shared, 0.0))
            group.add(dict.fromkeys(place.arrays), 1)
        blocks: dict[str, str] = {}
        invariants = Invariants({*used, "dt", "n_arms", *told})
        for place in places.values():
            place.enter(group)
        for link in links:
            if link["send"]:
                blocks[f"send_{link['name']}"] = f"{link['of']} = {link['send']}"
        game: dict[str, str] = {}
        for name, place in places.items():
            blocks[f"begin_{name}"] = place.begin
            blocks[f"step_{name}"] = place.step(invariants, group.variables)
            blocks[f"reset_{name}"] = place.reset
            blocks[f"rates_{name}"] = place.rates
            if place.neurons.refractory:
                game[f"refractory_in_{name}"] = plain(place.neurons.refractory)
        group.add_shared(dict.fromkeys(invariants.found, 0.0))
        blocks["game"] = "\n".join(f"{key} = {text}" for key, text in {**game, **invariants.found}.items())
        for k, phase in enumerate(phases):
            blocks[f"phase_{k}"] = "\n".join(f"{name} = {text}" for name, text in phase.items())
        if contacts:
            group.add_shared(dict.fromkeys([*learnt, "since_pre"], 0.0))
            group.add(dict.fromkeys([*structure.contacts, "chance", "since_post"]), 1)
            blocks["contact"] = "\n".join(f"{s.target} {s.operation} {plain(s.expression)}" for s in rule)

        sizes = {name: count_of(place.neurons, values[0]) for name, place in places.items()}
        self.neurons = {
            name: size * (n_arms if places[name].neurons.of_options else 1)
            for name, size in sizes.items()
            if name != SYNAPSE
        }
        rooms = {
            name: (size * (n_arms if places[name].neurons.of_options else 1) + 7) // 8 * 8
            for name, size in sizes.items()
        }
        n_options = self.n_games * n_arms
        stride = sum(len(place.arrays) * rooms[name] for name, place in places.items())
        total = sum(self.neurons.values())
        steps = max(course.round_steps for course in self.courses)
        borders = [(*course.borders, *course.after, course.reading_step) for course in self.courses]
        n_contacts = n_options * sizes["u"] * sizes["v"] if contacts else 1
        tables = {
            "_sets": np.array([[each[name] for name in used] for each in values], dtype=float).ravel(),
            "_steps": np.array(borders, dtype=np.int32).ravel(),
            "_which": np.asarray(which, dtype=np.int32),
            "_given": np.zeros(max(1, len(given)) * n_options),
            "_told": np.zeros(max(1, len(told)) * self.n_games),
            "_choice": np.zeros(n_options),
            "_memory": np.zeros(self.n_games * stride + 8),
            "_streams": np.zeros(self.n_games * sum(rooms.values()), dtype=np.int64),
            "_counts": np.zeros(2 * n_options),
            "_sizes": np.array(list(sizes.values()), dtype=np.int32),
            "_mode": np.array([0, steps if record else 0], dtype=np.int32),
            "_raster": np.zeros(self.n_games * steps * total if record else 1, dtype=bool),
            "_contacts": np.zeros(n_contacts),
            "_learnt": np.zeros(max(1, len(learnt)) * n_options),
            "_reward": np.zeros(self.n_games),
            "_luck": np.zeros(self.n_games, dtype=np.int64),
        }
        for name, array in tables.items():
            group.add({name: array}, len(array))
        self._run = create_runner_codeobj(
            group,
            blocks,
            "columns",
            run_namespace={},
            check_units=False,  # those of the equations were checked with the model
            needed_variables=[name for place in places.values() for name in place.arrays],
            template_kwds={
                "_tables": tuple(tables),
                "_of_sets": used,
                "_told_names": told,
                "_given_names": given,
                "_learnt_names": learnt,
                "_populations": [place.told for place in places.values()],
                # The synapse first, since it reads single neurons as they were.
                "_stepping": [p.told for p in sorted(places.values(), key=lambda each: each.neurons.name != SYNAPSE)],
                "_links": links,
                "_n_before": len(structure.before),
                "_n_phases": len(structure.phases),
                "_contact": next(iter(structure.contacts), ""),
            },
            codeobj_class=target,
        )
        shape = (self.n_games, n_arms)
        self.choice = group.array("_choice").reshape(shape)
        self.given = dict(zip(given, group.array("_given")[: len(given) * n_options].reshape(-1, *shape), strict=True))
        self.told = dict(
            zip(told, group.array("_told")[: len(told) * self.n_games].reshape(-1, self.n_games), strict=True)
        )
        of_learnt = group.array("_learnt")[: len(learnt) * n_options].reshape(-1, *shape)
        self.learnt = dict(zip(learnt, of_learnt, strict=True))
        self.counts = group.array("_counts").reshape(2, *shape)
        self.reward = group.array("_reward")
        n = (sizes["u"], sizes["v"])
        self.b = group.array("_contacts").reshape(*shape, *n) if contacts else np.zeros((*shape, 0, 0))
        self.raster = group.array("_raster").reshape(self.n_games, -1, total) if record else None
        self.sizes, self._rooms = sizes, rooms
        group.array("n_arms")[0] = n_arms
        # A population's arrays lie side by side in a game's part of the memory, which begins at a multiple of 64 bytes.
        memory = group.array("_memory")
        first = -(memory.ctypes.data // memory.itemsize) % 8
        games, at = memory[first : first + self.n_games * stride].reshape(self.n_games, stride), 0
        self.states: dict[str, dict[str, np.ndarray]] = {}
        for name, place in places.items():
            arrays = games[:, at : at + len(place.arrays) * rooms[name]].reshape(self.n_games, -1, rooms[name])
            at += len(place.arrays) * rooms[name]
            n_own = self.neurons.get(name, n_arms)
            self.states[name] = {key: arrays[:, place.arrays.index(key), :n_own] for key in place.neurons.state}
        self._sets, self._used = group.array("_sets").reshape(len(values), -1), used
        self._seed(seeds)

    @property
    def timing(self) -> list[Course]:
        """The courses of rounds, under the name that they had until 0.2."""
        return self.courses

    def set_value(self, name: str, values: np.ndarray) -> None:
        """Give a parameter other values, in SI units: one for each set."""
        if name in self._used:
            self._sets[:, self._used.index(name)] = values

    def _seed(self, seeds: np.ndarray) -> None:
        """Give each neuron, and each game, a stream of its own."""
        whole = states(seeds)
        streams = self._group.array("_streams").reshape(self.n_games, -1)
        at = start = 0
        for name, size in self.neurons.items():
            streams[:, start : start + size] = whole[:, at : at + size]
            at, start = at + size, start + self._rooms[name]
        self._group.array("_luck")[:] = whole[:, at]

    def respond(self) -> None:
        """Run a round of all games up to the choice, with what is given and told."""
        if self.raster is not None:
            self.raster[:] = 0
        self._call(0)

    def await_outcome(self, rewards: np.ndarray) -> None:
        """Let the round go on after the choice, then let contacts learn."""
        self.reward[:] = rewards
        self._call(1)

    def _call(self, mode: int) -> None:
        self._group.array("_mode")[0] = mode
        self._run()


def _places(structure: Structure) -> dict[str, Neurons]:
    """Populations, and the synapse as one more where it changes within a round."""
    found = dict(structure.populations)
    lines = tuple(eq for eq in structure.synapse if eq.expr is not None and not structure.is_static(eq.varname))
    if lines:
        dynamic = tuple(structure.dynamic)
        found[SYNAPSE] = Neurons(SYNAPSE, "option", 1, lines, initial=dict.fromkeys(dynamic, "0"), carried=dynamic)
    return found


class _Place:
    """A population, or the synapse, in the code of a whole game."""

    def __init__(self, structure: Structure, neurons: Neurons) -> None:
        self.neurons, self._structure = neurons, structure
        place = neurons.name
        sent = [text for link in structure.links if link.source == place for text in link.texts]
        course = [*neurons.texts, *sent]
        read = set().union(*map(names_in, course))
        options = {*structure.names(SYNAPSE), *(n for n, each in structure.inputs.items() if each.per == "option")}
        own = {eq.varname for eq in neurons.equations}
        above = [name for name in sorted(read & options) if name not in own]
        #: Names of the option that it reads: those that do not change within a round, and those that do.
        self.given = [name for name in above if structure.is_static(name)]
        self.moving = [name for name in above if name not in self.given]
        self._names = {name: f"{name}_in_{place}" for name in above} | {"choice": f"choice_in_{place}"}
        arrays = [*neurons.state, *neurons.normal, *neurons.poisson]
        if neurons.spikes:
            arrays.append(f"{SPIKED}_of_{place}")
        links = [link for link in structure.links if link.target == place]
        arrays += [link.variable for link in links if how_it_arrives(link, structure) != "scalar"]
        arrays += [self._names[name] for name in above]
        arrays += [self._names["choice"]] if neurons.of_options and "choice" in read else []
        if neurons.refractory:
            arrays.append(f"wait_in_{place}")
        if structure.contacts and place in ("u", "v"):
            arrays.append(f"last_in_{place}")
        arrays += [
            f"_sent_{link.variable}" for link in structure.links if link.source == place and _sends(link, neurons)
        ]
        self.arrays = arrays
        self.shared = [f"mean_of_{event}" for event in neurons.poisson]
        self.shared += [f"refractory_in_{place}"] if neurons.refractory else []

    @property
    def texts(self) -> list[str]:
        """All its strings, for the names in them."""
        neurons = self.neurons
        more = [neurons.refractory] if neurons.refractory else []
        return [*neurons.texts, *more, *neurons.initial.values(), *neurons.poisson.values()]

    @property
    def told(self) -> dict[str, Any]:
        """What the template needs to know."""
        neurons, place = self.neurons, self.neurons.name
        poisson = list(neurons.poisson)
        words: list[dict[str, Any]] = [{"noise": True, "events": [name]} for name in neurons.normal]
        words += [{"noise": False, "events": poisson[i : i + 2]} for i in range(0, len(poisson), 2)]
        return {
            "name": place,
            "of_options": neurons.of_options,
            "arrays": self.arrays,
            "given": {name: self._names[name] for name in self.given},
            "choice": self._names["choice"] if self._names["choice"] in self.arrays else "",
            "spikes": neurons.spikes,
            "refractory": bool(neurons.refractory),
            "last": f"last_in_{place}" in self.arrays,
            "row": "uv".index(place) if place in ("u", "v") and neurons.spikes else -1,
            "is_population": place != SYNAPSE,
            "poisson": poisson,
            "words": words,
        }

    def said(self, text: str) -> str:
        """An expression under the names of the code."""
        return plain(word_substitute(text, self._names))

    def enter(self, group: UnitGroup) -> None:
        """Enter what has no array: the lines without dynamics."""
        for eq in self.neurons.equations:
            if eq.type == SUBEXPRESSION:
                group.variables.add_subexpression(eq.varname, expr=self.said(str(eq.expr)), dimensions=eq.dim)
        if "N" not in group.variables:
            group.variables.add_constant("N", 1)

    @property
    def begin(self) -> str:
        """The start of a round."""
        neurons, place = self.neurons, self.neurons.name
        lines = [f"{n} = {self.said(text)}" for n, text in neurons.initial.items() if n not in neurons.carried]
        lines += [f"{SPIKED}_of_{place} = 0"] if neurons.spikes else []
        if neurons.refractory:
            lines.append(f"wait_in_{place} = 0")
        if f"last_in_{place}" in self.arrays:
            lines.append(f"last_in_{place} = -1e12")
        return "\n".join(lines)

    def step(self, invariants: Invariants, variables: Mapping[str, Any]) -> str:
        """One time step, and who fires at its end."""
        neurons, place = self.neurons, self.neurons.name
        lines = []
        for eq in neurons.equations:
            text = self.said(str(eq.expr))
            if REFRACTORY in eq.flags:
                text = f"free_in_{place} * ({text})"
            lines.append(equation(eq.type, eq.varname, eq.dim, text))
        code = ""
        if neurons.state:
            defined = {eq.varname for eq in lines}
            others = {*self.arrays, f"free_in_{place}"} - defined
            lines += [variable(name, DIMENSIONLESS) for name in sorted(others) if not name.startswith("_")]
            code = invariants.split(time_step(Equations(lines), variables, "euler"), variables)
        if not neurons.spikes:
            return code
        before, fires = "", f"int({self.said(neurons.threshold)})"
        if neurons.refractory:
            before = f"wait_in_{place} = wait_in_{place} - 1\nfree_in_{place} = int(wait_in_{place} <= 0)\n"
            fires += f" * free_in_{place}"
        return f"{before}{code}\n{SPIKED}_of_{place} = {fires}"

    @property
    def reset(self) -> str:
        """What a spike does to its neuron."""
        return "\n".join(_said(statement, self) for statement in self.neurons.reset)

    @property
    def rates(self) -> str:
        """How many events a time step has on average."""
        return "\n".join(f"mean_of_{event} = ({self.said(rate)}) * dt" for event, rate in self.neurons.poisson.items())


def _said(statement: Statement, place: _Place) -> str:
    return f"{statement.target} {statement.operation} {place.said(statement.expression)}"


def how_it_arrives(link: Link, structure: Structure) -> str:
    """Whether what arrives is an option's ``"own"``, that of the ``"others"``, or one number for the game, a scalar."""
    source = structure.populations[link.source]
    to_options = link.target == SYNAPSE or structure.populations[link.target].of_options
    if not (source.of_options and to_options) or link.to == "all":
        return "scalar"
    return link.to


def _sends(link: Link, source: Neurons) -> bool:
    """Whether what is sent must be computed, rather than be a variable of the neurons."""
    return link.drive not in source.state and link.drive != f"{SPIKED}_of_{source.name}"


def _link(link: Link, places: Mapping[str, _Place]) -> dict[str, Any]:
    """What the template needs to know of a coupling."""
    source = places[link.source]
    structure = source._structure
    send = ""
    if _sends(link, source.neurons):
        text = link.drive
        for eq in reversed(link.helpers):
            text = word_substitute(text, {eq.varname: f"({eq.expr})"})
        send = source.said(text)
    how = how_it_arrives(link, structure)
    per, size = f"_per_{link.source}", f"_size_{link.source}"
    divisor = per if how == "own" else size
    if how != "own" and source.neurons.of_options:
        divisor = {"sum": per, "mean": size if how == "scalar" else f"({size} - {per})"}[link.over]
    return {
        "name": link.variable, "how": how, "send": send, "source": link.source, "target": link.target,
        "of": f"_sent_{link.variable}" if send else link.drive, "divisor": divisor,
    }  # fmt: skip


def _copy(name: str, place: _Place, places: Mapping[str, _Place]) -> dict[str, Any]:
    """A variable of the synapse that changes within a round, as neurons of an option read it."""
    eq = next(eq for eq in places[SYNAPSE].neurons.equations if eq.varname == name)
    sent = f"_sent_{name}_in_{place.neurons.name}"
    expression = eq.type == SUBEXPRESSION
    if expression:
        places[SYNAPSE].arrays.append(sent)
    return {
        "name": f"{name}_in_{place.neurons.name}", "how": "own", "send": name if expression else "",
        "source": SYNAPSE, "target": place.neurons.name, "of": sent if expression else name,
        "divisor": f"_per_{SYNAPSE}",
    }  # fmt: skip
