"""Reader of a model's couplings: their ends, units and order of computation."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from brian2.equations.equations import SUBEXPRESSION
from brian2.units.fundamentalunits import Dimension

from nsa_brian.errors import ModelError
from nsa_brian.model.functions import canonical
from nsa_brian.model.parts import Coupling
from nsa_brian.model.reading import (
    dimension_of,
    names_in,
    nearest,
    read_value,
    unit_of,
)
from nsa_brian.model.structure import (
    SYNAPSE,
    Link,
    U,
    V,
    canonical_equation,
    closure,
    equation,
)

if TYPE_CHECKING:
    from nsa_brian.model.declaration import Reader
    from nsa_brian.model.place import Place


class Mean(Coupling):
    """A coupling for a mean that equations use by a short name; its drive has the structure's names already."""


class Links:
    """The couplings of a model while it is read."""

    def __init__(self, reader: Reader) -> None:
        self._reader, self._model, self._scope = reader, reader.model, reader.scope
        self.couplings: list[tuple[str, Coupling]] = []

    def read(self) -> None:
        """Collect all couplings, including the paper's, and check their ends."""
        model = self._model
        given = [lateral.coupling for lateral in model.lateral] + list(model.couplings)
        for name, source, target, drive in (("I_u", V, U, "drive_u"), ("I_v", U, V, "drive_v")):
            place, text = self._reader.places[target], getattr(model, drive)
            if not isinstance(text, str | int | float) or isinstance(text, bool):
                raise ModelError(f"{drive} must be an expression, got {text!r}")
            wanted = target not in {p.name for p in model.populations} or any(
                name in names_in(str(eq.expr)) for eq in place.lines if eq.expr is not None
            )
            if wanted and not any(coupling.variable == name for coupling in given):
                text = text.replace("{pre}", "_pre") if isinstance(text, str) else repr(text)
                self.couplings.append((drive, Coupling(source, target, name, text, "own")))
        for coupling in given:
            where = f"coupling {coupling.variable}"
            for end in (coupling.source, coupling.target):
                if end not in self._reader.populations:
                    raise ModelError(
                        f"{where}: there is no population {end!r}; {nearest(end, self._reader.populations)}"
                    )
            if coupling.variable in self._reader.places[coupling.target].written:
                by = f"population {coupling.target}"
                raise ModelError(f"{where}: the name {coupling.variable!r} is taken, by {by}")
            if coupling.variable in ("I_u", "I_v"):
                if coupling.target != coupling.variable[-1]:
                    by = f"what arrives in population {coupling.variable[-1].upper()}"
                    raise ModelError(f"{where}: the name {coupling.variable!r} is taken, by {by}")
                if sum(other.variable == coupling.variable for other in given) > 1:
                    raise ModelError(f"{where}: there are two couplings of that name")
            else:
                # The network's names for the sum over all options, and for the own part.
                others = [f"{coupling.variable}_{part}" for part in ("all", "own")] if coupling.to == "others" else []
                self._scope.take(where, coupling.variable, *others)
            if (
                coupling.to == "own"
                and coupling.source == coupling.target
                and self._reader.places[coupling.source].single
            ):
                raise ModelError(f"{where}: write a neuron's input from itself into its own equation")
            self.couplings.append((where, coupling))
        for _, coupling in self.couplings:
            self._reader.places[coupling.target].arriving.append(coupling.variable)
            owner = self._reader.places[coupling.target].owner
            self._scope.passing[coupling.variable] = f"arrives in {owner} during a round"

    def add_mean(self, name: str, place: Place, seen: dict[str, str]) -> None:
        """Add a coupling for a mean that equations use by its short name."""
        found = self._reader.mean_of(name)
        if found is None:
            return
        source, of = found
        if place.name == SYNAPSE and self._reader.places[source].level == "game":
            return
        code = f"{name}_in_{place.name}"
        seen[name] = code
        if code not in place.arriving:
            place.arriving.append(code)
            self.couplings.append((f"{name} in {place.name}", Mean(source, place.name, code, of, "own", "mean")))
            self._scope.dimensions[code] = self._scope.dimensions[of]
            self._scope.used.add(of)

    def resolve(self) -> list[Link]:
        """Return the couplings in the structure's names, with dimensions, in the order of computation."""
        read: dict[str, tuple[str, Coupling, list[tuple[str, str, str]], str]] = {}
        # Brian2's order of a population's equations, and so of its means, differs between processes.
        self.couplings.sort(key=lambda each: (isinstance(each[1], Mean), each[0] if isinstance(each[1], Mean) else ""))
        for where, coupling in self.couplings:
            if isinstance(coupling, Mean):
                read[coupling.variable] = (where, coupling, [], coupling.drive)
                continue
            source, target = self._reader.places[coupling.source], self._reader.places[coupling.target]
            value = read_value(where, coupling.drive)
            inside = coupling.to == "own" and source.level == target.level == "option"
            seen = {**self._reader.above(source.level), **self._reader.ends(source, target if inside else None)}
            seen |= {name: name for name in self._reader.rules.phased("game")}
            own = [name for name, _, _ in value.helpers]
            for name in own:
                self._scope.take(where, name)
            seen |= {name: name for name in own}
            helpers = [(name, self._scope.resolve(where, text, seen), unit) for name, text, unit in value.helpers]
            read[coupling.variable] = (where, coupling, helpers, self._scope.resolve(where, value.expression, seen))
        depends = {variable: self._arrivals(helpers, drive) for variable, (_, _, helpers, drive) in read.items()}
        links: dict[str, Link] = {}
        while len(links) < len(read):
            ready = [name for name in read if name not in links and depends[name] <= set(links)]
            if not ready:
                circle = " and ".join(name for name in read if name not in links)
                raise ModelError(f"circular: {circle} depend on each other within a time step")
            for name in ready:
                where, coupling, helpers, drive = read[name]
                lines = []
                for helper, text, unit in helpers:
                    dimension = _dimension(unit)
                    self._scope.match(f"{where}, {helper}", text, dimension)
                    self._scope.dimensions[helper] = dimension
                    lines.append(equation(SUBEXPRESSION, helper, dimension, text))
                self._scope.dimensions[name] = dimension_of(where, drive, self._scope.dimensions)
                rank = 1 + max((links[other].rank for other in depends[name]), default=-1)
                levels = {self._reader.places[coupling.source].level, self._reader.places[coupling.target].level}
                link = Link(
                    name, coupling.source, coupling.target, coupling.to, coupling.over, tuple(lines), drive,
                    self._scope.dimensions[name], rank, coupling.to == "own" and levels == {"option"},
                )  # fmt: skip
                self._check_chain(where, link, [links[other] for other in depends[name]])
                links[name] = link
        return list(links.values())

    def _check_chain(self, where: str, link: Link, before: list[Link]) -> None:
        """Raise if a drive depends on input of the same time step; only single neurons of a game may pass it on."""
        source = self._reader.places[link.source]
        passed = [other.variable for other in before if not (other.diagonal and link.diagonal)]
        if passed and (source.level == "option" or not source.single):
            raise ModelError(
                f"{where}: the drive depends on {passed[0]}, which arrives in the same time step; "
                "let it act on a state variable"
            )

    def _arrivals(self, helpers: list[tuple[str, str, str]], drive: str) -> set[str]:
        """Return the links that an expression depends on within a time step."""
        variables = {coupling.variable for _, coupling in self.couplings}
        lines = {**self._reader.expressions, **{name: text for name, text, _ in helpers}}
        return closure(names_in(drive), lines) & variables


def canonical_link(link: Link) -> Link:
    """Return a link with functions and operators that mean the same in every engine."""
    helpers = tuple(map(canonical_equation, link.helpers))
    return dataclasses.replace(link, helpers=helpers, drive=canonical(link.drive))


def _dimension(unit: str) -> Dimension:
    """Return the dimension of a helper line, whose unit is written as in Brian2's equations: 1 for none."""
    return unit_of("" if unit.strip() == "1" else unit.strip()).dim
