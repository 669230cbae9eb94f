"""The Brian2 objects of a network as texts of a script: their equations, connections, links and order."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from brian2 import NeuronGroup, Synapses
from brian2.equations.equations import DIFFERENTIAL_EQUATION, SUBEXPRESSION, SingleEquation

from nsa_brian.engines.network import NSANetwork
from nsa_brian.engines.network_objects import SINCE
from nsa_brian.export.texts import brian2_text, unit_text
from nsa_brian.model.declared import declared_text, in_order
from nsa_brian.model.reading import names_in
from nsa_brian.model.structure import SIGNALS, SYNAPSE, U, V, closure

#: Groups of the script for variables of options and of the game.
OPTIONS, GAME = "options", "game"


@dataclass
class Group:
    """A NeuronGroup of the script.

    Attributes
    ----------
    name : str
        Its Python name.
    title : str
        What it is, for a comment.
    size : str
        Its size as Python code.
    lines : list of str
        Equations, with comments.
    options : list of str
        Keyword arguments.
    after : list of str
        Lines that follow: linked variables.
    """

    name: str
    title: str
    size: str
    lines: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


@dataclass
class Connection:
    """Synapses of the script: ends, equations, keyword arguments, and the arguments of ``connect``."""

    name: str
    title: str
    source: str
    target: str
    lines: list[str]
    options: list[str]
    connect: str

    @property
    def short(self) -> str:
        """The object on one line, if there is room for it."""
        code = f'{self.name} = Synapses({self.source}, {self.target}, "{self.lines[0]}", name="{self.name}")'
        return code if len(self.lines) == 1 and not self.options and len(code) <= 120 else ""


class Objects:
    """The groups and synapses of a script, read from the objects of the network engine.

    Attributes
    ----------
    groups : list of Group
    synapses : list of Connection
    order : list of str
        Lines that set the order within a time step, if Brian2's default differs.
    at : dict
        Where each variable of options and games is: its group's Python name.
    names : dict
        Python names of the populations' groups, by population.
    sizes : dict
        The number of neurons per option or game, as Python code, by population.
    """

    def __init__(self, network: NSANetwork) -> None:
        self._network = network
        self._objects: Any = network._objects
        structure = self._structure = network.structure
        self._model = network.model
        self.names = {key: key.upper() if key in (U, V) else key for key in structure.populations}
        self.sizes = {key: str(each.count) for key, each in structure.populations.items()}
        self._called = {group.name: self.names[key] for key, group in self._objects.groups.items()}
        for level, name in ((self._objects.options, OPTIONS), (self._objects.games, GAME)):
            self._called |= {level.name: name} if level is not None else {}
        held = {name for name in structure.synaptic if name in self._objects.owner}
        self.at = {name: self._name_of(self._objects.owner[name][0]) for name in held}
        apart = [name for name in structure.synaptic if name not in held]
        signals = structure.state(SIGNALS)
        self.at |= dict.fromkeys(apart, OPTIONS) | dict.fromkeys(signals, GAME)
        self.groups = [*self._levels(apart, signals), *(self._group(key) for key in structure.populations)]
        made = dict(self._objects.synapses)
        if self._objects.contacts is not None:
            made["contacts"] = self._objects.contacts
        self._made = list(made.values())
        self.synapses = [self._connection(each) for each in self._made]
        self.order = self._orders()

    def _name_of(self, made: Any) -> str:
        """Return the Python name of an object."""
        if made.name in self._called:
            return self._called[made.name]
        label = made.name.removeprefix("nsa_")
        return label if label in ("UV", "VU") else f"S_{label}"

    # Groups ----------------------------------------------------------------------------------------------------------

    def _levels(self, apart: list[str], signals: list[str]) -> Iterable[Group]:
        """Return the groups of options and of the game, if they hold anything."""
        for level, name, own, size in (
            (self._objects.options, OPTIONS, apart, "n_arms"),
            (self._objects.games, GAME, signals, "1"),
        ):
            equations: list[SingleEquation] = [] if level is None else list(level.user_equations.values())
            dimensions = self._structure.dimensions
            lines = [f"{each} : {unit_text(dimensions[each])}  # {_kept(name)}" for each in own]
            kept = [eq for eq in in_order(equations, self._model.synapse) if eq.varname not in own]
            comments = {link.variable: f"from {link.source.upper()}" for link in self._structure.links}
            lines += [_line(eq, self._comment(eq, comments)) for eq in kept]
            if not lines:
                continue
            title = "Each option" if name == OPTIONS else "The game"
            found = Group(name, f"{title}: what its neurons share", size, lines)
            if any(eq.type == DIFFERENTIAL_EQUATION for eq in equations):
                found.options.append(f'method="{self._network.method}"')
            if level is not None:
                found.after = self._links(level, name)
            yield found

    def _group(self, key: str) -> Group:
        neurons, group = self._structure.populations[key], self._objects.groups[key]
        name = self.names[key]
        many = neurons.count != 1
        size = f"n_arms * {self.sizes[key]}" if many else "n_arms"
        if not neurons.of_options:
            size = self.sizes[key]
        per = "option" if neurons.of_options else "game"
        each = f"{neurons.count} neurons" if isinstance(neurons.count, int) and many else "one neuron"
        each = f"`{neurons.count}` neurons" if isinstance(neurons.count, str) else each
        found = Group(name, f"Population {name}, {each} of each {per}", size)
        equations = _pruned(list(group.user_equations.values()), self._read_outside(key, group))
        comments = self._comments(key)
        found.lines = [
            _line(eq, self._comment(eq, comments)) for eq in in_order(equations, declared_text(self._model, key))
        ]
        if neurons.spikes:
            found.options += [f'threshold="{brian2_text(group.events["spike"])}"']
            reset = brian2_statements(group.event_codes["spike"])
            found.options += [f'reset="{"; ".join(reset)}"', f'refractory="{brian2_text(str(group._refractory))}"']
        if "outcome" in group.events:
            found.options.append('events={"outcome": "outcome"}')
        if any(eq.type == DIFFERENTIAL_EQUATION for eq in equations):
            found.options.append(f'method="{self._network.method}"')
        found.after = self._links(group, name)
        return found

    def _read_outside(self, key: str, group: NeuronGroup) -> set[str]:
        """Return the names of a group that thresholds, resets and synapses read."""
        texts = [*group.events.values(), *group.event_codes.values()]
        found = set().union(*map(names_in, texts)) if texts else set()
        for made in (*self._objects.synapses.values(), self._objects.contacts):
            if made is None:
                continue
            read = [str(eq.expr) for eq in made.equations.values() if eq.expr is not None]
            read += [updater.expression.code for updater in made.summed_updaters.values()]
            names = set().union(*map(names_in, read)) if read else set()
            found |= {name.removesuffix("_pre") for name in names} if made.source is group else set()
            found |= {name.removesuffix("_post") for name in names} if made.target is group else set()
        level = self._objects.options
        if level is not None:
            found |= {name for name, of in self._objects._read_by_options if of == key}
        return found

    def _comments(self, key: str) -> dict[str, str]:
        """Return what the variables of a population without an equation are."""
        structure, neurons = self._structure, self._structure.populations[key]
        shown = {code: written for written, code in neurons.written.items()}
        found: dict[str, str] = {}
        for link in structure.links:
            if link.target == key:
                name = link.variable.removesuffix(f"_in_{key}")
                source = self.names.get(link.source, link.source)
                mean = "mean of" if link.over == "mean" or structure.populations[link.source].count != 1 else "from"
                found |= {name: f"{mean} {source}", f"{name}_all": f"sum over all options of {source}"}
                found[f"{name}_own"] = "the option's own part of it"
        found |= {name: "on in " + " and ".join(p.name for p in structure.phases if name in p.on)
                  for name in structure.phased}  # fmt: skip
        found |= {shown[code]: "normal random number" for code in neurons.normal}
        found |= {shown[code]: "Poisson random number" for code in neurons.poisson}
        found |= {"count": "spikes since the reading began", "choice": "1 if chosen, else -1", "R": "reward"}
        return {"outcome": "whether contacts learn now", **found}

    def _comment(self, eq: SingleEquation, comments: dict[str, str]) -> str:
        if eq.expr is not None:
            return ""
        found = comments.get(eq.varname, "")
        if not found:
            stem = re.sub(r"_in_\w+$", "", eq.varname)
            if stem in self._structure.inputs:
                return "an input of the round"
            if stem in self._structure.names(SYNAPSE):
                return "of the option"
            if stem in self._structure.names(SIGNALS):
                return "of the game"
        return found

    def _links(self, group: NeuronGroup, name: str) -> list[str]:
        """Return the lines that set linked variables."""
        found = []
        for eq in group.user_equations.values():
            if "linked" not in eq.flags:
                continue
            owner, of = self._linked_to(group, eq.varname)
            index = ""
            if owner == GAME:
                index = f", index=np.zeros(len({name}), dtype=int)" if len(group) > 1 else ""
            elif owner == OPTIONS and len(group) != len(self._objects.options):
                index = f", index=np.arange(len({name})) // (len({name}) // n_arms)"
            found.append(f'{name}.{eq.varname} = linked_var({owner}, "{of}"{index})')
        return sorted(found)

    def _linked_to(self, group: NeuronGroup, name: str) -> tuple[str, str]:
        variable = group.variables[name]
        return self._name_of(variable.owner), variable.name

    # Synapses --------------------------------------------------------------------------------------------------------

    def _connection(self, made: Synapses) -> Connection:
        source, target = self._name_of(made.source), self._name_of(made.target)
        read = set().union(*(names_in(each.expression.code) for each in made.summed_updaters.values()), {"w"})
        equations = _pruned(list(made.equations.values()), read)
        text = declared_text(self._model, SYNAPSE)
        lines = [_line(eq, _kept(OPTIONS) if eq.varname in self.at else self._comment(eq, {}))
                 for eq in in_order(equations, text)]  # fmt: skip
        for name, updater in sorted(made.summed_updaters.items()):
            unit = unit_text(updater.target_var.dim)
            text = re.sub(r"^\((\w+)\) /", r"\1 /", brian2_text(updater.expression.code))
            lines.append(f"{name} = {text} : {unit} (summed)")
        options = []
        if made is self._objects.contacts:
            rule = "; ".join(brian2_statements(made.outcome.code))
            for end, name in (("pre", "since_u"), ("post", "since_v")):
                time = SINCE.format(end=end)
                if time in rule:
                    rule = rule.replace(time, name)
                    lines.append(f"{name} = {time[1:-1]} : second  # time since its neuron of {name[-1].upper()} fired")
            options = [f'on_post={{"outcome": "{rule}"}}', 'on_event={"outcome": "outcome"}']
        if any(eq.type == DIFFERENTIAL_EQUATION for eq in equations):
            options.append(f'method="{self._network.method}"')
        title = f"From {source} to {target}" if target not in (OPTIONS, GAME) else f"Means over neurons of {source}"
        title = "Contacts: each synapse from U to V learns" if made is self._objects.contacts else title
        return Connection(self._name_of(made), title, source, target, lines, options, self._pattern(made))

    def _pattern(self, made: Synapses) -> str:
        """Return the arguments of ``connect`` that make the same synapses in the same order."""
        i, j = np.asarray(made.i[:]), np.asarray(made.j[:])
        n_from, n_to = len(made.source), len(made.target)
        per_from, per_to = n_from // self._network.n_arms or 1, n_to // self._network.n_arms or 1
        every = np.arange(n_from)
        whole = len(i) == n_from * n_to and (i == np.repeat(every, n_to)).all()
        if whole and (j == np.tile(np.arange(n_to), n_from)).all():
            return ""
        if len(i) == n_from == n_to and (i == every).all() and (j == every).all():
            return 'j="i"'
        if len(i) == n_from and (i == every).all() and (j == every // per_from).all():
            return f'j="i // {per_from}"'
        if len(j) == n_to and (j == np.arange(n_to)).all() and (i == j // per_to).all():
            return f'i="j // {per_to}"'
        expected = np.nonzero(every[:, None] // per_from == np.arange(n_to) // per_to)
        if len(i) == len(expected[0]) and (i == expected[0]).all() and (j == expected[1]).all():
            return f'"i // {per_from} == j // {per_to}"'
        raise AssertionError(f"{made.name}: no pattern of synapses")

    def _orders(self) -> list[str]:
        """Return the lines that set the order within a time step; none if Brian2's default does."""
        updaters = [(made, name, each.order) for made in self._made for name, each in made.summed_updaters.items()]
        levels = sorted({order for _, _, order in updaters})
        moving = [made for made in (*self._made, self._objects.options) if made is not None and _moves(made)]
        if len(levels) <= 1 and not moving:
            return []
        place = {order: level - len(levels) - 1 for level, order in enumerate(levels)}
        found = [f"{self._name_of(made)}.state_updater.order = -1" for made in moving]
        for made, name, order in sorted(updaters, key=lambda each: (place[each[2]], self._name_of(each[0]), each[1])):
            found.append(f'{self._name_of(made)}.summed_updaters["{name}"].order = {place[order]}')
        return found


def brian2_statements(code: str) -> list[str]:
    """Return statements with Brian2's names of functions."""
    found = []
    for line in code.splitlines():
        target, operation, text = re.match(r"^\s*(\w+)\s*(\S*=)\s*(.+)$", line).groups()  # type: ignore[union-attr]
        found.append(f"{target} {operation} {brian2_text(text)}")
    return found


def _moves(made: Any) -> bool:
    return any(eq.type == DIFFERENTIAL_EQUATION for eq in made.equations.values())


def _kept(name: str) -> str:
    return "learnt" if name == OPTIONS else "a signal"


def _line(eq: SingleEquation, comment: str = "") -> str:
    """Return an equation as Brian2 reads it."""
    unit = "boolean" if str(eq.var_type) == "boolean" else unit_text(eq.dim)
    flags = f" ({', '.join(eq.flags)})" if eq.flags else ""
    if eq.expr is None:
        return f"{eq.varname} : {unit}{flags}" + (f"  # {comment}" if comment else "")
    left = f"d{eq.varname}/dt" if eq.type == DIFFERENTIAL_EQUATION else eq.varname
    return f"{left} = {brian2_text(str(eq.expr))} : {unit}{flags}"


def _pruned(equations: list[SingleEquation], read: set[str]) -> list[SingleEquation]:
    """Drop subexpressions that nothing reads."""
    texts = {eq.varname: str(eq.expr) for eq in equations if eq.type == SUBEXPRESSION}
    moving = [str(eq.expr) for eq in equations if eq.type == DIFFERENTIAL_EQUATION]
    used = closure(read.union(*map(names_in, moving)) if moving else read, texts)
    return [eq for eq in equations if eq.type != SUBEXPRESSION or eq.varname in used]
