"""Code of a population of neurons, for the template ``columns.pyx``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from brian2 import Equations
from brian2.equations.equations import SUBEXPRESSION
from brian2.units.fundamentalunits import DIMENSIONLESS
from brian2.utils.stringtools import word_substitute

from nsa_brian.codegen.group import UnitGroup
from nsa_brian.codegen.invariants import Invariants, time_step
from nsa_brian.model.reading import names_in, plain
from nsa_brian.model.structure import REFRACTORY, SPIKED, SYNAPSE, Link, Neurons, Structure, equation, variable


def neurons_of(structure: Structure) -> dict[str, Neurons]:
    """Return the populations, with the synapse as one more if it changes within a round."""
    found = dict(structure.populations)
    lines = tuple(eq for eq in structure.synapse if eq.expr is not None and not structure.is_static(eq.varname))
    if lines:
        dynamic = tuple(structure.dynamic)
        found[SYNAPSE] = Neurons(SYNAPSE, "option", 1, lines, initial=dict.fromkeys(dynamic, "0"), carried=dynamic)
    return found


@dataclass(frozen=True)
class Arrival:
    """Input of a population in each time step.

    Attributes
    ----------
    name : str
        Variable of the target.
    how : str
        See :func:`how_it_arrives`.
    source, target : str
        Populations.
    of : str
        Variable of the source that is summed over neurons.
    divisor : str
        Divisor of the sum, in C++.
    send : str
        Expression that ``of`` is computed from; empty if it is a state variable.
    """

    name: str
    how: str
    source: str
    target: str
    of: str
    divisor: str
    send: str = ""


class PopulationCode:
    """Code of a population, or of the synapse; the template reads its attributes.

    Attributes
    ----------
    name : str
    neurons : Neurons
    arrays : list of str
        Variables of each neuron.
    static, moving : list of str
        Variables of the option that it reads: those that are constant within a round, and those that change.
    given : dict
        The array of each static variable.
    choice : str
        The array that marks the chosen option; empty if it is not read.
    shared : list of str
        Scalars of the game.
    row : int
        Row in the spike counts, -1 if spikes are not counted.
    """

    def __init__(self, structure: Structure, neurons: Neurons) -> None:
        self.neurons, self.structure = neurons, structure
        place = self.name = neurons.name
        sent = [text for link in structure.links if link.source == place for text in link.texts]
        course = [*neurons.texts, *sent]
        read = set().union(*map(names_in, course))
        options = {*structure.names(SYNAPSE), *(n for n, each in structure.inputs.items() if each.per == "option")}
        own = {eq.varname for eq in neurons.equations}
        above = [name for name in sorted(read & options) if name not in own]
        self.static = [name for name in above if structure.is_static(name)]
        self.moving = [name for name in above if name not in self.static]
        self._names = {name: f"{name}_in_{place}" for name in above} | {"choice": f"choice_in_{place}"}
        arrays = [*neurons.state, *neurons.normal, *neurons.poisson]
        if neurons.spikes:
            arrays.append(f"{SPIKED}_of_{place}")
        links = [link for link in structure.links if link.target == place]
        arrays += [link.variable for link in links if how_it_arrives(link, structure) != "scalar"]
        arrays += [self._names[name] for name in above]
        self.given = {name: self._names[name] for name in self.static}
        self.choice = self._names["choice"] if neurons.of_options and "choice" in read else ""
        arrays += [self.choice] if self.choice else []
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
        self.row = "uv".index(place) if place in ("u", "v") and neurons.spikes else -1

    @property
    def texts(self) -> list[str]:
        """All expressions of the population."""
        neurons = self.neurons
        more = [neurons.refractory] if neurons.refractory else []
        return [*neurons.texts, *more, *neurons.initial.values(), *neurons.poisson.values()]

    @property
    def keeps_last(self) -> bool:
        """Whether the time of each neuron's last spike is stored."""
        return f"last_in_{self.name}" in self.arrays

    def translate(self, text: str) -> str:
        """Return an expression with the names used in the code."""
        return plain(word_substitute(text, self._names))

    def enter(self, group: UnitGroup) -> None:
        """Add the population's subexpressions to a group."""
        for eq in self.neurons.equations:
            if eq.type == SUBEXPRESSION:
                group.variables.add_subexpression(eq.varname, expr=self.translate(str(eq.expr)), dimensions=eq.dim)
        if "N" not in group.variables:
            group.variables.add_constant("N", 1)

    @property
    def begin(self) -> str:
        """Code of the start of a round."""
        neurons, place = self.neurons, self.neurons.name
        lines = [f"{n} = {self.translate(text)}" for n, text in neurons.initial.items() if n not in neurons.carried]
        lines += [f"{SPIKED}_of_{place} = 0"] if neurons.spikes else []
        if neurons.refractory:
            lines.append(f"wait_in_{place} = 0")
        if self.keeps_last:
            lines.append(f"last_in_{place} = -1e12")
        return "\n".join(lines)

    def step(self, invariants: Invariants, variables: Mapping[str, Any]) -> str:
        """Return the code of a time step, with the spikes at its end."""
        neurons, place = self.neurons, self.neurons.name
        lines = []
        for eq in neurons.equations:
            text = self.translate(str(eq.expr))
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
        before, fires = "", f"int({self.translate(neurons.threshold)})"
        if neurons.refractory:
            before = f"wait_in_{place} = wait_in_{place} - 1\nfree_in_{place} = int(wait_in_{place} <= 0)\n"
            fires += f" * free_in_{place}"
        return f"{before}{code}\n{SPIKED}_of_{place} = {fires}"

    @property
    def reset(self) -> str:
        """Code of the reset after a spike."""
        return "\n".join(f"{s.target} {s.operation} {self.translate(s.expression)}" for s in self.neurons.reset)

    @property
    def rates(self) -> str:
        """Code of the mean number of Poisson events per time step."""
        return "\n".join(
            f"mean_of_{event} = ({self.translate(rate)}) * dt" for event, rate in self.neurons.poisson.items()
        )


def how_it_arrives(link: Link, structure: Structure) -> str:
    """Return ``"own"`` or ``"others"`` (source options) if the input differs between options, else ``"scalar"``."""
    source = structure.populations[link.source]
    to_options = link.target == SYNAPSE or structure.populations[link.target].of_options
    if not (source.of_options and to_options) or link.to == "all":
        return "scalar"
    return link.to


def _sends(link: Link, source: Neurons) -> bool:
    """Return whether the drive must be computed, rather than being a variable of the neurons."""
    return link.drive not in source.state and link.drive != f"{SPIKED}_of_{source.name}"


def arrival(link: Link, source: PopulationCode) -> Arrival:
    """Return the input that a coupling delivers."""
    send = ""
    if _sends(link, source.neurons):
        text = link.drive
        for eq in reversed(link.helpers):
            text = word_substitute(text, {eq.varname: f"({eq.expr})"})
        send = source.translate(text)
    how = how_it_arrives(link, source.structure)
    per, size = f"_per_{link.source}", f"_size_{link.source}"
    divisor = per if how == "own" else size
    if how != "own" and source.neurons.of_options:
        divisor = {"sum": per, "mean": size if how == "scalar" else f"({size} - {per})"}[link.over]
    of = f"_sent_{link.variable}" if send else link.drive
    return Arrival(link.variable, how, link.source, link.target, of, divisor, send)


def copied(name: str, target: PopulationCode, synapse: PopulationCode) -> Arrival:
    """Return the input that delivers a changing variable of the synapse to the neurons of its option."""
    eq = next(eq for eq in synapse.neurons.equations if eq.varname == name)
    here, divisor = f"{name}_in_{target.name}", f"_per_{SYNAPSE}"
    if eq.type != SUBEXPRESSION:
        return Arrival(here, "own", SYNAPSE, target.name, name, divisor)
    sent = f"_sent_{here}"
    synapse.arrays.append(sent)
    return Arrival(here, "own", SYNAPSE, target.name, sent, divisor, send=name)
