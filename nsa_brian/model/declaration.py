"""Reading a model's declaration: every equation parsed, every name found, every unit checked."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import sympy
from brian2 import second
from brian2.core.namespace import DEFAULT_UNITS
from brian2.equations.equations import DIFFERENTIAL_EQUATION, FLOAT, PARAMETER, SUBEXPRESSION, SingleEquation
from brian2.parsing.sympytools import str_to_sympy
from brian2.units.fundamentalunits import DIMENSIONLESS, Dimension
from brian2.utils.stringtools import word_substitute

from nsa_brian.errors import ModelError, closest
from nsa_brian.model import equations as paper
from nsa_brian.model.couplings import Coupling
from nsa_brian.model.functions import FUNCTIONS, canonical
from nsa_brian.model.names import CONSTANTS, MEANINGS, check_name
from nsa_brian.model.reading import (
    Statement,
    Value,
    canonical_rule,
    dimension_of,
    names_in,
    nearest,
    read_equations,
    read_rule,
    read_value,
    unit_of,
    unknown,
)
from nsa_brian.model.structure import (
    OPTIONS,
    SYNAPSE,
    Link,
    Structure,
    U,
    V,
    canonical_equation,
    closure,
    equation,
    variable,
)

if TYPE_CHECKING:
    from nsa_brian.model.model import Model
    from nsa_brian.parameters import Parameter


#: What the mark stands for in each population.
NOISE = {U: paper.NOISE_U, V: paper.NOISE_V}


def read(model: Model) -> Structure:
    """A model's structure; a :class:`ModelError` says what is wrong with the declaration, and where."""
    return _Reader(model).structure()


class _Reader:
    """A declaration on its way to a structure."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.declared = model.declared
        self.dimensions: dict[str, Dimension] = {
            **{name: unit_of(info.unit).dim for name, info in self.declared.items()},
            **dict.fromkeys(("I", "n_arms", "noise", "n_u", "n_v", "R", "chosen"), DIMENSIONLESS),
            "dt": second.dim,
        }
        self.origin: dict[str, str] = {}
        self.used: set[str] = set()
        self.places: dict[str, list[SingleEquation]] = {U: [], V: [], SYNAPSE: []}
        self.arriving: dict[str, list[str]] = {}
        self.noisy: dict[str, list[tuple[SingleEquation, SingleEquation]]] = {}  # without noise, and with it

    def structure(self) -> Structure:
        """Read all strings, in an order in which each finds the names that it needs."""
        self._check_parameters()
        self._read_places()
        self._couplings = self._read_couplings()
        self._declare_arrivals()
        self._resolve_equations()
        links = self._resolve_links()
        self._check_equations()
        self._check_noise()
        initial = self._read_initial()
        rule, rule_reads = self._read_rule()
        self._check_carried()
        self._check_everything_is_used()
        return Structure(
            places={place: list(map(canonical_equation, listed)) for place, listed in self.places.items()},
            arriving=self.arriving,
            links=tuple(map(_canonical_link, links)),
            initial={name: canonical(text) for name, text in initial.items()},
            carried=self.model.carried,
            rule=canonical_rule(rule),
            rule_reads=rule_reads,
            dimensions=self.dimensions,
            used=frozenset(self.used),
            origin=self.origin,
            noise=self.model.noise,
        )

    def _names(self, place: str) -> list[str]:
        return [eq.varname for eq in self.places[place]]

    def _state(self, place: str) -> list[str]:
        return [eq.varname for eq in self.places[place] if eq.type != SUBEXPRESSION]

    def _visible(self, place: str) -> list[str]:
        return [*self._names(place), *self.arriving.get(place, ())]

    @property
    def _expressions(self) -> dict[str, str]:
        listed = [eq for place in self.places.values() for eq in place if eq.type == SUBEXPRESSION]
        return {eq.varname: str(eq.expr) for eq in listed}

    def _check_parameters(self) -> None:
        for parameter in self.model.parameters:
            check_name("parameters", parameter.name)

    def _read_places(self) -> None:
        model = self.model
        for place, where in ((U, "rate_u"), (V, "rate_v")):
            text = getattr(model, where)
            if not isinstance(text, str):
                raise ModelError(f"{where} must be equations, got {text!r}")
            rate = read_equations(where, text.replace("{noise}", ""))
            if "{noise}" in text:
                noisy = read_equations(where, text.replace("{noise}", NOISE[place]))
                self.noisy[place] = list(zip(rate, noisy, strict=True))
                rate = noisy if model.noise else rate
            self._expect(where, rate, place, DIFFERENTIAL_EQUATION, f"d{place}/dt = ... : 1")
            response = renamed(self.declared, "response", model.response, place, {"x": place})
            self._expect("response", response, f"phi_{place}", SUBEXPRESSION, "phi = ... : 1")
            for eq in (*rate, *response):
                self._add(where if eq in rate else "response", place, eq)
        synapse = read_equations("synapse", model.synapse)
        if "w" not in [eq.varname for eq in synapse]:
            synapse.insert(0, variable("w", DIMENSIONLESS))
        for eq in synapse:
            self._add("synapse", SYNAPSE, eq)
        for suffix in ("v", "eta"):
            for eq in renamed(self.declared, "gaussian_sigmoid", model.gaussian_sigmoid, suffix, {}):
                if eq.type != SUBEXPRESSION:
                    raise ModelError(f"gaussian_sigmoid holds expressions only, got {eq.varname} with its own dynamics")
                self._add("gaussian_sigmoid", SYNAPSE, eq)
        if "Phi_v" not in self.origin:
            raise ModelError("gaussian_sigmoid must define Phi: Phi = ... : 1")
        for population in model.populations:
            where = f"population {population.name}"
            self._take(where, population.name)
            self.places[population.name] = []
            for eq in read_equations(where, population.equations):
                self._add(where, population.name, eq)
            if not self.places[population.name]:
                raise ModelError(f"{where} has no equations")

    def _check_noise(self) -> None:
        """Refuse noise in a place where its standard deviation would not be what ``noise`` says."""
        for place, pairs in self.noisy.items():
            added = str_to_sympy(f"(0{NOISE[place]}) / tau_{place}")
            for without, noisy in pairs:
                more = str_to_sympy(str(noisy.expr)) - str_to_sympy(str(without.expr))
                if sympy.expand(more - (added if noisy.varname == place else 0)) != 0:
                    raise ModelError(
                        f"rate_{place}: {{noise}} stands once, where it is added to what tau_{place} divides: "
                        f"d{place}/dt = (-{place} + ... {{noise}}) / tau_{place} : 1"
                    )

    def _expect(self, where: str, found: list[SingleEquation], name: str, kind: str, form: str) -> None:
        if not any(eq.varname == name and eq.type == kind for eq in found):
            raise ModelError(f"{where} must define {form}")

    def _add(self, where: str, place: str, eq: SingleEquation) -> None:
        """Enter an equation; refuse a name that is taken, and what engines know nothing of."""
        name = eq.varname
        if (name in (U, V) and place != name) or (name == "w" and place != SYNAPSE):
            raise ModelError(f"{where}: the name {name!r} is taken, by the model's own variable")
        self._take(where, name)
        flags = set(eq.flags) - ({"clock-driven"} if place == SYNAPSE else set())
        if flags:
            raise ModelError(f"{where}: {name} has a flag, ({sorted(flags)[0]}), that the engines know nothing of")
        if eq.type == PARAMETER and place != SYNAPSE:
            raise ModelError(f"{where}: {name} has no equation; a number is declared as Parameter({name!r}, ...)")
        if eq.var_type != FLOAT:
            raise ModelError(f"{where}: {name} must be a real number, got {eq.var_type}")
        if name in ("u", "v", "w") and eq.dim is not DIMENSIONLESS:
            raise ModelError(f"{where}: {name} must have no unit, got {eq.unit!r}")
        self.places[place].append(eq)
        self.dimensions[name] = eq.dim

    def _take(self, where: str, name: str) -> None:
        """Claim a name for one thing."""
        by = "a parameter" if name in self.declared else self.origin.get(name)
        if by:
            raise ModelError(f"{where}: the name {name!r} is taken, by {by}")
        check_name(where, name)
        self.origin[name] = where

    def _read_couplings(self) -> list[tuple[str, Coupling]]:
        model = self.model
        made = [("drive_u", Coupling(V, U, "I_u", _pre(model.drive_u), "own"))]
        made.append(("drive_v", Coupling(U, V, "I_v", _pre(model.drive_v), "own")))
        for coupling in (*(lateral.coupling for lateral in model.lateral), *model.couplings):
            where = f"coupling {coupling.variable}"
            for end in (coupling.source, coupling.target):
                if end not in self.places or end == SYNAPSE:
                    known = [place for place in self.places if place != SYNAPSE]
                    raise ModelError(f"{where}: there is no population {end!r}; {nearest(end, known)}")
            self._take(where, coupling.variable)
            if coupling.to == "others":  # the network's names for its parts
                self._take(where, f"{coupling.variable}_all")
                self._take(where, f"{coupling.variable}_own")
            if coupling.to == "own" and coupling.source == coupling.target:
                raise ModelError(f"{where}: what a neuron sends itself stands in its own equation")
            made.append((where, coupling))
        return made

    def _declare_arrivals(self) -> None:
        """Which names of what arrives each place sees."""
        self.arriving.update({place: [] for place in self.places})
        for _, coupling in self._couplings:
            self.arriving[coupling.target].append(coupling.variable)
        self.arriving[U].append("I")
        if self.model.noise:
            self.arriving[U].append("n_u")
            self.arriving[V].append("n_v")

    @property
    def _common(self) -> list[str]:
        """Names that are seen everywhere."""
        return [*self.declared, "dt", "n_arms", *(["noise"] if self.model.noise else [])]

    def _resolve(
        self, where: str, expression: str, own: Iterable[str], pre: str = "", post: str = "", moving: bool = True
    ) -> str:
        """The expression with bare names, each of which was looked for where it may be seen from.

        ``own`` are names seen as they are; ``pre`` and ``post`` places whose names may carry that ending; ``moving``
        tells that it is of use in time steps, and so may know how long they are.
        """
        seen = {*own, *self._common} - (set() if moving else {"dt"})
        bare = {}
        for name in names_in(expression):
            if name in seen or name in CONSTANTS or name in DEFAULT_UNITS or (name in FUNCTIONS):
                pass
            elif pre and name.endswith("_pre") and name[:-4] in self._visible(pre):
                bare[name] = name[:-4]
            elif post and name.endswith("_post") and name[:-5] in self._visible(post):
                bare[name] = name[:-5]
            elif name in {*self._seen(pre), *self._seen(post)} and pre != post:
                pass  # no other place has that name
            else:
                ends = [f"{n}_pre" for n in self._seen(pre)] + [f"{n}_post" for n in self._seen(post)]
                raise self._unseen(where, name, [*seen, *ends])
            self.used.add(bare.get(name, name))
        return word_substitute(expression, bare)

    def _seen(self, place: str) -> list[str]:
        return self._visible(place) if place else []

    def _unseen(self, where: str, name: str, seen: list[str]) -> ModelError:
        """The error for a name that cannot be seen from here, be it known elsewhere or not at all."""
        stem = name.removesuffix("_pre").removesuffix("_post")
        for place in self.places:
            if stem in self._visible(place):
                owner = {U: "population U", V: "population V", SYNAPSE: "the synapse from U to V"}.get(
                    place, f"population {place}"
                )
                known = sorted(other for other in seen if other not in self.declared)
                return ModelError(f"{where} cannot use {name!r}, which belongs to {owner}; it sees {', '.join(known)}")
        return unknown(where, name, seen)

    def _resolve_equations(self) -> None:
        """Bare names in all equations."""
        for place, listed in self.places.items():
            pre, post = (U, V) if place == SYNAPSE else ("", "")
            for i, eq in enumerate(listed):
                if eq.expr is not None:
                    where = f"{self.origin[eq.varname]}, {eq.varname}"
                    text = self._resolve(where, str(eq.expr), self._visible(place), pre, post)
                    listed[i] = equation(eq.type, eq.varname, eq.dim, text)

    def _resolve_links(self) -> tuple[Link, ...]:
        """The couplings with bare names, their dimensions and the order of their computation."""
        read: dict[str, tuple[str, Coupling, list[tuple[str, str, str]], str]] = {}
        for where, coupling in self._couplings:
            value = read_value(where, coupling.drive)
            own = [name for name, _, _ in value.helpers]
            for name in own:
                self._take(where, name)
            own += self._names(SYNAPSE) if coupling.variable == "I_v" else []
            inside = coupling.to == "own" and {coupling.source, coupling.target} == {U, V}
            post = coupling.target if inside else ""
            ends = (coupling.source, post)
            helpers = [(name, self._resolve(where, text, own, *ends), unit) for name, text, unit in value.helpers]
            read[coupling.variable] = (where, coupling, helpers, self._resolve(where, value.expression, own, *ends))
        depends = {variable: self._arrivals(helpers, drive) for variable, (_, _, helpers, drive) in read.items()}
        links: dict[str, Link] = {}
        while len(links) < len(read):
            ready = [name for name in read if name not in links and depends[name] <= set(links)]
            if not ready:
                circle = " and ".join(name for name in read if name not in links)
                raise ModelError(f"circular: {circle} would have to know each other at the same moment")
            for name in ready:
                where, coupling, helpers, drive = read[name]
                lines = []
                for helper, text, unit in helpers:
                    dimension = _dimension(unit)
                    self._match(f"{where}, {helper}", text, dimension)
                    self.dimensions[helper] = dimension
                    lines.append(equation(SUBEXPRESSION, helper, dimension, text))
                self.dimensions[name] = dimension_of(where, drive, self.dimensions)
                rank = 1 + max((links[other].rank for other in depends[name]), default=-1)
                ends = (coupling.source, coupling.target)
                link = Link(name, *ends, coupling.to, tuple(lines), drive, self.dimensions[name], rank)
                self._check_chain(where, link, [links[other] for other in depends[name]])
                links[name] = link
        return tuple(links.values())

    def _check_chain(self, where: str, link: Link, before: list[Link]) -> None:
        """A neuron sends what its state makes of it; only a population without state passes on what it receives."""
        if link.source in OPTIONS:
            crossing = [other.variable for other in before if not other.diagonal]
            if crossing:
                raise ModelError(
                    f"{where}: what is sent depends on {crossing[0]}, which arrives at the same moment; "
                    "let it act on a state variable"
                )

    def _arrivals(self, helpers: list[tuple[str, str, str]], drive: str) -> set[str]:
        """The links that an expression depends on within a time step."""
        variables = {coupling.variable for _, coupling in self._couplings}
        lines = {**self._expressions, **{name: text for name, text, _ in helpers}}
        return closure(names_in(drive), lines) & variables

    def _match(self, where: str, text: str, dimension: Dimension) -> None:
        found = dimension_of(where, text, self.dimensions)
        if found is not dimension:
            raise ModelError(f"{where}: units do not fit: {text!r} has unit {found}, not {dimension}")

    def _check_equations(self) -> None:
        for listed in self.places.values():
            for eq in listed:
                if eq.expr is not None:
                    where = f"{self.origin[eq.varname]}, {eq.varname}"
                    derived = eq.type == DIFFERENTIAL_EQUATION
                    self._match(where, str(eq.expr), eq.dim / second.dim if derived else eq.dim)

    def _read_initial(self) -> dict[str, str]:
        states = [name for place in self.places for name in self._state(place)]
        found = dict.fromkeys(states, "0")
        for name, text in self.model.initial.items():
            where = f"initial of {name}"
            if name not in states:
                raise ModelError(f"initial: there is no state variable {name!r}; {nearest(name, states)}")
            value = read_value(where, text)
            expression = value.expression
            for helper, line, _ in reversed(value.helpers):
                expression = word_substitute(expression, {helper: f"({line})"})
            expression = self._resolve(where, expression, (), moving=False)
            if expression.strip() not in ("0", "0.0"):  # zero is zero in every unit
                self._match(where, expression, self.dimensions[name])
            found[name] = expression
        return found

    def _check_carried(self) -> None:
        names = [name for place in self.places if place != SYNAPSE for name in self._state(place)]
        for name in self.model.carried:
            if name in self._state(SYNAPSE):
                raise ModelError(f"carried: {name} is of the synapse and goes on from round to round anyway")
            if name not in names:
                raise ModelError(f"carried: there is no state variable {name!r}; {nearest(name, names)}")

    def _read_rule(self) -> tuple[Value | tuple[Statement, ...], frozenset[str]]:
        """The learning rule with bare names, and the state variables of neurons that it reads."""
        where = "plasticity"
        rule = read_rule(where, self.model.plasticity)
        names = [name for place in self.places for name in self._names(place)]
        passing = {name for arriving in self.arriving.values() for name in arriving}
        seen = [name for name in names if not closure({name}, self._expressions) & passing]
        seen.append("R")
        if isinstance(rule, Value):
            own: list[str] = []
            helpers = []
            for name, text, unit in rule.helpers:
                self._take(where, name)
                text = self._rule_expression(where, text, [*seen, *own])
                dimension = _dimension(unit)
                self._match(f"{where}, {name}", text, dimension)
                self.dimensions[name] = dimension
                own.append(name)
                helpers.append((name, text, unit))
            expression = self._rule_expression(where, rule.expression, [*seen, *own])
            self._match(where, expression, DIMENSIONLESS)
            texts = [text for _, text, _ in helpers] + [expression]
            return Value(tuple(helpers), expression), self._states_of(texts)
        seen.append("chosen")
        statements, texts = [], []
        for statement in rule:
            text = self._rule_expression(where, statement.expression, seen)
            target = statement.target
            if target not in self._state(SYNAPSE):
                if target in names or target in MEANINGS or target in self.declared:
                    raise ModelError(
                        f"plasticity cannot change {target!r}: it changes the synapse's variables, "
                        f"{', '.join(self._state(SYNAPSE))}, and helpers of its own"
                    )
                if target not in seen:
                    if statement.operation != "=":
                        raise unknown(where, target, self._state(SYNAPSE))
                    self._take(where, target)
                    seen.append(target)
                    self.dimensions[target] = dimension_of(where, text, self.dimensions)
            whole = text if statement.operation in ("=", "+=", "-=") else f"{target} {statement.operation[0]} ({text})"
            self._match(f"{where}, {target}", whole, self.dimensions[target])
            statements.append(Statement(target, statement.operation, text))
            texts.append(text)
        if not any(statement.target in self._state(SYNAPSE) for statement in statements):
            raise ModelError("plasticity changes no variable of the synapse")
        return tuple(statements), self._states_of(texts)

    def _rule_expression(self, where: str, text: str, seen: list[str]) -> str:
        """Bare names; u and v of the pair may be written with their ends of the synapse."""
        ends = {f"{name}_pre": name for name in seen if name in self._names(U)}
        ends |= {f"{name}_post": name for name in seen if name in self._names(V)}
        text = word_substitute(text, {end: name for end, name in ends.items() if end in names_in(text)})
        for name in names_in(text):
            if name not in seen and any(name in self._visible(place) for place in self.places):
                raise ModelError(
                    f"{where} cannot use {name!r}: it is made of what arrives during a round, which is over"
                )
        return self._resolve(where, text, seen, moving=False)

    def _states_of(self, texts: list[str]) -> frozenset[str]:
        """The state variables of neurons that expressions come down to."""
        found = closure(set().union(*map(names_in, texts)), self._expressions)
        states = [name for place in self.places if place != SYNAPSE for name in self._state(place)]
        return frozenset(name for name in states if name in found)

    def _check_everything_is_used(self) -> None:
        for parameter in self.model.parameters:
            if parameter.name not in self.used:
                near = closest(parameter.name, self.used)
                hint = f"; is {near} meant?" if near else ""
                raise ModelError(f"parameter {parameter.name!r} is used in no equation{hint}")
        for where, coupling in self._couplings[2:]:
            if coupling.variable not in self.used:
                raise ModelError(f"{where}: no equation of {coupling.target} uses {coupling.variable!r}")
        for population in [place for place in self.places if place not in (U, V, SYNAPSE)]:
            if not any(coupling.source == population for _, coupling in self._couplings):
                raise ModelError(f"population {population}: no coupling begins there, so that it does nothing")


def renamed(
    declared: Mapping[str, Parameter], where: str, text: str, suffix: str, others: Mapping[str, str]
) -> list[SingleEquation]:
    """Equations in which the names they define, and those that are parameters so, carry a suffix."""
    found = read_equations(where, text)
    own = {eq.varname for eq in found}
    present = own.union(*(names_in(str(eq.expr)) for eq in found if eq.expr is not None))
    names = {name: f"{name}_{suffix}" for name in present if name in own or f"{name}_{suffix}" in declared}
    return read_equations(where, text, **{**names, **{a: b for a, b in others.items() if a in present}})


def _canonical_link(link: Link) -> Link:
    helpers = tuple(map(canonical_equation, link.helpers))
    return dataclasses.replace(link, helpers=helpers, drive=canonical(link.drive))


def _dimension(unit: str) -> Dimension:
    """The dimension of a helper line, whose unit is written as in Brian2's equations: 1 for none."""
    return unit_of("" if unit.strip() == "1" else unit.strip()).dim


def _pre(drive: str) -> str:
    """A drive in which the mark {pre} is Brian2's ending."""
    return drive.replace("{pre}", "_pre") if isinstance(drive, str) else drive
