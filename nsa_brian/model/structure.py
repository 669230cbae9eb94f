"""What a model's strings come to: every equation read, every name found, every unit checked.

Four kinds of place hold variables: population U, population V, the plastic synapse of an option, and populations of a
game's own. Their names all differ, so that a pair of neurons with its synapse can be one unit of generated code as
well as three objects of a Brian2 network. What arrives in a neuron through couplings, the diagonal ones of the paper
included, is a :class:`Link`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from brian2 import second
from brian2.core.namespace import DEFAULT_UNITS
from brian2.equations.codestrings import Expression
from brian2.equations.equations import (
    DIFFERENTIAL_EQUATION,
    FLOAT,
    PARAMETER,
    SUBEXPRESSION,
    SingleEquation,
)
from brian2.units.fundamentalunits import DIMENSIONLESS, Dimension
from brian2.utils.stringtools import word_substitute

from nsa_brian.errors import ModelError
from nsa_brian.model import equations as paper
from nsa_brian.model.couplings import Coupling
from nsa_brian.model.reading import (
    CONSTANTS,
    FUNCTIONS,
    KEYWORDS,
    RESERVED,
    Statement,
    Value,
    dimension_of,
    is_dimensionless,
    names_in,
    read_equations,
    read_rule,
    read_value,
    unit_of,
    unknown,
)

if TYPE_CHECKING:
    from nsa_brian.model.model import Model

U, V, SYNAPSE = "u", "v", "synapse"
OPTIONS = (U, V)


@dataclass(frozen=True)
class Link:
    """What arrives in a population through a coupling.

    Attributes
    ----------
    variable : str
        Its name in the target's equations.
    source, target, to : str
        See :class:`nsa_brian.model.couplings.Coupling`.
    helpers : tuple of SingleEquation
        Lines that the drive uses.
    drive : str
        What one synapse sends, names without ``_pre`` and ``_post``.
    dimension : Dimension
    rank : int
        Links are computed in the order of their ranks: a link may use what others delivered before it.
    """

    variable: str
    source: str
    target: str
    to: str
    helpers: tuple[SingleEquation, ...]
    drive: str
    dimension: Dimension
    rank: int

    @property
    def diagonal(self) -> bool:
        """Whether it stays within an option."""
        return self.to == "own" and self.source in OPTIONS and self.target in OPTIONS


class Structure:
    """A model, read and checked.

    Attributes
    ----------
    places : dict
        Equations by the place that holds them: ``"u"``, ``"v"``, ``"synapse"`` and the names of populations.
    links : tuple of Link
        All that arrives anywhere, in the order of computation.
    initial : dict
        The expression that each state variable starts from.
    rule : Value or tuple of Statement
        How weights change at a round's end.
    dimensions : dict
        Of every name.
    used : set of str
        All names that some string uses.
    origin : dict
        The string that defines each variable.
    """

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
        self._read_places()
        self._couplings = self._read_couplings()
        self._declare_links()
        self._resolve_equations()
        self.links = self._resolve_links()
        self._check_equations()
        self.initial = self._read_initial()
        self.rule, self.rule_reads = self._read_rule()
        self._check_carried()
        self._check_everything_is_used()

    # What is where --------------------------------------------------------------------------------------------------

    def names(self, place: str, *kinds: str) -> list[str]:
        """Names of a place's equations of some kinds."""
        kinds = kinds or (DIFFERENTIAL_EQUATION, SUBEXPRESSION, PARAMETER)
        return [eq.varname for eq in self.places[place] if eq.type in kinds]

    def state(self, place: str) -> list[str]:
        """State variables of a place: differential ones, and the variables of the synapse."""
        return self.names(place, DIFFERENTIAL_EQUATION, PARAMETER)

    @property
    def expressions(self) -> dict[str, str]:
        """All lines without dynamics, wherever they are: expressions by name."""
        listed = [eq for place in self.places.values() for eq in place if eq.type == SUBEXPRESSION]
        return {eq.varname: str(eq.expr) for eq in listed}

    @property
    def populations(self) -> list[str]:
        """Names of the populations that a game has besides U and V."""
        return [place for place in self.places if place not in (U, V, SYNAPSE)]

    @property
    def synaptic(self) -> list[str]:
        """The variables of the plastic synapse, ``w`` first."""
        return sorted(self.state(SYNAPSE), key=lambda name: name != "w")

    @property
    def crossing(self) -> list[Link]:
        """The links that leave an option."""
        return [link for link in self.links if not link.diagonal]

    @property
    def dense(self) -> str:
        """Why all options of a game must be integrated in every round; empty if each answers to its synapse alone."""
        if self.crossing:
            return f"it couples options ({', '.join(link.variable for link in self.crossing)})"
        dynamic = self.names(SYNAPSE, DIFFERENTIAL_EQUATION)
        if dynamic:
            return f"{', '.join(dynamic)} of the synapse changes within a round"
        if self.model.carried:
            return f"{', '.join(self.model.carried)} is carried over from round to round"
        if self.model.noise:
            return "noise makes many answers to one weight"
        return ""

    @property
    def read_by_pair(self) -> set[str]:
        """Variables of the synapse, and expressions of them, that a round's course depends on directly."""
        drive = next(link for link in self.links if link.variable == "I_v")
        texts = [drive.drive, *(str(eq.expr) for eq in drive.helpers)]
        texts += [str(eq.expr) for eq in self.places[SYNAPSE] if eq.type == DIFFERENTIAL_EQUATION]
        return set().union(*map(names_in, texts)) & set(self.names(SYNAPSE))

    @property
    def coordinate(self) -> str:
        """The one number that a round's end is a function of, ``"Phi_v"`` or ``"w"``; empty if there is none."""
        if self.dense or self.uses_n_arms or self.rule_reads - {"u", "v"}:
            return ""
        read = self.read_by_pair
        if read <= {"Phi_v"} and self.roots("Phi_v") <= {"w"}:
            return "Phi_v"
        return "w" if set().union(*map(self.roots, read), {"w"}) == {"w"} else ""

    @property
    def uses_n_arms(self) -> bool:
        """Whether what a pair does depends on the number of arms."""
        texts = [link.drive for link in self.links] + [str(eq.expr) for link in self.links for eq in link.helpers]
        texts += [str(eq.expr) for place in self.places.values() for eq in place if eq.expr is not None]
        texts += [text for name, text in self.initial.items() if name not in self.state(SYNAPSE)]
        return any("n_arms" in names_in(text) for text in texts)

    def roots(self, name: str) -> set[str]:
        """The variables of the synapse that an expression of it comes down to."""
        eq = next((eq for eq in self.places[SYNAPSE] if eq.varname == name), None)
        if eq is None:
            return set()
        if eq.type != SUBEXPRESSION:
            return {name}
        return set().union(*map(self.roots, names_in(str(eq.expr))))

    def place_of(self, name: str) -> str:
        """The place that a variable belongs to."""
        return next(place for place in self.places if name in self.names(place))

    # Reading --------------------------------------------------------------------------------------------------------

    def _read_places(self) -> None:
        model = self.model
        noise = {U: paper.NOISE_U, V: paper.NOISE_V}
        for place, where in ((U, "rate_u"), (V, "rate_v")):
            text = getattr(model, where)
            if not isinstance(text, str):
                raise ModelError(f"{where} must be equations, got {text!r}")
            rate = read_equations(where, text.replace("{noise}", noise[place] if model.noise else ""))
            self._expect(where, rate, place, DIFFERENTIAL_EQUATION, f"d{place}/dt = ... : 1")
            response = self.renamed("response", model.response, place, {"x": place})
            self._expect("response", response, f"phi_{place}", SUBEXPRESSION, "phi = ... : 1")
            for eq in (*rate, *response):
                self._add(where if eq in rate else "response", place, eq)
        synapse = read_equations("synapse", model.synapse)
        if "w" not in [eq.varname for eq in synapse]:
            synapse.insert(0, variable("w", DIMENSIONLESS))
        for eq in synapse:
            self._add("synapse", SYNAPSE, eq)
        for suffix in ("v", "eta"):
            for eq in self.renamed("gaussian_sigmoid", model.gaussian_sigmoid, suffix, {}):
                if eq.type != SUBEXPRESSION:
                    raise ModelError(f"gaussian_sigmoid holds expressions only, got {eq.varname} with its own dynamics")
                self._add("gaussian_sigmoid", SYNAPSE, eq)
        if "Phi_v" not in self.origin:
            raise ModelError("gaussian_sigmoid must define Phi: Phi = ... : 1")
        for population in model.populations:
            where = f"population {population.name}"
            if population.name in self.places or population.name in self.declared:
                raise ModelError(f"{where}: the name {population.name!r} is taken")
            self.places[population.name] = []
            for eq in read_equations(where, population.equations):
                self._add(where, population.name, eq)
            if not self.places[population.name]:
                raise ModelError(f"{where} has no equations")

    def renamed(self, where: str, text: str, suffix: str, others: Mapping[str, str]) -> list[SingleEquation]:
        """Equations in which the names they define, and those that are parameters so, carry a suffix."""
        found = read_equations(where, text)
        own = {eq.varname for eq in found}
        present = own.union(*(names_in(str(eq.expr)) for eq in found if eq.expr is not None))
        names = {name: f"{name}_{suffix}" for name in present if name in own or f"{name}_{suffix}" in self.declared}
        return read_equations(where, text, **{**names, **{a: b for a, b in others.items() if a in present}})

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
        if name in ("u", "v", "w") and not is_dimensionless(eq.dim):
            raise ModelError(f"{where}: {name} must have no unit, got {eq.unit!r}")
        self.places[place].append(eq)
        self.dimensions[name] = eq.dim

    def _take(self, where: str, name: str) -> None:
        """Claim a name for one thing."""
        if name.endswith(("_pre", "_post")) or name.startswith("_"):
            raise ModelError(f"{where}: {name!r} must neither end in _pre or _post nor begin with an underscore")
        by = (
            "a parameter"
            if name in self.declared
            else "a name with a meaning of its own"
            if name in RESERVED
            else "a word of C++"
            if name in KEYWORDS
            else "a function"
            if name in FUNCTIONS
            else "a unit or constant"
            if name in DEFAULT_UNITS or name in CONSTANTS
            else self.origin.get(name)
        )
        if by:
            raise ModelError(f"{where}: the name {name!r} is taken, by {by}")
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
                    near = difflib.get_close_matches(str(end), known, n=1)
                    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
                    raise ModelError(f"{where}: there is no population {end!r}; {hint}")
            self._take(where, coupling.variable)
            if coupling.to == "own" and coupling.source == coupling.target:
                raise ModelError(f"{where}: what a neuron sends itself stands in its own equation")
            made.append((where, coupling))
        return made

    def _declare_links(self) -> None:
        """Which names of couplings each place sees."""
        self._arriving: dict[str, list[str]] = {place: [] for place in self.places}
        for _, coupling in self._couplings:
            self._arriving[coupling.target].append(coupling.variable)
        self._arriving[U].append("I")
        if self.model.noise:
            self._arriving[U].append("n_u")
            self._arriving[V].append("n_v")

    def visible(self, place: str) -> list[str]:
        """Names that a place's equations see: its own variables, and what arrives there."""
        return [*self.names(place), *self._arriving.get(place, ())]

    @property
    def _common(self) -> list[str]:
        """Names that are seen everywhere."""
        return [*self.declared, "dt", "n_arms", *(["noise"] if self.model.noise else [])]

    def _resolve(self, where: str, expression: str, own: Iterable[str], pre: str = "", post: str = "") -> str:
        """The expression with bare names, each of which was looked for where it may be seen from.

        ``own`` are names seen as they are; ``pre`` and ``post`` places whose names may carry that ending.
        """
        seen = {*own, *self._common}
        bare = {}
        for name in names_in(expression):
            if name in seen or name in CONSTANTS or name in DEFAULT_UNITS or (name in FUNCTIONS):
                pass
            elif pre and name.endswith("_pre") and name[:-4] in self.visible(pre):
                bare[name] = name[:-4]
            elif post and name.endswith("_post") and name[:-5] in self.visible(post):
                bare[name] = name[:-5]
            elif name in {*self._seen(pre), *self._seen(post)} and pre != post:
                pass  # no other place has that name
            else:
                ends = [f"{n}_pre" for n in self._seen(pre)] + [f"{n}_post" for n in self._seen(post)]
                raise self._unseen(where, name, [*seen, *ends])
            self.used.add(bare.get(name, name))
        return word_substitute(expression, bare)

    def _seen(self, place: str) -> list[str]:
        return self.visible(place) if place else []

    def _unseen(self, where: str, name: str, seen: list[str]) -> ModelError:
        """The error for a name that cannot be seen from here, be it known elsewhere or not at all."""
        stem = name.removesuffix("_pre").removesuffix("_post")
        for place in self.places:
            if stem in self.visible(place):
                owner = {U: "population U", V: "population V", SYNAPSE: "the synapse from U to V"}.get(
                    place, f"population {place}"
                )
                return ModelError(
                    f"{where} cannot use {name!r}, which belongs to {owner}; known here: {', '.join(sorted(seen))}"
                )
        return unknown(where, name, seen)

    def _resolve_equations(self) -> None:
        """Bare names in all equations."""
        for place, listed in self.places.items():
            pre, post = (U, V) if place == SYNAPSE else ("", "")
            for i, eq in enumerate(listed):
                if eq.expr is not None:
                    where = f"{self.origin[eq.varname]}, {eq.varname}"
                    text = self._resolve(where, str(eq.expr), self.visible(place), pre, post)
                    listed[i] = equation(eq.type, eq.varname, eq.dim, text)

    def _resolve_links(self) -> tuple[Link, ...]:
        """The couplings with bare names, their dimensions and the order of their computation."""
        read: dict[str, tuple[str, Coupling, list[tuple[str, str, str]], str]] = {}
        for where, coupling in self._couplings:
            value = read_value(where, coupling.drive)
            own = [name for name, _, _ in value.helpers]
            for name in own:
                self._take(where, name)
            own += self.names(SYNAPSE) if coupling.variable == "I_v" else []
            inside = coupling.to == "own" and coupling.source != coupling.target
            post = coupling.target if inside and coupling.target in OPTIONS else ""
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
                    dimension = unit_of("" if unit.strip() == "1" else unit.strip()).dim
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
        expressions = {
            eq.varname: str(eq.expr) for listed in self.places.values() for eq in listed if eq.type == SUBEXPRESSION
        }
        expressions |= {name: text for name, text, _ in helpers}
        found: set[str] = set()
        todo, done = names_in(drive), set()
        while todo:
            name = todo.pop()
            if name in variables:
                found.add(name)
            elif name in expressions and name not in done:
                todo |= names_in(expressions[name])
            done.add(name)
        return found

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
        states = [name for place in self.places for name in self.state(place)]
        found = dict.fromkeys(states, "0")
        for name, text in self.model.initial.items():
            where = f"initial of {name}"
            if name not in states:
                near = difflib.get_close_matches(str(name), states, n=1)
                hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(states)}"
                raise ModelError(f"initial: there is no state variable {name!r}; {hint}")
            value = read_value(where, text)
            expression = value.expression
            for helper, line, _ in reversed(value.helpers):
                expression = word_substitute(expression, {helper: f"({line})"})
            expression = self._resolve(where, expression, ())
            if not (
                expression.strip() in ("0", "0.0")
                or self.dimensions[name] is dimension_of(where, expression, self.dimensions)
            ):
                self._match(where, expression, self.dimensions[name])
            found[name] = expression
        return found

    def _check_carried(self) -> None:
        names = [name for place in self.places if place != SYNAPSE for name in self.state(place)]
        for name in self.model.carried:
            if name in self.state(SYNAPSE):
                raise ModelError(f"carried: {name} is of the synapse and goes on from round to round anyway")
            if name not in names:
                near = difflib.get_close_matches(str(name), names, n=1)
                hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(names)}"
                raise ModelError(f"carried: there is no state variable {name!r}; {hint}")

    def _read_rule(self) -> tuple[Value | tuple[Statement, ...], set[str]]:
        """The learning rule with bare names, and the state variables of neurons that it reads."""
        where = "plasticity"
        rule = read_rule(where, self.model.plasticity)
        neurons = [name for place in self.places if place != SYNAPSE for name in self.names(place)]
        lasting = [name for name in neurons if not self._passing(name)]
        seen = [*self.names(SYNAPSE), *lasting, "R"]
        if isinstance(rule, Value):
            own: list[str] = []
            helpers = []
            for name, text, unit in rule.helpers:
                self._take(where, name)
                text = self._rule_expression(where, text, [*seen, *own])
                dimension = unit_of("" if unit.strip() == "1" else unit.strip()).dim
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
            if target not in self.state(SYNAPSE):
                if target in neurons or target in self.names(SYNAPSE) or target in RESERVED or target in self.declared:
                    raise ModelError(
                        f"plasticity cannot change {target!r}: it changes the synapse's variables, "
                        f"{', '.join(self.synaptic)}, and helpers of its own"
                    )
                if target not in seen:
                    if statement.operation != "=":
                        raise unknown(where, target, self.synaptic)
                    self._take(where, target)
                    seen.append(target)
                    self.dimensions[target] = dimension_of(where, text, self.dimensions)
            whole = text if statement.operation in ("=", "+=", "-=") else f"{target} {statement.operation[0]} ({text})"
            self._match(f"{where}, {target}", whole, self.dimensions[target])
            statements.append(Statement(target, statement.operation, text))
            texts.append(text)
        if not any(statement.target in self.state(SYNAPSE) for statement in statements):
            raise ModelError("plasticity changes no variable of the synapse")
        return tuple(statements), self._states_of(texts)

    def _rule_expression(self, where: str, text: str, seen: list[str]) -> str:
        """Bare names; u and v of the pair may be written with their ends of the synapse."""
        ends = {f"{name}_pre": name for name in seen if name in self.names(U)}
        ends |= {f"{name}_post": name for name in seen if name in self.names(V)}
        text = word_substitute(text, {end: name for end, name in ends.items() if end in names_in(text)})
        for name in names_in(text):
            if name not in seen and any(name in self.visible(place) for place in self.places):
                raise ModelError(
                    f"{where} cannot use {name!r}: it is made of what arrives during a round, which is over"
                )
        return self._resolve(where, text, seen)

    def _passing(self, name: str) -> bool:
        """Whether a neuron's variable depends on what arrives during a round: input, couplings, noise."""
        eq = next(eq for listed in self.places.values() for eq in listed if eq.varname == name)
        if eq.type != SUBEXPRESSION:
            return False
        arriving = {name for names in self._arriving.values() for name in names}
        inside = names_in(str(eq.expr))
        known = {eq.varname for listed in self.places.values() for eq in listed}
        return bool(inside & arriving) or any(self._passing(other) for other in inside & known)

    def _states_of(self, texts: list[str]) -> set[str]:
        """The state variables of neurons that expressions come down to."""
        expressions = {
            eq.varname: str(eq.expr) for listed in self.places.values() for eq in listed if eq.type == SUBEXPRESSION
        }
        todo, done = set().union(*map(names_in, texts)), set()
        while todo:
            name = todo.pop()
            done.add(name)
            if name in expressions:
                todo |= names_in(expressions[name]) - done
        return {name for place in self.places if place != SYNAPSE for name in self.state(place) if name in done}

    def _check_everything_is_used(self) -> None:
        for parameter in self.model.parameters:
            if parameter.name not in self.used:
                near = difflib.get_close_matches(parameter.name, self.used, n=1)
                hint = f"; is {near[0]} meant?" if near else ""
                raise ModelError(f"parameter {parameter.name!r} is used in no equation{hint}")
        for where, coupling in self._couplings[2:]:
            if coupling.variable not in self.used:
                raise ModelError(f"{where}: no equation of {coupling.target} uses {coupling.variable!r}")
        for population in self.populations:
            if not any(coupling.source == population for _, coupling in self._couplings):
                raise ModelError(f"population {population}: no coupling begins there, so that it does nothing")


def equation(kind: str, name: str, dimension: Dimension, text: str) -> SingleEquation:
    """An equation of Brian2's."""
    return SingleEquation(kind, name, dimensions=dimension, var_type=FLOAT, expr=Expression(text))


def variable(name: str, dimension: Dimension, *flags: str) -> SingleEquation:
    """A variable of Brian2's without an equation."""
    return SingleEquation(PARAMETER, name, dimensions=dimension, var_type=FLOAT, flags=list(flags))


def _pre(drive: str) -> str:
    """A drive in which the mark {pre} is Brian2's ending."""
    return drive.replace("{pre}", "_pre") if isinstance(drive, str) else drive
