"""A model as Brian2 objects: NeuronGroups for its populations, Synapses for its couplings.

Between populations of one neuron, a coupling is Synapses from neuron to neuron. Between larger populations, all neurons
of an option are connected all-to-all with the same strength, so a neuron only receives the mean of the other
population. This mean is simulated: one synapse from each neuron to its option (or game) sums it up, and the neurons of
the target read it through a linked variable. This is exact, and needs n synapses instead of n squared. Contacts, which
learn individually, are simulated individually.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from brian2 import Clock, Equations, NeuronGroup, Quantity, Synapses, linked_var
from brian2.equations.equations import BOOLEAN, DIFFERENTIAL_EQUATION, PARAMETER, SUBEXPRESSION, SingleEquation
from brian2.units.fundamentalunits import DIMENSIONLESS
from brian2.utils.stringtools import word_substitute

from nsa_brian.codegen.connect import connect
from nsa_brian.codegen.population_code import how_it_arrives
from nsa_brian.codegen.streams import count_of
from nsa_brian.model.functions import CANONICAL
from nsa_brian.model.model import Model
from nsa_brian.model.reading import names_in
from nsa_brian.model.structure import SPIKED, SYNAPSE, Link, Neurons, U, V, closure, equation, variable

#: Order within a time step: summed variables, link by link; synapses; neurons. So all step from the same state.
_ARRIVING, _SYNAPSES = -1000, -1
#: Time since a neuron's last spike, from integer time steps: a difference of times has rounding errors.
SINCE = "((timestep(t, dt) - timestep(lastspike_{end}, dt)) * dt)"


class NetworkObjects:
    """Brian2 objects of a model for a batch of games.

    Attributes
    ----------
    groups : dict
        The NeuronGroup of each population, by its name in the model; ``"u"`` and ``"v"`` first. Neurons are ordered by
        game, then by option.
    synapses : dict
        The Synapses of each coupling between single neurons, by the variable that it delivers; and those of means.
    options, games : NeuronGroup or None
        Variables shared by many neurons: the means of each option and of each game, and the variables of options that
        change within a round.
    contacts : Synapses or None
    owner : dict
        The object that holds each state variable, and the variable's name there.
    given : dict
        Variables of options and games that are set at a round's start, with the groups that read them.
    clock : Clock
    all : list
        All objects, for a Network.
    """

    def __init__(
        self, model: Model, values: Mapping[str, float], n_games: int, n_arms: int, dt: Any, method: str, name: str
    ) -> None:
        structure = self._structure = model.structure
        self._n_games, self._n_arms = n_games, n_arms
        dimensions = structure.dimensions
        namespace = {key: Quantity(value, dim=dimensions.get(key, DIMENSIONLESS)) for key, value in values.items()}
        namespace |= {"n_arms": float(n_arms), **CANONICAL}
        self.clock = Clock(dt=dt, name=f"{name}_clock")
        self._made: dict[str, Any] = {"namespace": namespace, "clock": self.clock}
        self._method, self._name = method, name
        self.sizes = {key: count_of(neurons, values) for key, neurons in structure.populations.items()}
        self.given: dict[str, list[Any]] = {}
        self.groups: dict[str, NeuronGroup] = {}
        self.synapses: dict[str, Synapses] = {}
        self.owner: dict[str, tuple[Any, str]] = {}
        self.options = self.games = None
        self._read_by_options: list[tuple[str, str]] = []
        self._direct = [link for link in structure.links if self._is_direct(link)]
        self._means = [link for link in structure.links if link not in self._direct]
        if not structure.single:
            self._make_levels()
        for key, neurons in structure.populations.items():
            self.groups[key] = self._population(neurons)
            for code in neurons.state:
                self.owner[code] = (self.groups[key], self._shown(neurons)[code])
        for name, key in self._read_by_options:
            setattr(self.options, name, linked_var(self.groups[key], name))
        for link in self._direct:
            self._make_direct(link)
        for link in self._means:
            self._make_mean(link)
        self._deliver()
        self.contacts = self._make_contacts() if structure.contacts else None
        levels = [group for group in (self.options, self.games) if group is not None]
        self.all = [*levels, *self.groups.values(), *self.synapses.values()]
        self.all += [self.contacts] if self.contacts is not None else []

    # Names -----------------------------------------------------------------------------------------------------------

    def _shown(self, neurons: Neurons) -> dict[str, str]:
        """Map names of the structure to the user-visible names in a population's group."""
        found = {code: written for written, code in neurons.written.items()} | {f"{SPIKED}_of_{neurons.name}": SPIKED}
        means = [link.variable for link in self._structure.links if link.target == neurons.name]
        return found | {name: name.removesuffix(f"_in_{neurons.name}") for name in means}

    def _reads(self, neurons: Neurons) -> set[str]:
        """Return the names read by a population's equations and its outgoing drives, except that of the synapse."""
        found = list(neurons.texts)
        for link in self._structure.links:
            if link.source == neurons.name and not self._holds_synapse(link):
                found += link.texts
        return set().union(*map(names_in, found))

    def _holds_synapse(self, link: Link) -> bool:
        """Return whether a link's Synapses hold the variables of options: the paper's UV."""
        return self._structure.single and link.variable == "I_v"

    @property
    def _above(self) -> list[str]:
        """Names of options and games."""
        return [*self._structure.names(SYNAPSE), *self._structure.names("signals"), *self._structure.inputs]

    def _is_given(self, name: str) -> bool:
        """Return whether a variable of options or games is constant within a round, and so is set at its start."""
        return self._structure.is_static(name)

    @property
    def _read_by_uv(self) -> list[str]:
        """Names of games, and inputs, that UV reads if it holds the synapse."""
        structure = self._structure
        texts = [str(eq.expr) for eq in structure.synapse if eq.expr is not None]
        texts += [text for link in structure.links if self._holds_synapse(link) for text in link.texts]
        read = set().union(*map(names_in, texts)) if structure.single else set()
        return [name for name in self._above if name in read and name not in structure.names(SYNAPSE)]

    def _here(self, name: str, key: str) -> str:
        """Return the name of an option's or game's variable in a population's group; it must differ from UV's names."""
        taken = name in self._structure.names(SYNAPSE) or name in self._read_by_uv
        return f"{name}_in_{key}" if self._structure.single and key in (U, V) and taken else name

    # Populations -----------------------------------------------------------------------------------------------------

    def owners(self, key: str) -> np.ndarray:
        """Return the option (or game, for a pool) that each neuron belongs to."""
        of_options = self._structure.populations[key].of_options
        return np.repeat(np.arange(self._n_games * (self._n_arms if of_options else 1)), self.sizes[key])

    def _game_of(self, key: str) -> np.ndarray:
        of_options = self._structure.populations[key].of_options
        return self.owners(key) // self._n_arms if of_options else self.owners(key)

    def _population(self, neurons: Neurons) -> NeuronGroup:
        """Create the NeuronGroup of a population, with variables for all its input."""
        structure, shown = self._structure, self._shown(neurons)
        key = neurons.name
        shown |= {name: self._here(name, key) for name in self._above}
        lines = [self._renamed(eq, shown) for eq in neurons.equations]
        linked: list[tuple[str, Any, str, np.ndarray]] = []
        for link in structure.links:
            if link.target == key:
                whole = link in self._direct or self._is_passed_on(link)
                lines += self._arrival(link) if whole else self._linked(link, shown, linked)
        read = self._reads(neurons)
        lines += [variable(name, DIMENSIONLESS, "shared") for name in structure.phased if name in read or key == U]
        random = [*neurons.normal, *neurons.poisson]
        lines += [variable(shown[name], DIMENSIONLESS) for name in random]
        read |= set(self._delivered.get(key, ()))
        above = [name for name in self._above if name in read]
        above += [name for name in ("choice", "R") if name in read and structure.after]
        if structure.contacts and key == V:
            above += [name for name in self.learnt if name not in above]
        lines += [variable(self._here(name, key), structure.dimensions[name]) for name in above]
        options: dict[str, Any] = {}
        if neurons.spikes:
            lines.append(variable("count", DIMENSIONLESS))
            if any(f"{SPIKED}_of_{key}" in names_in(link.drive) for link in structure.links):
                text = "int(abs(t - lastspike - dt) < dt / 2)"  # in the time step before this one
                lines.append(equation(SUBEXPRESSION, SPIKED, DIMENSIONLESS, text))
            reset = "\n".join(
                f"{shown[s.target]} {s.operation} {word_substitute(s.expression, shown)}" for s in neurons.reset
            )
            options = {
                "threshold": word_substitute(neurons.threshold, shown),
                "reset": f"{reset}\ncount += 1",
                "refractory": neurons.refractory or "0*second",
            }
        if structure.contacts and key == V:
            lines.append(SingleEquation(PARAMETER, "outcome", DIMENSIONLESS, var_type=BOOLEAN, flags=["shared"]))
            options["events"] = {"outcome": "outcome"}
        size = self._n_games * self.sizes[key] * (self._n_arms if neurons.of_options else 1)
        label = f"{self._name}_{key.upper() if key in (U, V) else key}"
        group = NeuronGroup(size, Equations(lines), method=self._method, name=label, **options, **self._made)
        for name, level, of, index in linked:
            setattr(group, name, linked_var(level, of, index=index))
        for name in above:
            if name in ("choice", "R") or self._is_given(name):
                here = (group, self._here(name, key), self.sizes[key], neurons.of_options)
                self.given.setdefault(name, []).append(here)
        return group

    @property
    def learnt(self) -> list[str]:
        """Variables of options, games and the outcome that the learning rule of contacts reads."""
        rewarded = any("R" in names_in(statement.expression) for statement in self._structure.contact_rule)
        return [*self._structure.read_by_contacts, *(["R"] if rewarded else [])]

    def _renamed(self, eq: SingleEquation, shown: Mapping[str, str]) -> SingleEquation:
        text = word_substitute(str(eq.expr), shown)
        return equation(eq.type, shown.get(eq.varname, eq.varname), eq.dim, text, *eq.flags)

    # Couplings between single neurons --------------------------------------------------------------------------------

    def _is_direct(self, link: Link) -> bool:
        """Return whether a link is Synapses from single neuron to single neuron."""
        ends = [self._structure.populations.get(end) for end in (link.source, link.target)]
        return all(neurons is not None and neurons.single for neurons in ends)

    def _is_passed_on(self, link: Link) -> bool:
        """Return whether a mean arrives in a pool of one neuron that passes it on within the same time step.

        It is then a variable of that neuron: Brian2's synapses cannot read subexpressions of linked variables.
        """
        structure, target = self._structure, self._structure.populations.get(link.target)
        if link in self._direct or target is None or not target.single or target.of_options:
            return False
        sent = [text for other in structure.links if other.source == link.target for text in other.texts]
        return link.variable in structure.comes_down_to(set().union(*map(names_in, sent)))

    def _arrival(self, link: Link) -> list[SingleEquation]:
        """Return the equations of the summed input.

        Input from other options is computed as the sum over all minus the own contribution. So the order of summation
        is the same for every neuron, and identical neurons stay identical to the last bit.
        """
        name = self._shown(self._structure.populations[link.target])[link.variable]
        if not _from_others(link, self._structure.of_options):
            return [variable(name, link.dimension)]
        over = " / (n_arms - 1)" if link.over == "mean" else ""
        return [
            variable(f"{name}_all", link.dimension),
            *([variable(f"{name}_own", link.dimension)] if link.source != link.target else []),
            equation(SUBEXPRESSION, name, link.dimension, f"({name}_all - {self._own(link, name)}){over}"),
        ]

    def _own(self, link: Link, name: str) -> str:
        """Return the own contribution: that of the neuron itself, or of its partner in the other population."""
        if link.source != link.target:
            return f"{name}_own"
        here = {above: self._here(above, link.target) for above in self._above}
        return f"({word_substitute(_inlined(link), here)})"

    def _make_direct(self, link: Link) -> None:
        labels = {"I_u": f"{self._name}_VU", "I_v": f"{self._name}_UV"}
        name = self._arrives_as(link)
        key = name if [self._arrives_as(other) for other in self._direct].count(name) == 1 else link.variable
        label = labels.get(name, f"{self._name}_{key}")
        others = _from_others(link, self._structure.of_options)
        arriving, drive = (f"{name}_all" if others else name), link.drive
        if link.over == "mean" and not others and not link.diagonal and link.source in self._structure.of_options:
            drive = f"({drive}) / n_arms"
        self.synapses[key] = self._synapses(link, arriving, drive, label, link.to)
        if others and link.source != link.target:
            self.synapses[f"{key}_own"] = self._synapses(link, f"{name}_own", drive, f"{self._name}_{key}_own", "own")

    def _arrives_as(self, link: Link) -> str:
        """Return the name of the input in the target's group; several populations may use the same name."""
        return self._shown(self._structure.populations[link.target])[link.variable]

    def _synapses(self, link: Link, arriving: str, drive: str, label: str, to: str) -> Synapses:
        """Create and connect the Synapses of a coupling."""
        structure = self._structure
        lines = [self._seen(eq, link) for eq in link.helpers]
        if self._holds_synapse(link) and arriving == link.variable:
            for eq in structure.synapse:
                seen = self._seen(eq, link)
                if seen.type == DIFFERENTIAL_EQUATION:
                    seen = equation(seen.type, seen.varname, seen.dim, str(seen.expr), "clock-driven")
                lines.append(seen)
            lines += [variable(name, structure.dimensions[name]) for name in self._read_by_uv]
            for key, end in ((U, "pre"), (V, "post")):
                for name in self._delivered.get(key, ()):
                    here, dimension = self._here(name, key), structure.dimensions[name]
                    lines.append(equation(SUBEXPRESSION, f"{here}_{end}", dimension, name, "summed"))
        summed = equation(SUBEXPRESSION, f"{arriving}_post", link.dimension, self._ended(drive, link), "summed")
        source, target = self.groups[link.source], self.groups[link.target]
        equations = Equations([*lines, summed])
        made = Synapses(source, target, equations, order=_SYNAPSES, method=self._method, name=label, **self._made)
        connect(made, *self._ends(link, to))
        for name, updater in made.summed_updaters.items():
            updater.order = _ARRIVING + link.rank if name == f"{arriving}_post" else _ARRIVING - 2
        if self._holds_synapse(link) and arriving == link.variable:
            self.owner |= {name: (made, name) for name in structure.state(SYNAPSE)}
            for name in self._read_by_uv:
                self.given.setdefault(name, []).append((made, name, 1, True))
        return made

    def _ends(self, link: Link, to: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the source and target neuron of each synapse of a coupling, always in the same game."""
        games, n_arms, options_of = np.arange(self._n_games), self._n_arms, self._structure.of_options
        options = np.arange(len(games) * n_arms)
        if link.source in options_of and link.target in options_of and to != "own":
            return np.repeat(options, n_arms), np.repeat(options.reshape(-1, n_arms), n_arms, axis=0).ravel()
        if (link.source in options_of) == (link.target in options_of):
            return (options, options) if link.source in options_of else (games, games)
        own = options // n_arms  # each option's game
        return (options, own) if link.source in options_of else (own, options)

    def _seen(self, eq: SingleEquation, link: Link) -> SingleEquation:
        return eq if eq.expr is None else equation(eq.type, eq.varname, eq.dim, self._ended(str(eq.expr), link))

    def _ended(self, text: str, link: Link) -> str:
        """Return an expression for the synapses of a link, with ``_pre`` and ``_post`` added to neurons' variables."""
        structure, held = self._structure, self._holds_synapse(link)
        ends: dict[str, str] = {}
        for place, end in ((link.target, "_post"), (link.source, "_pre")):
            if place not in structure.populations or (end == "_post" and link.source == link.target):
                continue
            shown = self._shown(structure.populations[place])
            own = [*structure.names(place), *structure.arriving(place), *structure.phased, f"{SPIKED}_of_{place}"]
            ends |= {name: f"{shown.get(name, name)}{end}" for name in own}
        if not held:  # variables of the option and game in the source's neurons
            ends |= {name: f"{self._here(name, link.source)}_pre" for name in self._above if name not in ends}
        return word_substitute(text, {name: end for name, end in ends.items() if name in names_in(text)})

    @property
    def _delivered(self) -> dict[str, list[str]]:
        """Variables of the synapse that change within a round, by the populations that read them."""
        structure = self._structure
        moving = [name for name in structure.names(SYNAPSE) if not self._is_given(name)]
        found = {}
        for key in structure.of_options:
            read = self._reads(structure.populations[key])
            found[key] = [name for name in moving if name in read]
        if structure.single:  # other populations read variables of UV through U
            found[U] = [name for name in moving if any(name in found[key] for key in found if key != V)]
        return found

    def _deliver(self) -> None:
        """Deliver these variables to neurons from the group of options, or from U, which has them from UV."""
        for key, names in self._delivered.items():
            if self._structure.single and key in (U, V):
                continue
            source = self.groups[U] if self._structure.single else self.options
            for name in names:
                dimension = self._structure.dimensions[name]
                sent = self._here(name, U) if self._structure.single else name
                eq = equation(SUBEXPRESSION, f"{name}_post", dimension, f"{sent}_pre", "summed")
                label = f"{self._name}_{name}_to_{key}"
                owner = self.owners(key)
                self._sum(label, source, self.groups[key], [eq], owner, np.arange(len(owner)), _ARRIVING - 1)

    def _sum(
        self,
        label: str,
        source: Any,
        target: Any,
        lines: list[SingleEquation],
        i: np.ndarray,
        j: np.ndarray,
        order: int,
    ) -> None:
        """Create Synapses with summed variables."""
        made = Synapses(source, target, Equations(lines), name=label, **self._made)
        connect(made, i, j)
        for updater in made.summed_updaters.values():
            updater.order = order
        self.synapses[label.removeprefix(f"{self._name}_")] = made

    # Means over many neurons -----------------------------------------------------------------------------------------

    def _make_levels(self) -> None:
        """Create the groups of options and of games."""
        structure = self._structure
        options, games = [], []
        for link in self._means:
            how = how_it_arrives(link, structure)
            if self._is_passed_on(link):
                continue
            if how == "scalar":
                games.append(variable(link.variable, link.dimension))
            else:
                name = link.variable if how == "own" else f"{link.variable}_own"
                options.append(variable(name, link.dimension))
                games += [variable(f"{link.variable}_all", link.dimension)] if how == "others" else []
        linked: list[tuple[str, str]] = []
        moving = [eq for eq in structure.synapse if eq.expr is not None and not structure.is_static(eq.varname)]
        if moving:
            options += [self._inner(eq) for eq in moving]
            read = closure(set().union(*(names_in(str(eq.expr)) for eq in moving)), structure.expressions)
            given = [name for name in self._above if name in read and self._is_given(name)]
            options += [variable(name, structure.dimensions[name]) for name in given]
            options += [variable(name, DIMENSIONLESS, "shared") for name in structure.phased if name in read]
            for key in structure.of_options:
                neurons = structure.populations[key]
                if neurons.single:
                    for eq in neurons.equations:
                        if eq.varname in read and eq.type == SUBEXPRESSION:
                            options.append(eq)
                        elif eq.varname in read:
                            options.append(variable(eq.varname, eq.dim, "linked"))
                            linked.append((eq.varname, key))
        size = self._n_games * self._n_arms
        equations = {"model": Equations(options), "method": self._method, "order": _SYNAPSES}
        self.options = NeuronGroup(size, name=f"{self._name}_options", **equations, **self._made)
        self.games = NeuronGroup(self._n_games, Equations(games), name=f"{self._name}_games", **self._made)
        self._read_by_options = linked
        if moving:
            self.owner |= {name: (self.options, name) for name in structure.dynamic}
            for name in given:
                self.given.setdefault(name, []).append((self.options, name, 1, True))

    def _inner(self, eq: SingleEquation) -> SingleEquation:
        """Return an equation of the synapse for the group of options."""
        return equation(eq.type, eq.varname, eq.dim, str(eq.expr))

    def _linked(
        self, link: Link, shown: Mapping[str, str], linked: list[tuple[str, Any, str, np.ndarray]]
    ) -> list[SingleEquation]:
        """Return the equations with which a population reads a mean; add the linked variables to ``linked``."""
        name, how = shown[link.variable], how_it_arrives(link, self._structure)
        owner, game = self.owners(link.target), self._game_of(link.target)
        if how == "own":
            linked.append((name, self.options, link.variable, owner))
        elif how == "scalar":
            linked.append((name, self.games, link.variable, game))
        else:
            linked.append((f"{name}_all", self.games, f"{link.variable}_all", game))
            linked.append((f"{name}_own", self.options, f"{link.variable}_own", owner))
            ends = [variable(f"{name}_{part}", link.dimension, "linked") for part in ("all", "own")]
            return [*ends, equation(SUBEXPRESSION, name, link.dimension, f"{name}_all - {name}_own")]
        return [variable(name, link.dimension, "linked")]

    def _make_mean(self, link: Link) -> None:
        """Create the Synapses from all neurons of a population to their option or game."""
        structure = self._structure
        per, source = self.sizes[link.source], structure.populations[link.source]
        how, whole = how_it_arrives(link, structure), per * (self._n_arms if source.of_options else 1)
        owner = self.owners(link.source)
        game = owner // self._n_arms if source.of_options else owner
        divisor = per if how == "own" or link.over == "sum" else whole - (per if how == "others" else 0)
        divisor = divisor if source.of_options else per
        parts = {"own": [("", self.options, owner)], "scalar": [("", self.games, game)]}
        parts["others"] = [("_all", self.games, game), ("_own", self.options, owner)]
        if self._is_passed_on(link):
            parts["scalar"] = [("", self.groups[link.target], game)]
        for ending, level, index in parts[how]:
            lines = [self._seen(eq, link) for eq in link.helpers]
            name = f"{link.variable}{ending}"
            arriving = self._arrives_as(link) if self._is_passed_on(link) else name
            text = f"({self._ended(link.drive, link)}) / {divisor}"
            lines.append(equation(SUBEXPRESSION, f"{arriving}_post", link.dimension, text, "summed"))
            label, order = f"{self._name}_{name}", _ARRIVING + link.rank
            self._sum(label, self.groups[link.source], level, lines, np.arange(len(owner)), index, order)

    def _make_contacts(self) -> Synapses:
        """Create the contacts from each neuron of U to each neuron of V of its option."""
        seen = {f"since_{end}": SINCE.format(end=end) for end in ("pre", "post")}
        seen |= {name: f"{name}_post" for name in self.learnt}
        rule = "\n".join(
            f"{s.target} {s.operation} {word_substitute(s.expression, seen)}" for s in self._structure.contact_rule
        )
        names = [*self._structure.contacts, "chance"]
        made = Synapses(
            self.groups[U],
            self.groups[V],
            Equations([variable(name, DIMENSIONLESS) for name in names]),
            on_post={"outcome": rule},
            on_event={"outcome": "outcome"},
            name=f"{self._name}_UV",
            **self._made,
        )
        n_u, n_v = self.sizes[U], self.sizes[V]
        option = np.repeat(np.arange(self._n_games * self._n_arms), n_u * n_v)
        within = np.tile(np.arange(n_u * n_v), self._n_games * self._n_arms)
        connect(made, option * n_u + within // n_v, option * n_v + within % n_v)
        return made


def _from_others(link: Link, options: list[str]) -> bool:
    return link.to == "others" and link.source in options and link.target in options


def _inlined(link: Link) -> str:
    """Return a drive with its helper equations substituted."""
    text = link.drive
    for eq in reversed(link.helpers):
        text = word_substitute(text, {eq.varname: f"({eq.expr})"})
    return text
