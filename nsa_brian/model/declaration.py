"""Reader of model declarations: resolves every name, and checks every unit."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

import sympy
from brian2 import second
from brian2.equations.equations import DIFFERENTIAL_EQUATION, SUBEXPRESSION
from brian2.parsing.sympytools import str_to_sympy
from brian2.units.fundamentalunits import DIMENSIONLESS
from brian2.utils.stringtools import word_substitute

from nsa_brian.errors import ModelError, closest
from nsa_brian.model.functions import canonical, is_truth
from nsa_brian.model.links import Links, canonical_link
from nsa_brian.model.names import check_name
from nsa_brian.model.place import NOISE, Place, Places
from nsa_brian.model.reading import (
    Statement,
    canonical_rule,
    check_syntax,
    names_in,
    nearest,
    read_rule,
)
from nsa_brian.model.rules import Rules
from nsa_brian.model.scope import Scope
from nsa_brian.model.structure import (
    SIGNALS,
    SPIKED,
    SYNAPSE,
    Neurons,
    Structure,
    U,
    V,
    canonical_equation,
    closure,
    equation,
)

if TYPE_CHECKING:
    from nsa_brian.model.model import Model


def read(model: Model) -> Structure:
    """Return a model's structure; raise :class:`ModelError` if the declaration is invalid."""
    return Reader(model).structure()


class Reader:
    """Reader of a declaration, which it turns into a structure."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.scope = Scope(model.declared)
        self.places: dict[str, Place] = {}
        self.rules, self.links = Rules(self), Links(self)
        self._places = Places(model, self.scope, self.rules)

    def structure(self) -> Structure:
        """Read all strings in an order in which the names that each one needs are known."""
        model, scope = self.model, self.scope
        spiking = any(population.threshold for population in model.populations)
        for parameter in model.parameters:
            check_name("parameters", parameter.name)
            if spiking and parameter.name in ("count", "outcome", "w"):
                raise ModelError(
                    f"parameters: the name {parameter.name!r} is taken, by neurons that spike, or synapses"
                )
        self.rules.read_outside()
        self.places = self._places.read()
        self.links.read()
        self._resolve_equations()
        links = self.links.resolve()
        self._check_circles()
        self._check_units()
        self._check_noise()
        neurons = {name: self._neurons(place) for name, place in self.populations.items()}
        parts = self.rules.read()
        self._check_everything_is_used()
        return Structure(
            populations=neurons,
            synapse=tuple(map(canonical_equation, self.places[SYNAPSE].lines)),
            signals=tuple(map(canonical_equation, self.places[SIGNALS].lines)),
            links=tuple(map(canonical_link, links)),
            dimensions=scope.dimensions,
            used=frozenset(scope.used),
            origin=scope.origin,
            noise=model.noise,
            **parts,
        )

    @property
    def populations(self) -> dict[str, Place]:
        """The places that are populations."""
        return {name: place for name, place in self.places.items() if name not in (SYNAPSE, SIGNALS)}

    @property
    def expressions(self) -> dict[str, str]:
        """All subexpressions by name."""
        listed = [eq for place in self.places.values() for eq in place.lines if eq.type == SUBEXPRESSION]
        return {eq.varname: str(eq.expr) for eq in listed}

    # Visible names ---------------------------------------------------------------------------------------------------

    def above(self, level: str) -> dict[str, str]:
        """Return the variables of a level and of the levels above it, which strings at that level can use."""
        found = {**self.places[SIGNALS].written, **self.rules.inputs_of("game")}
        if level == "option":
            found |= {**self.places[SYNAPSE].written, **self.rules.inputs_of("option")}
        return found

    def seen_by(self, place: Place) -> dict[str, str]:
        """Return the names that the equations of a place can use."""
        found = self.above(place.level)
        if place.population is not None:
            found |= {name: name for name in self.rules.phased(place.level)}
            return {**found, **place.seen}
        if place.name == SYNAPSE:
            found |= self.ends(self.places[U], self.places[V])
        return found

    def ends(self, pre: Place, post: Place | None) -> dict[str, str]:
        """Return names of the neurons at both ends with suffixes, and without where only one end has the name."""
        found = {f"{name}_pre": code for name, code in pre.seen.items()}
        both = {} if post is None or not (pre.single and post.single) else post.seen
        found |= {f"{name}_post": code for name, code in both.items()}
        if post is not pre:
            found |= {name: code for name, code in pre.seen.items() if name not in both}
            found |= {name: code for name, code in both.items() if name not in pre.seen}
        return found

    def mean_of(self, name: str, level: str = "option") -> tuple[str, str] | None:
        """Return the population and variable whose mean a name such as ``s_v`` denotes; None if it denotes none."""
        for source, place in self.populations.items():
            stem = name.removesuffix(f"_{source}")
            if stem == name or (level == "game above" and place.level == "option"):
                continue
            if stem == SPIKED and place.population is not None and place.population.threshold:
                return source, f"{SPIKED}_of_{source}"
            if place.written.get(stem) in place.state:
                return source, place.written[stem]
        return None

    def _resolve_equations(self) -> None:
        """Rewrite all equations in the structure's names; means of other populations become couplings."""
        for place in list(self.places.values()):
            for i, eq in enumerate(place.lines):
                if eq.expr is None:
                    continue
                where = f"{self.scope.origin[eq.varname]}, {_written(place, eq.varname)}"
                seen = self.seen_by(place)
                text = str(eq.expr)
                if place.name != SIGNALS:
                    for name in sorted(names_in(text) - set(seen) - set(self.scope.common)):
                        self.links.add_mean(name, place, seen)
                text = self.scope.resolve(where, text, seen)
                place.lines[i] = equation(eq.type, eq.varname, eq.dim, text, *eq.flags)

    # Checks ----------------------------------------------------------------------------------------------------------

    def _check_circles(self) -> None:
        """Raise for subexpressions that depend on each other; Brian2 detects this within one population only."""
        lines = self.expressions
        for name in lines:
            inner = closure(names_in(lines[name]) & set(lines), lines)
            if name in inner:
                raise ModelError(f"{self.scope.origin[name]}: {name} is circular: it depends on itself")
        variables = {coupling.variable for _, coupling in self.links.couplings}
        read = {n for place in self.populations.values() for eq in place.lines for n in names_in(str(eq.expr))}
        for name in read & set(self.places[SYNAPSE].written):
            passed = sorted(closure({name}, lines) & variables)
            if passed and name in lines:
                raise ModelError(
                    f"synapse, {name}: neurons read it, but it depends on {passed[0]} of the same time step"
                )

    def _check_units(self) -> None:
        for place in self.places.values():
            for eq in place.lines:
                if eq.expr is not None:
                    where = f"{self.scope.origin[eq.varname]}, {_written(place, eq.varname)}"
                    derived = eq.type == DIFFERENTIAL_EQUATION
                    self.scope.match(where, str(eq.expr), eq.dim / second.dim if derived else eq.dim)

    def _check_noise(self) -> None:
        """Raise if ``{noise}`` stands where the standard deviation would not be ``noise``."""
        for place, pairs in self._places.noisy.items():
            added = str_to_sympy(f"(0{NOISE[place]}) / tau_{place}")
            for without, noisy in pairs:
                more = str_to_sympy(str(noisy.expr)) - str_to_sympy(str(without.expr))
                if sympy.expand(more - (added if noisy.varname == place else 0)) != 0:
                    raise ModelError(
                        f"rate_{place}: {{noise}} must stand once, added to the terms that tau_{place} divides: "
                        f"d{place}/dt = (-{place} + ... {{noise}}) / tau_{place} : 1"
                    )

    def _check_everything_is_used(self) -> None:
        for parameter in self.model.parameters:
            if parameter.name not in self.scope.used:
                near = closest(parameter.name, self.scope.used)
                hint = f"; did you mean {near}?" if near else ""
                raise ModelError(f"parameter {parameter.name!r} is used in no equation{hint}", unused=parameter.name)
        for name in self.rules.inputs:
            if name not in self.scope.used:
                raise ModelError(f"input {name}: no string uses it")
        for phase in self.rules.phases:
            for name in phase.on:
                if name not in self.scope.used and name != "I":
                    raise ModelError(f"phase {phase.name}: no equation uses {name!r}")
        for where, coupling in self.links.couplings:
            if coupling.variable not in self.scope.used and coupling.variable not in ("I_u", "I_v"):
                raise ModelError(f"{where}: no equation of {coupling.target} uses {coupling.variable!r}")
        for name, place in self.populations.items():
            sends = any(coupling.source == name for _, coupling in self.links.couplings)
            if name not in (U, V) and not sends and not self.rules.reads(place):
                raise ModelError(f"population {name} has no effect: no coupling, rule or choice reads it")

    # Populations -----------------------------------------------------------------------------------------------------

    def _neurons(self, place: Place) -> Neurons:
        """Return a population with all of its strings read."""
        population, scope = place.population, self.scope
        assert population is not None
        where, own = f"population {place.name}", place.written
        states = {name: code for name, code in own.items() if code in place.state}
        spiking = bool(population.threshold)
        inner = {**self.above(place.level), **own}
        threshold = refractory = ""
        reset: tuple[Statement, ...] = ()
        if spiking:
            threshold = scope.resolve(f"{where}, threshold", population.threshold, inner)
            check_syntax(f"{where}, threshold", threshold)
            if not is_truth(ast.parse(threshold.strip(), mode="eval").body):
                raise ModelError(
                    f"{where}, threshold must be a condition such as 'x > 1', got {population.threshold!r}"
                )
            scope.match(f"{where}, threshold", f"int({threshold})", DIMENSIONLESS)
            rule = read_rule(f"{where}, reset", population.reset.replace(";", "\n")) if population.reset.strip() else ()
            if not isinstance(rule, tuple):
                raise ModelError(
                    f"{where}, reset must be statements such as 'name = expression', got {population.reset!r}"
                )
            reset = scope.statements(f"{where}, reset", rule, dict(inner), states, "its variables", moving=True)
        if population.refractory:
            refractory = scope.resolve(f"{where}, refractory", population.refractory, {})
            scope.match(f"{where}, refractory", refractory, second.dim)
        initial = dict.fromkeys(states.values(), "0")
        short = self._short(place, self.model.initial)
        for name, text in [*population.initial.items(), *short.items()]:
            if name in population.initial and name in short:
                raise ModelError(f"{where}, initial: {name!r} is given by the model's initial, too")
            if name not in states:
                raise ModelError(f"{where}, initial: there is no state variable {name!r}; {nearest(name, states)}")
            dimension = scope.dimensions[states[name]]
            initial[states[name]] = scope.value(f"initial of {name}", text, {}, dimension, zero=True)
        carried = []
        for name in (*population.carried, *self._short(place, dict.fromkeys(self.model.carried))):
            if name not in states:
                raise ModelError(f"{where}, carried: there is no state variable {name!r}; {nearest(name, states)}")
            carried.append(states[name])
        poisson = {}
        phased = {name: name for name in self.rules.phased("game")}
        for event, text in population.poisson.items():
            rate = self._poisson_rate(f"{where}, rate of {event}", text, own, phased)
            poisson[own[event]] = rate
        used = set().union(*(names_in(str(eq.expr)) for eq in place.lines if eq.expr is not None))
        for event in (*population.poisson, *population.normal):
            if own[event] not in used and population.name not in self._places.noisy:
                raise ModelError(f"{where}: no equation uses {event!r}, a random number of its neurons")
        normal = tuple(own[name] for name in population.normal)
        return Neurons(
            place.name,
            population.per,
            population.neurons,
            tuple(map(canonical_equation, place.lines)),
            canonical(threshold) if threshold else "",
            canonical_rule(reset),
            canonical(refractory) if refractory else "",
            {name: canonical(text) for name, text in initial.items()},
            tuple(dict.fromkeys(carried)),
            normal,
            {name: canonical(text) for name, text in poisson.items()},
            dict(own),
        )

    def _short(self, place: Place, given: Mapping[str, object]) -> dict[str, object]:
        """Return the model's entries for variables of a population of one neuron."""
        return {name: value for name, value in given.items() if place.single and name in place.state}

    def _poisson_rate(self, where: str, text: str, own: Mapping[str, str], phased: Mapping[str, str]) -> str:
        """Return the rate of events, in parameters and phases, with the population's subexpressions inserted."""
        if not text.strip():
            raise ModelError(f"{where} must be an expression, got {text!r}")
        lines = {name: text for name, text in self.expressions.items() if name in own.values()}
        rate = word_substitute(text, {name: code for name, code in own.items() if code in lines})
        while names_in(rate) & set(lines):
            rate = word_substitute(rate, {name: f"({line})" for name, line in lines.items()})
        rate = self.scope.resolve(where, rate, phased, moving=False)
        self.scope.match(where, rate, (1 / second).dim)
        return rate


def _written(place: Place, code: str) -> str:
    """Return a variable's name in the declaration."""
    return next((name for name, other in place.written.items() if other == code), code)
