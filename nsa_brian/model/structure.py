"""The structure of a model: its variables by place, its couplings, and which engines can run it.

Variables belong to one of three levels: a neuron of a population, an option (the plastic synapse), a game (signals).
Every variable has one name in the whole structure, so that a pair of neurons with its synapse, or a whole game, can be
one unit of generated code as well as objects of a Brian2 network. Variables of a population of one neuron keep their
names; those of other populations have its name as a suffix, ``vm_of_u``. Input from other neurons, including the
paper's diagonal couplings, is a :class:`Link`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from brian2.equations.codestrings import Expression
from brian2.equations.equations import DIFFERENTIAL_EQUATION, FLOAT, PARAMETER, SUBEXPRESSION, SingleEquation
from brian2.units.fundamentalunits import Dimension

from nsa_brian.model.functions import canonical, without_words
from nsa_brian.model.parts import Choice, Input, Phase
from nsa_brian.model.reading import Statement, Value, names_in, texts_of

U, V, SYNAPSE, SIGNALS = "u", "v", "synapse", "signals"
#: The flag of equations that are not integrated while a neuron is refractory.
REFRACTORY = "unless refractory"
#: The variable that says whether a neuron fired in the previous time step.
SPIKED = "spiked"
#: Variables of a table of responses.
MOST_COORDINATES = 3
#: Names in a contact's rule: times since its neurons fired, and a uniform random number.
OF_CONTACTS = ("since_pre", "since_post", "chance")


@dataclass(frozen=True)
class Neurons:
    """A population.

    Attributes
    ----------
    name, per, count
        See :class:`nsa_brian.model.parts.Population`; ``count`` is a number or a parameter's name.
    equations : tuple of SingleEquation
    threshold, refractory : str
    reset : tuple of Statement
    initial : mapping
        The initial value of each state variable, an expression.
    carried, normal : tuple of str
    poisson : mapping
    written : mapping
        Names of its variables, in the declaration and here.
    """

    name: str
    per: str
    count: int | str
    equations: tuple[SingleEquation, ...]
    threshold: str = ""
    reset: tuple[Statement, ...] = ()
    refractory: str = ""
    initial: Mapping[str, str] = field(default_factory=dict)
    carried: tuple[str, ...] = ()
    normal: tuple[str, ...] = ()
    poisson: Mapping[str, str] = field(default_factory=dict)
    written: Mapping[str, str] = field(default_factory=dict)

    @property
    def of_options(self) -> bool:
        """Whether each option has such neurons."""
        return self.per == "option"

    @property
    def spikes(self) -> bool:
        """Whether its neurons spike."""
        return bool(self.threshold)

    @property
    def single(self) -> bool:
        """Whether it is one neuron that does not spike, and may be part of a unit of code."""
        return is_single(self)

    @property
    def state(self) -> list[str]:
        """Names of the state variables."""
        return [eq.varname for eq in self.equations if eq.type == DIFFERENTIAL_EQUATION]

    @property
    def texts(self) -> list[str]:
        """All expressions that are evaluated in time steps."""
        found = [str(eq.expr) for eq in self.equations if eq.expr is not None]
        return [*found, *([self.threshold] if self.threshold else []), *(s.expression for s in self.reset)]


def is_single(population: Any) -> bool:
    """Return whether a population, declared or read, is one neuron per option or game that does not spike."""
    count = population.count if isinstance(population, Neurons) else population.neurons
    return count == 1 and not population.threshold and not population.poisson


@dataclass(frozen=True)
class Link:
    """Input of a population from another one.

    Attributes
    ----------
    variable : str
        Its name in the target's equations.
    source, target, to, over : str
        See :class:`nsa_brian.model.parts.Coupling`.
    helpers : tuple of SingleEquation
        Helper lines of the drive.
    drive : str
        What one neuron sends, in names without ``_pre`` and ``_post``.
    dimension : Dimension
    rank : int
        Links are computed in the order of their ranks: a link may use those of lower rank.
    diagonal : bool
        Whether it stays within an option.
    """

    variable: str
    source: str
    target: str
    to: str
    over: str
    helpers: tuple[SingleEquation, ...]
    drive: str
    dimension: Dimension
    rank: int
    diagonal: bool

    @property
    def texts(self) -> list[str]:
        """Its expressions."""
        return [self.drive, *(str(eq.expr) for eq in self.helpers)]


@dataclass(frozen=True)
class Structure:
    """A parsed and checked model; see :func:`nsa_brian.model.declaration.read`.

    Names in expressions are without ``_pre``, ``_post`` and ``_chosen``.

    Attributes
    ----------
    populations : mapping
        Neurons by name; U and V first.
    synapse, signals : tuple of SingleEquation
        Variables of an option and of a game.
    links : tuple of Link
        Inputs through couplings, in the order of computation.
    initial : mapping
        The initial value of each synaptic variable and each signal, an expression.
    inputs : mapping
        Input by name.
    phases : tuple of Phase
    choice : Choice
    rule : Value or tuple of Statement
        How the synapses change at a round's end.
    signal_update : tuple of Statement
        How the signals change before that; option variables in it are those of the chosen option.
    contacts : mapping
        Initial value of contacts, by the name of their variable; empty if there are none.
    contact_rule : tuple of Statement
    means : mapping
        Names of means over an option's neurons, or contacts, in rules and the choice: population and variable.
    dimensions : mapping
        Of every name.
    used : frozenset of str
        All names that some string uses.
    origin : mapping
        The string that defines each variable.
    noise : float
    """

    populations: Mapping[str, Neurons]
    synapse: tuple[SingleEquation, ...]
    signals: tuple[SingleEquation, ...]
    links: tuple[Link, ...]
    initial: Mapping[str, str]
    inputs: Mapping[str, Input]
    phases: tuple[Phase, ...]
    choice: Choice
    rule: Value | tuple[Statement, ...]
    signal_update: tuple[Statement, ...]
    contacts: Mapping[str, str]
    contact_rule: tuple[Statement, ...]
    means: Mapping[str, tuple[str, str]]
    dimensions: Mapping[str, Dimension]
    used: frozenset[str]
    origin: Mapping[str, str]
    noise: float

    # Places ----------------------------------------------------------------------------------------------------------

    @cached_property
    def places(self) -> dict[str, tuple[SingleEquation, ...]]:
        """Equations by place: populations, ``"synapse"``, ``"signals"``."""
        found = {name: neurons.equations for name, neurons in self.populations.items()}
        return {**found, SYNAPSE: self.synapse, SIGNALS: self.signals}

    @cached_property
    def of_options(self) -> list[str]:
        """Names of populations per option."""
        return [name for name, neurons in self.populations.items() if neurons.of_options]

    @cached_property
    def of_games(self) -> list[str]:
        """Names of populations per game."""
        return [name for name, neurons in self.populations.items() if not neurons.of_options]

    def names(self, place: str, *kinds: str) -> list[str]:
        """Return the names of a place's equations, of all or of some kinds."""
        kinds = kinds or (DIFFERENTIAL_EQUATION, SUBEXPRESSION, PARAMETER)
        return [eq.varname for eq in self.places[place] if eq.type in kinds]

    def state(self, place: str) -> list[str]:
        """Return the state variables of a place, with or without differential equations."""
        return self.names(place, DIFFERENTIAL_EQUATION, PARAMETER)

    def arriving(self, place: str) -> list[str]:
        """Return the names of a population's inputs through couplings."""
        return [link.variable for link in self.links if link.target == place]

    @property
    def synaptic(self) -> list[str]:
        """The variables of the plastic synapse, ``w`` first."""
        return sorted(self.state(SYNAPSE), key=lambda name: name != "w")

    @property
    def of_game(self) -> list[str]:
        """Signals and inputs of a game, without subexpressions."""
        return [*self.state(SIGNALS), *(name for name, given in self.inputs.items() if given.per == "game")]

    @property
    def phased(self) -> list[str]:
        """Names that phases switch on and off."""
        return list(dict.fromkeys(name for phase in self.phases for name in phase.on))

    @property
    def before(self) -> list[Phase]:
        """Phases before the choice."""
        return [phase for phase in self.phases if not phase.after_choice]

    @property
    def after(self) -> list[Phase]:
        """Phases after the choice."""
        return [phase for phase in self.phases if phase.after_choice]

    @property
    def carried(self) -> list[str]:
        """State variables of neurons that are carried over between rounds."""
        return [name for neurons in self.populations.values() for name in neurons.carried]

    def place_of(self, name: str) -> str:
        """Return the place of a variable."""
        return next(place for place in self.places if name in self.names(place))

    # Dependencies ----------------------------------------------------------------------------------------------------

    @cached_property
    def expressions(self) -> dict[str, str]:
        """All subexpressions by name."""
        listed = [eq for place in self.places.values() for eq in place if eq.type == SUBEXPRESSION]
        return {eq.varname: str(eq.expr) for eq in listed}

    def comes_down_to(self, names: Iterable[str]) -> set[str]:
        """Return all names that some names depend on through subexpressions, themselves included."""
        return closure(names, self.expressions)

    @cached_property
    def only_in_unread(self) -> frozenset[str]:
        """Names that only the functions of the weight use, ``Phi_v`` and ``Phi_eta``, where nothing reads these."""
        unread = self.comes_down_to({"Phi_v", "Phi_eta"} & set(self.expressions))
        texts = [*self.course_texts(), *self.rule_texts, *self.choice_texts, *texts_of(self.contact_rule)]
        texts += [text for phase in self.phases for text in (phase.duration, *phase.on.values())]
        texts += [
            *self.initial.values(),
            *(text for each in self.populations.values() for text in each.initial.values()),
        ]
        texts += [text for name, text in self.expressions.items() if name not in unread]
        return frozenset(unread - self.comes_down_to(set().union(*map(names_in, texts))))

    @cached_property
    def _moving(self) -> set[str]:
        """Names whose values change within a round."""
        found = {link.variable for link in self.links} | {*self.phased, "choice"}
        for neurons in self.populations.values():
            found |= {*neurons.state, *neurons.normal, *neurons.poisson}
        return found | set(self.names(SYNAPSE, DIFFERENTIAL_EQUATION))

    def is_static(self, name: str) -> bool:
        """Return whether a variable or expression is constant within a round."""
        return not self.comes_down_to({name}) & self._moving

    def course_texts(self, *populations: str) -> list[str]:
        """Return all expressions evaluated within a round, of some populations or of all."""
        chosen = populations or tuple(self.populations)
        texts = [text for name in chosen for text in self.populations[name].texts]
        texts += [text for link in self.links if link.target in chosen for text in link.texts]
        return texts + [str(eq.expr) for eq in self.synapse if eq.type == DIFFERENTIAL_EQUATION]

    @cached_property
    def given(self) -> list[str]:
        """Names of options and games that a round reads directly: of the synapse, signals, inputs."""
        read = set().union(*map(names_in, self.course_texts()))
        return [name for name in (*self.names(SYNAPSE), *self.names(SIGNALS), *self.inputs) if name in read]

    def reads_of(self, texts: Iterable[str]) -> frozenset[str]:
        """Return the state variables of neurons, and means over them, that expressions depend on."""
        found = self.comes_down_to(set().union(*map(names_in, texts)))
        states = {name for neurons in self.populations.values() for name in neurons.state}
        return frozenset(found & (states | set(self.means) | self.shown))

    @property
    def shown(self) -> set[str]:
        """Those of ``u`` and ``v`` that are not state variables, but what a population shows."""
        return {name for name in (U, V) if name not in self.populations[name].state}

    @cached_property
    def rule_texts(self) -> list[str]:
        """Expressions evaluated after a round, except those of the choice."""
        return [*texts_of(self.rule), *texts_of(self.signal_update)]

    @cached_property
    def choice_texts(self) -> list[str]:
        """Expressions of the choice."""
        return [text for text in (self.choice.u, self.choice.v, self.choice.explore) if text]

    @cached_property
    def reads(self) -> frozenset[str]:
        """State variables of neurons that rules, signals and the choice read after a round."""
        return self.reads_of([*self.rule_texts, *self.choice_texts]) - self.shown

    # Properties for engines ------------------------------------------------------------------------------------------

    @property
    def single(self) -> bool:
        """Whether all populations are one neuron that does not spike, and a round ends with the choice."""
        return (
            all(neurons.single for neurons in self.populations.values())
            and not any(self.populations[name].normal for name in self.of_games)
            and not self.after
            and not self.contacts
        )

    @property
    def read_by_contacts(self) -> list[str]:
        """Names of options and games that the contacts' rule reads."""
        read = set().union(*map(names_in, texts_of(self.contact_rule)))
        above = [*self.names(SYNAPSE), *self.names(SIGNALS), *self.inputs]
        return [name for name in above if name in read and name not in OF_CONTACTS]

    @property
    def spikes(self) -> bool:
        """Whether any neurons spike."""
        return any(neurons.spikes for neurons in self.populations.values())

    @property
    def draws(self) -> bool:
        """Whether neurons or contacts use random numbers."""
        return bool(self.contacts) or any(each.normal or each.poisson for each in self.populations.values())

    @property
    def counts(self) -> list[str]:
        """Parameters that are numbers of neurons."""
        return sorted({each.count for each in self.populations.values() if isinstance(each.count, str)})

    @property
    def crossing(self) -> list[Link]:
        """The links that leave an option."""
        return [link for link in self.links if not link.diagonal]

    @property
    def dynamic(self) -> list[str]:
        """Variables of the plastic synapse that change within a round."""
        return self.names(SYNAPSE, DIFFERENTIAL_EQUATION)

    @cached_property
    def depends_on(self) -> list[str]:
        """Variables of the plastic synapse that a round depends on."""
        found = self.comes_down_to(self.given)
        return [name for name in self.synaptic if name in found]

    @cached_property
    def outside(self) -> list[str]:
        """Signals and inputs that a round depends on."""
        found = self.comes_down_to(self.given)
        return [name for name in (*self.state(SIGNALS), *self.inputs) if name in found]

    @property
    def dense(self) -> str:
        """Why all options of a game must be integrated in every round; empty if each depends on its synapse alone."""
        if self.spikes:
            return "its neurons spike"
        if self.crossing:
            return f"it couples options ({', '.join(link.variable for link in self.crossing)})"
        if self.dynamic:
            return f"{', '.join(self.dynamic)} of the synapse changes within a round"
        if self.carried:
            return f"{', '.join(self.carried)} is carried over from round to round"
        if self.draws:
            return "noise makes many answers to one weight"
        if self.outside:
            return f"its neurons read {', '.join(self.outside)}, which may differ from round to round"
        if not self.single:
            return "its rounds go on after the choice, or its populations have many neurons"
        return ""

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """The one to three variables that determine a round's end, such as ``("Phi_v",)``; empty if there are none.

        Those that the equations read, if there are not too many, since a round is a smoother function of them; else the
        variables of the synapse that these depend on.
        """
        return () if self.no_table else self._coordinates

    @property
    def _coordinates(self) -> tuple[str, ...]:
        static = all(map(self.is_static, self.given))
        if set(self.depends_on) <= {"w"}:
            return ("Phi_v",) if static and set(self.given) <= {"Phi_v"} else ("w",)
        return tuple(self.given if static and len(self.given) <= MOST_COORDINATES else self.depends_on)

    @property
    def coordinate(self) -> str:
        """The one variable that determines a round's end, ``"Phi_v"`` or ``"w"``; empty if there is none."""
        return self.coordinates[0] if len(self.coordinates) == 1 else ""

    @property
    def no_table(self) -> str:
        """Why a round's end cannot be looked up in a table; empty if it can."""
        more = sorted(self.reads - {U, V})
        if self.dense:
            return self.dense
        if more:
            return f"its rules read {' and '.join(more)}, and a table holds u and v"
        if self.uses_n_arms:
            return "its equations use n_arms, and one table serves any number of arms"
        if len(self._coordinates) > MOST_COORDINATES:
            found, most = " and ".join(sorted(self._coordinates)), MOST_COORDINATES
            return f"a round's end depends on {found} of the synapse, and a table has at most {most} variables"
        return ""

    @property
    def uses_n_arms(self) -> bool:
        """Whether expressions evaluated within a round use the number of arms."""
        texts = [
            *self.course_texts(),
            *self.expressions.values(),
            *(text for p in self.phases for text in p.on.values()),
        ]
        texts += [text for neurons in self.populations.values() for text in neurons.initial.values()]
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
        """State besides ``w`` that a round depends on and that is carried over between rounds."""
        read = self.comes_down_to(self.given)
        lasting = [*self.synaptic, *self.state(SIGNALS)]
        return [*self.carried, *(name for name in lasting if name in read and name != "w")]


def closure(names: Iterable[str], expressions: Mapping[str, str]) -> set[str]:
    """Return all names that some names depend on, themselves included."""
    found: set[str] = set()
    todo = set(names)
    while todo:
        name = todo.pop()
        found.add(name)
        todo |= names_in(expressions[name]) - found if name in expressions else set()
    return found


def equation(kind: str, name: str, dimension: Dimension, text: str, *flags: str) -> SingleEquation:
    """Return a Brian2 equation."""
    return SingleEquation(kind, name, dimensions=dimension, var_type=FLOAT, expr=Expression(text), flags=list(flags))


def canonical_equation(eq: SingleEquation) -> SingleEquation:
    """Return an equation with functions and operators that mean the same in every engine."""
    if eq.expr is None:
        return eq
    text = canonical(str(eq.expr))
    if REFRACTORY in eq.flags:
        text = without_words(text)
    return eq if text == str(eq.expr) else equation(eq.type, eq.varname, eq.dim, text, *eq.flags)


def variable(name: str, dimension: Dimension, *flags: str) -> SingleEquation:
    """Return a Brian2 variable without an equation."""
    return SingleEquation(PARAMETER, name, dimensions=dimension, var_type=FLOAT, flags=list(flags))
