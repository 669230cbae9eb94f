"""What is true of a model: where its variables are, what arrives where, and which engines follow from that.

Four kinds of place hold variables: population U, population V, the plastic synapse of an option, and populations of a
game's own. Their names all differ, so that a pair of neurons with its synapse can be one unit of generated code as
well as three objects of a Brian2 network. What arrives in a neuron through couplings, the diagonal ones of the paper
included, is a :class:`Link`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from brian2.equations.codestrings import Expression
from brian2.equations.equations import DIFFERENTIAL_EQUATION, FLOAT, PARAMETER, SUBEXPRESSION, SingleEquation
from brian2.units.fundamentalunits import Dimension

from nsa_brian.model.functions import canonical
from nsa_brian.model.reading import Statement, Value, names_in

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


@dataclass(frozen=True)
class Structure:
    """A model, read and checked; see :func:`nsa_brian.model.declaration.read`.

    Attributes
    ----------
    places : mapping
        Equations by the place that holds them: ``"u"``, ``"v"``, ``"synapse"`` and the names of populations. Names in
        them are bare, without ``_pre`` and ``_post``.
    arriving : mapping
        Names of what arrives in each place: through couplings, as input, as noise.
    links : tuple of Link
        All that arrives through couplings, in the order of computation.
    initial : mapping
        The expression that each state variable starts from.
    carried : tuple of str
        State variables of neurons that go on from round to round.
    rule : Value or tuple of Statement
        How the synapses change at a round's end.
    rule_reads : frozenset of str
        State variables of neurons that the rule comes down to.
    dimensions : mapping
        Of every name.
    used : frozenset of str
        All names that some string uses.
    origin : mapping
        The string that defines each variable.
    noise : float
    """

    places: Mapping[str, list[SingleEquation]]
    arriving: Mapping[str, list[str]]
    links: tuple[Link, ...]
    initial: Mapping[str, str]
    carried: tuple[str, ...]
    rule: Value | tuple[Statement, ...]
    rule_reads: frozenset[str]
    dimensions: Mapping[str, Dimension]
    used: frozenset[str]
    origin: Mapping[str, str]
    noise: float

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

    def comes_down_to(self, names: Iterable[str]) -> set[str]:
        """All names that some names are made of, themselves included, through lines without dynamics."""
        return closure(names, self.expressions)

    def visible(self, place: str) -> list[str]:
        """Names that a place's equations see: its own variables, and what arrives there."""
        return [*self.names(place), *self.arriving[place]]

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
    def dynamic(self) -> list[str]:
        """Variables of the plastic synapse that change within a round."""
        return self.names(SYNAPSE, DIFFERENTIAL_EQUATION)

    @property
    def dense(self) -> str:
        """Why all options of a game must be integrated in every round; empty if each answers to its synapse alone."""
        if self.crossing:
            return f"it couples options ({', '.join(link.variable for link in self.crossing)})"
        if self.dynamic:
            return f"{', '.join(self.dynamic)} of the synapse changes within a round"
        if self.carried:
            return f"{', '.join(self.carried)} is carried over from round to round"
        if self.noise:
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
        read, synaptic = self.read_by_pair, set(self.state(SYNAPSE))
        if read <= {"Phi_v"} and self.is_static("Phi_v") and self.comes_down_to({"Phi_v"}) & synaptic <= {"w"}:
            return "Phi_v"
        return "w" if self.comes_down_to(read) & synaptic <= {"w"} else ""

    def is_static(self, name: str) -> bool:
        """Whether a variable or expression of the synapse does not change within a round."""
        moving = {other for place in self.places if place != SYNAPSE for other in self.visible(place)}
        moving |= set(self.names(SYNAPSE, DIFFERENTIAL_EQUATION))
        return not self.comes_down_to({name}) & moving

    @property
    def uses_n_arms(self) -> bool:
        """Whether what a pair does depends on the number of arms."""
        texts = [link.drive for link in self.links] + [str(eq.expr) for link in self.links for eq in link.helpers]
        texts += [str(eq.expr) for place in self.places.values() for eq in place if eq.expr is not None]
        texts += [text for name, text in self.initial.items() if name not in self.state(SYNAPSE)]
        return any("n_arms" in names_in(text) for text in texts)

    @property
    def depends_on_arms(self) -> bool:
        """Whether an option's round depends on the number of arms: by couplings, or by n_arms in a string.

        A learning rule that uses n_arms acts after the round, and the weight itself is given.
        """
        started = [text for name, text in self.initial.items() if name != "w"]
        return bool(self.crossing) or self.uses_n_arms or any("n_arms" in names_in(text) for text in started)

    @property
    def remembered(self) -> list[str]:
        """State besides ``w`` that a round depends on and that continues from round to round."""
        read = self.comes_down_to(self.read_by_pair)
        return [*self.carried, *(name for name in self.synaptic if name in read and name != "w")]

    def place_of(self, name: str) -> str:
        """The place that a variable belongs to."""
        return next(place for place in self.places if name in self.names(place))


def closure(names: Iterable[str], expressions: Mapping[str, str]) -> set[str]:
    """All names that some names are made of, themselves included."""
    found: set[str] = set()
    todo = set(names)
    while todo:
        name = todo.pop()
        found.add(name)
        todo |= names_in(expressions[name]) - found if name in expressions else set()
    return found


def equation(kind: str, name: str, dimension: Dimension, text: str) -> SingleEquation:
    """An equation of Brian2's."""
    return SingleEquation(kind, name, dimensions=dimension, var_type=FLOAT, expr=Expression(text))


def canonical_equation(eq: SingleEquation) -> SingleEquation:
    """An equation with functions and operators that mean the same in every engine."""
    if eq.expr is None or canonical(str(eq.expr)) == str(eq.expr):
        return eq
    flags, text = list(eq.flags), canonical(str(eq.expr))
    return SingleEquation(eq.type, eq.varname, eq.dim, var_type=FLOAT, expr=Expression(text), flags=flags)


def variable(name: str, dimension: Dimension, *flags: str) -> SingleEquation:
    """A variable of Brian2's without an equation."""
    return SingleEquation(PARAMETER, name, dimensions=dimension, var_type=FLOAT, flags=list(flags))
