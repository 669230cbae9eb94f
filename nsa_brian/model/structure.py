"""What is true of a model: where its variables are, what arrives where, and which engines follow from that.

Variables belong to three levels: to a neuron of a population, to an option (the plastic synapse), to a game (signals).
Every variable has one name in all of a structure, so that a pair of neurons with its synapse, or a whole game, can be
one unit of generated code as well as objects of a Brian2 network: variables of a population of one neuron keep the name
they were given, those of others carry the population's, ``vm_of_u``. What arrives in a neuron from others, through the
diagonal couplings of the paper too, is a :class:`Link`.
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
#: A flag of equations that stand still after a spike.
REFRACTORY = "unless refractory"
#: The variable that tells whether a neuron fired in the time step before.
SPIKED = "spiked"
#: Names of a contact's neurons and of its luck.
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
        The expression that each state variable starts from.
    carried, normal : tuple of str
    poisson : mapping
    written : mapping
        The names that its own variables have in the declaration, and those they have here.
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
        """Whether its neurons fire."""
        return bool(self.threshold)

    @property
    def single(self) -> bool:
        """Whether it is one neuron that does not fire, and that may be part of a unit of code."""
        return is_single(self)

    @property
    def state(self) -> list[str]:
        """Names of the state variables."""
        return [eq.varname for eq in self.equations if eq.type == DIFFERENTIAL_EQUATION]

    @property
    def texts(self) -> list[str]:
        """All expressions of its time steps."""
        found = [str(eq.expr) for eq in self.equations if eq.expr is not None]
        return [*found, *([self.threshold] if self.threshold else []), *(s.expression for s in self.reset)]


def is_single(population: Any) -> bool:
    """Whether a population, declared or read, is one neuron of an option or a game that does not fire."""
    count = population.count if isinstance(population, Neurons) else population.neurons
    return count == 1 and not population.threshold and not population.poisson


@dataclass(frozen=True)
class Link:
    """What arrives in a population from another one.

    Attributes
    ----------
    variable : str
        Its name in the target's equations.
    source, target, to, over : str
        See :class:`nsa_brian.model.parts.Coupling`.
    helpers : tuple of SingleEquation
        Lines that the drive uses.
    drive : str
        What one neuron sends, names without ``_pre`` and ``_post``.
    dimension : Dimension
    rank : int
        Links are computed in the order of their ranks: a link may use what others delivered before it.
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
    """A model, read and checked; see :func:`nsa_brian.model.declaration.read`.

    Names in all expressions are bare, without ``_pre``, ``_post`` and ``_chosen``.

    Attributes
    ----------
    populations : mapping
        Of neurons, by name; U and V first.
    synapse, signals : tuple of SingleEquation
        Variables of an option and of a game.
    links : tuple of Link
        All that arrives through couplings, in the order of computation.
    initial : mapping
        The expression that each variable of the synapse, and each signal, starts from.
    inputs : mapping
        Of Input, by name.
    phases : tuple of Phase
    choice : Choice
    rule : Value or tuple of Statement
        How the synapses change at a round's end.
    signal_update : tuple of Statement
        How the signals change before that; option variables in it are those of the chosen option.
    contacts : mapping
        Where contacts start, by the name of their variable; empty if there are none.
    contact_rule : tuple of Statement
    means : mapping
        Names by which rules and the choice read a mean over an option's neurons, or contacts: population and variable.
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

    # Where things are ------------------------------------------------------------------------------------------------

    @cached_property
    def places(self) -> dict[str, tuple[SingleEquation, ...]]:
        """Equations by the place that holds them: populations, ``"synapse"``, ``"signals"``."""
        found = {name: neurons.equations for name, neurons in self.populations.items()}
        return {**found, SYNAPSE: self.synapse, SIGNALS: self.signals}

    @cached_property
    def of_options(self) -> list[str]:
        """Populations that each option has."""
        return [name for name, neurons in self.populations.items() if neurons.of_options]

    @cached_property
    def of_games(self) -> list[str]:
        """Populations that a game has."""
        return [name for name, neurons in self.populations.items() if not neurons.of_options]

    def names(self, place: str, *kinds: str) -> list[str]:
        """Names of a place's equations of some kinds."""
        kinds = kinds or (DIFFERENTIAL_EQUATION, SUBEXPRESSION, PARAMETER)
        return [eq.varname for eq in self.places[place] if eq.type in kinds]

    def state(self, place: str) -> list[str]:
        """State variables of a place: differential ones, and variables without dynamics."""
        return self.names(place, DIFFERENTIAL_EQUATION, PARAMETER)

    def arriving(self, place: str) -> list[str]:
        """Names of what arrives in a population through couplings."""
        return [link.variable for link in self.links if link.target == place]

    @property
    def synaptic(self) -> list[str]:
        """The variables of the plastic synapse, ``w`` first."""
        return sorted(self.state(SYNAPSE), key=lambda name: name != "w")

    @property
    def of_game(self) -> list[str]:
        """Signals and inputs that a game has, expressions of signals not among them."""
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
        """State variables of neurons that go on from round to round."""
        return [name for neurons in self.populations.values() for name in neurons.carried]

    def place_of(self, name: str) -> str:
        """The place that a variable belongs to."""
        return next(place for place in self.places if name in self.names(place))

    # What comes down to what -----------------------------------------------------------------------------------------

    @cached_property
    def expressions(self) -> dict[str, str]:
        """All lines without dynamics, wherever they are: expressions by name."""
        listed = [eq for place in self.places.values() for eq in place if eq.type == SUBEXPRESSION]
        return {eq.varname: str(eq.expr) for eq in listed}

    def comes_down_to(self, names: Iterable[str]) -> set[str]:
        """All names that some names are made of, themselves included, through lines without dynamics."""
        return closure(names, self.expressions)

    @cached_property
    def _moving(self) -> set[str]:
        """Names whose values change within a round."""
        found = {link.variable for link in self.links} | {*self.phased, "choice"}
        for neurons in self.populations.values():
            found |= {*neurons.state, *neurons.normal, *neurons.poisson}
        return found | set(self.names(SYNAPSE, DIFFERENTIAL_EQUATION))

    def is_static(self, name: str) -> bool:
        """Whether a variable or expression does not change within a round."""
        return not self.comes_down_to({name}) & self._moving

    def course_texts(self, *populations: str) -> list[str]:
        """All expressions that a round's course is made of: of some populations, or of all."""
        chosen = populations or tuple(self.populations)
        texts = [text for name in chosen for text in self.populations[name].texts]
        texts += [text for link in self.links if link.target in chosen for text in link.texts]
        return texts + [str(eq.expr) for eq in self.synapse if eq.type == DIFFERENTIAL_EQUATION]

    @cached_property
    def given(self) -> list[str]:
        """Names of options and games that a round's course reads directly: of the synapse, signals, inputs."""
        read = set().union(*map(names_in, self.course_texts()))
        return [name for name in (*self.names(SYNAPSE), *self.names(SIGNALS), *self.inputs) if name in read]

    def reads_of(self, texts: Iterable[str]) -> frozenset[str]:
        """State variables of neurons, and means over them, that expressions come down to."""
        found = self.comes_down_to(set().union(*map(names_in, texts)))
        states = {name for neurons in self.populations.values() for name in neurons.state}
        return frozenset(found & (states | set(self.means) | self.shown))

    @property
    def shown(self) -> set[str]:
        """Of ``u`` and ``v``, those that are no variable of a neuron but what a population shows."""
        return {name for name in (U, V) if name not in self.populations[name].state}

    @cached_property
    def rule_texts(self) -> list[str]:
        """Expressions that are computed when a round is over, but for those of the choice."""
        return [*texts_of(self.rule), *texts_of(self.signal_update)]

    @cached_property
    def choice_texts(self) -> list[str]:
        """Expressions of the choice."""
        return [text for text in (self.choice.u, self.choice.v, self.choice.explore) if text]

    @cached_property
    def reads(self) -> frozenset[str]:
        """State variables of neurons that are read when a round is over: by rules, signals and the choice."""
        return self.reads_of([*self.rule_texts, *self.choice_texts]) - self.shown

    # What follows for engines ----------------------------------------------------------------------------------------

    @property
    def single(self) -> bool:
        """Whether all populations are one neuron that does not fire, and a round ends with the choice."""
        return (
            all(neurons.single for neurons in self.populations.values())
            and not any(self.populations[name].normal for name in self.of_games)
            and not self.after
            and not self.contacts
        )

    @property
    def read_by_contacts(self) -> list[str]:
        """Names of options and games that the rule of contacts reads."""
        read = set().union(*map(names_in, texts_of(self.contact_rule)))
        above = [*self.names(SYNAPSE), *self.names(SIGNALS), *self.inputs]
        return [name for name in above if name in read and name not in OF_CONTACTS]

    @property
    def spikes(self) -> bool:
        """Whether neurons fire."""
        return any(neurons.spikes for neurons in self.populations.values())

    @property
    def draws(self) -> bool:
        """Whether neurons, or contacts, have random numbers of their own."""
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
    def outside(self) -> list[str]:
        """Signals and inputs that a round's course depends on."""
        found = self.comes_down_to(self.given)
        return [name for name in (*self.state(SIGNALS), *self.inputs) if name in found]

    @property
    def dense(self) -> str:
        """Why all options of a game must be integrated in every round; empty if each answers to its synapse alone."""
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

    @property
    def coordinate(self) -> str:
        """The one number that a round's end is a function of, ``"Phi_v"`` or ``"w"``; empty if there is none."""
        if self.dense or self.uses_n_arms or self.reads - {U, V}:
            return ""
        read, synaptic = set(self.given), set(self.state(SYNAPSE))
        if read <= {"Phi_v"} and self.is_static("Phi_v") and self.comes_down_to({"Phi_v"}) & synaptic <= {"w"}:
            return "Phi_v"
        return "w" if self.comes_down_to(read) & synaptic <= {"w"} else ""

    @property
    def no_table(self) -> str:
        """Why a round's end cannot be looked up in a table; empty if it can."""
        if self.coordinate:
            return ""
        more = sorted(self.reads - {U, V})
        if self.dense:
            return self.dense
        if more:
            return f"its rules read {' and '.join(more)}, and a table holds u and v"
        if self.uses_n_arms:
            return "its equations use n_arms, and one table serves any number of arms"
        return f"a round's end depends on {' and '.join(sorted(self.given))} of the synapse, and a table has one column"

    @property
    def uses_n_arms(self) -> bool:
        """Whether what an option does in a round depends on the number of arms."""
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
        """State besides ``w`` that a round depends on and that continues from round to round."""
        read = self.comes_down_to(self.given)
        lasting = [*self.synaptic, *self.state(SIGNALS)]
        return [*self.carried, *(name for name in lasting if name in read and name != "w")]


def closure(names: Iterable[str], expressions: Mapping[str, str]) -> set[str]:
    """All names that some names are made of, themselves included."""
    found: set[str] = set()
    todo = set(names)
    while todo:
        name = todo.pop()
        found.add(name)
        todo |= names_in(expressions[name]) - found if name in expressions else set()
    return found


def equation(kind: str, name: str, dimension: Dimension, text: str, *flags: str) -> SingleEquation:
    """An equation of Brian2's."""
    return SingleEquation(kind, name, dimensions=dimension, var_type=FLOAT, expr=Expression(text), flags=list(flags))


def canonical_equation(eq: SingleEquation) -> SingleEquation:
    """An equation with functions and operators that mean the same in every engine."""
    if eq.expr is None:
        return eq
    text = canonical(str(eq.expr))
    if REFRACTORY in eq.flags:
        text = without_words(text)
    return eq if text == str(eq.expr) else equation(eq.type, eq.varname, eq.dim, text, *eq.flags)


def variable(name: str, dimension: Dimension, *flags: str) -> SingleEquation:
    """A variable of Brian2's without an equation."""
    return SingleEquation(PARAMETER, name, dimensions=dimension, var_type=FLOAT, flags=list(flags))
