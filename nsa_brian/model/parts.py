"""Parts of a model: populations, couplings, contacts, inputs, phases, the choice."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from nsa_brian.common.checks import check_number
from nsa_brian.errors import ModelError, shown
from nsa_brian.model.names import check_identifier

REACHES = ("all", "others", "own")
OVER = ("sum", "mean")
PER = ("option", "game")
EXPLOITS = ("agreement", "never")
#: Largest number of neurons of a population per option, or per game.
MOST_NEURONS = 100_000
#: Largest absolute value of an input.
LARGEST = 1e300


class Part:
    """A part of a model, an immutable value: texts, and mappings and tuples of them."""

    #: Its name in messages.
    what = "part"

    def __post_init__(self) -> None:
        for f in dataclasses.fields(self):  # type: ignore[arg-type]
            value, kind = getattr(self, f.name), str(f.type)
            if kind.startswith("Mapping"):
                if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
                    raise ModelError(
                        f"{self._label}: {f.name} must be a mapping of names to expressions, got {value!r}"
                    )
                object.__setattr__(self, f.name, MappingProxyType({key: _text(text) for key, text in value.items()}))
                value = getattr(self, f.name)
                if not all(isinstance(text, str) for text in value.values()):
                    raise ModelError(f"{self._label}: {f.name} must map names to expressions, got {dict(value)!r}")
            elif kind.startswith("tuple"):
                value = (value,) if isinstance(value, str) else value
                if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
                    raise ModelError(f"{self._label}: {f.name} must be a tuple of names, got {value!r}")
                object.__setattr__(self, f.name, tuple(value))
            elif kind == "str" and not isinstance(value, str):
                raise ModelError(f"{self._label}: {f.name} must be a text, got {value!r}")
            elif kind == "bool" and not isinstance(value, bool):
                raise ModelError(f"{self._label}: {f.name} must be True or False, got {value!r}")

    @property
    def _label(self) -> str:
        name = getattr(self, "name", getattr(self, "variable", ""))
        return f"{self.what} {name}" if isinstance(name, str) and name else type(self).__name__

    def __hash__(self) -> int:
        return hash(tuple(str(value) for value in self.to_dict().values()))

    def __reduce__(self) -> Any:
        return type(self), tuple(self.to_dict().values())

    def to_dict(self) -> dict[str, Any]:
        """Convert to a dict for JSON."""
        plain = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}  # type: ignore[arg-type]
        plain = {name: dict(value) if isinstance(value, Mapping) else value for name, value in plain.items()}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in plain.items()}

    def _one_of(self, name: str, legal: tuple[str, ...]) -> None:
        if getattr(self, name) not in legal:
            raise ModelError(f"{self._label}: {name} must be one of {', '.join(legal)}, got {getattr(self, name)!r}")

    def _is_name(self, name: str) -> None:
        value = getattr(self, name)
        if not value.isidentifier():
            raise ModelError(f"{type(self).__name__}: {name} must be a Python name, got {value[:200]!r}")


def _text(value: Any) -> Any:
    """Return a number as an expression, anything else unchanged."""
    return repr(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


@dataclass(frozen=True)
class Population(Part):
    """A population of neurons, of every option or of a game.

    Parameters
    ----------
    name : str
        ``"u"`` or ``"v"`` replaces the paper's; others are added.
    equations : str
        Brian2 equations. They can use variables of the neuron, of its option (the synapse's) and of the game (signals),
        the variables of couplings, inputs, and the names of phases. ``s_v`` is the mean of ``s`` over the neurons of V.
    per : {"option", "game"}
        Whether each option, or each game, has such neurons.
    neurons : int or str
        Number of neurons per option or game: a number, or the name of a parameter.
    threshold, reset, refractory : str
        As in Brian2: the condition of a spike, statements that a spike runs, and the refractory time.
    initial : mapping
        Initial values at the start of a round as expressions, by name; 0 by default.
    carried : tuple of str
        Variables that are carried over between rounds instead.
    normal : tuple of str
        Names of standard normal random numbers, drawn for each neuron and time step.
    poisson : mapping
        Names of Poisson counts per neuron and time step, with rates: expressions of parameters and names of phases.
    """

    name: str
    equations: str
    per: str = ""
    neurons: int | str = 1
    threshold: str = ""
    reset: str = ""
    refractory: str = ""
    initial: Mapping[str, str] = field(default_factory=dict)
    carried: tuple[str, ...] = ()
    normal: tuple[str, ...] = ()
    poisson: Mapping[str, str] = field(default_factory=dict)

    what = "population"
    __hash__ = Part.__hash__

    def __post_init__(self) -> None:
        super().__post_init__()
        check_identifier(self.name)
        if not self.per:
            object.__setattr__(self, "per", self._former_per())
        self._one_of("per", PER)
        if self.name in ("u", "v") and self.per != "option":
            raise ModelError(f"population {self.name}: per must be option, since U and V choose between options")
        number = isinstance(self.neurons, int) and not isinstance(self.neurons, bool)
        named = isinstance(self.neurons, str) and self.neurons.isidentifier()
        if not named and not (number and 1 <= self.neurons <= MOST_NEURONS):  # type: ignore[operator]
            raise ModelError(
                f"population {self.name}: neurons must be a whole number from 1 to {MOST_NEURONS} or a parameter's "
                f"name, got {shown(self.neurons)}"
            )
        if not self.threshold.strip():
            for name in ("reset", "refractory"):
                if getattr(self, name):
                    raise ModelError(
                        f"population {self.name}: {name}={getattr(self, name)!r} needs a threshold, at which neurons "
                        "fire"
                    )

    def _former_per(self) -> str:
        """Return the default of ``per``: until 0.2 all populations were one neuron per game."""
        new = (self.neurons, self.threshold, self.initial, self.carried, self.normal, self.poisson)
        if self.name in ("u", "v") or new != (1, "", {}, (), (), {}):
            return "option"
        warnings.warn(
            f'population {self.name}: write per="game" or per="option"; the default is "game", as in 0.2, and will be '
            '"option" from 0.4 on',
            DeprecationWarning,
            stacklevel=5,
        )
        return "game"


@dataclass(frozen=True)
class Coupling(Part):
    """Synapses from one population to another.

    Parameters
    ----------
    source, target : str
        Names of populations, ``"u"`` and ``"v"`` among them.
    variable : str
        Name of the input of a target neuron, for use in its equations.
    drive : str
        What a neuron sends, in variables of the source, such as ``"-strength * phi_u_pre"``, and of the source's
        option. Variables of the target, ``NAME_post``, can be used between populations of one neuron.
    to : {"all", "others", "own"}
        Between populations of options, a neuron reaches all options of the game (its own included), all others, or
        its own.
    over : {"sum", "mean"}
        The sum over sending options of the mean over the neurons of each, or the mean over all sending neurons.
    """

    source: str
    target: str
    variable: str
    drive: str
    to: str = "all"
    over: str = "sum"

    what = "coupling"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._is_name("variable")
        self._one_of("to", REACHES)
        self._one_of("over", OVER)


@dataclass(frozen=True)
class Lateral(Part):
    """Synapses from every option to every other one within a population: a :class:`Coupling` to the others.

    Parameters
    ----------
    population : {"u", "v"}
    variable : str
        Name of their sum in a neuron, for use in the population's rate equation.
    drive : str
        The contribution of one of them, such as ``"-inhibition * phi_u_pre"``.
    """

    population: str
    variable: str
    drive: str

    what = "lateral coupling"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._is_name("variable")
        self._one_of("population", ("u", "v"))

    @property
    def coupling(self) -> Coupling:
        """The equivalent coupling."""
        return Coupling(self.population, self.population, self.variable, self.drive, "others")


@dataclass(frozen=True)
class Contacts(Part):
    """Synapses from each neuron of U to each neuron of V of the same option, each of which learns.

    Parameters
    ----------
    equations : str
        Their variables, without dynamics: ``"b : 1"``. The rules of an option use the mean over its contacts.
    rule : str
        Statements, run for each contact when the outcome is known. They can use the contact's variables, ``since_pre``
        and ``since_post`` (times since its neurons fired), ``R``, ``chance`` (a uniform random number), and variables
        of the option and of the game.
    """

    equations: str = "b : 1"
    rule: str = ""

    what = "contacts"


@dataclass(frozen=True)
class Input(Part):
    """An external input, with one value per round: light on an option's neurons, a cue, a drug.

    Parameters
    ----------
    name : str
        Name in equations, drives, rules and the choice.
    per : {"option", "game"}
    unit : str
        The Brian2 unit in which values are given; empty for none.
    default : float
        Value if none is given.
    """

    name: str
    per: str = "option"
    unit: str = ""
    default: float = 0.0

    what = "input"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._is_name("name")
        self._one_of("per", PER)
        try:
            default = check_number("default", self.default, -LARGEST, LARGEST)
        except ValueError:
            raise ModelError(f"input {self.name}: default must be a finite number, got {shown(self.default)}") from None
        object.__setattr__(self, "default", default)


@dataclass(frozen=True)
class Phase(Part):
    """A phase of a round.

    Parameters
    ----------
    name : str
    duration : str
        A time: a parameter's name, or an expression of parameters.
    on : mapping
        Names that are on in this phase, with their values: expressions of parameters. In other phases they are 0.
    after_choice : bool
        Whether the phase follows the choice. ``choice`` is then 1 for the chosen option, else -1; ``R`` is the reward.
    """

    name: str
    duration: str
    on: Mapping[str, str] = field(default_factory=dict)
    after_choice: bool = False

    what = "phase"
    __hash__ = Part.__hash__

    def __post_init__(self) -> None:
        super().__post_init__()
        self._is_name("name")


@dataclass(frozen=True)
class Choice(Part):
    """How an arm is chosen at the end of the phases before the choice.

    Parameters
    ----------
    u, v : str
        What U and V show, expressions of an option's variables. Empty: the firing rate if the population spikes, else
        the variable of the same name.
    window : str
        Time before the choice in which spikes are counted, a parameter's name; empty: the last phase before it.
    exploit : {"agreement", "never"}
        When V's favourite, the option with the highest ``v``, is taken: if it is U's favourite too, or never.
    explore : str
        Otherwise, the weight of an option, to which its probability is proportional. It can use variables of the option
        and of the game, ``u`` and ``v``, ``u_top`` and ``v_top`` (the highest of them), ``best_u`` and ``best_v`` (1
        for the population's favourite, else 0), ``u_at_v`` and ``v_at_u`` (u of V's favourite, v of U's). If all
        weights are 0, all options are equally likely.
    """

    u: str = ""
    v: str = ""
    window: str = ""
    exploit: str = "agreement"
    explore: str = "1"

    what = "choice"

    def __post_init__(self) -> None:
        object.__setattr__(self, "explore", _text(self.explore))
        super().__post_init__()
        self._one_of("exploit", EXPLOITS)
