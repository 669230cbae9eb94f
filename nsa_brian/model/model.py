"""``Model``: equations, rules and parameters as an immutable value that every engine, command and search takes."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from brian2 import Equations, Quantity
from brian2.units.fundamentalunits import get_unit

from nsa_brian.common.checks import check_number
from nsa_brian.common.user_files import parse_json
from nsa_brian.errors import ModelError, printable
from nsa_brian.model import declaration, equations, preparing
from nsa_brian.model.latex import latex
from nsa_brian.model.parts import (
    MOST_NEURONS,
    Choice,
    Contacts,
    Coupling,
    Input,
    Lateral,
    Part,
    Phase,
    Population,
)
from nsa_brian.model.reading import unit_of
from nsa_brian.model.structure import SYNAPSE, Structure
from nsa_brian.parameters import PARAMETERS, NSAParameters, Parameter

#: Format and version in a model's JSON.
FORMAT, VERSION = "nsa-model", 1

#: Default tolerances of ties, of activities without a unit and of firing rates in Hz: about the standard deviation of
#: the difference between two options of equal weight.
TOLERANCE, TOLERANCE_IN_HZ = 1e-6, 1.0
#: Largest noise; activities lie near 1, and far above this they are only noise.
MOST_NOISE = 1e6

#: Fields that hold parts, with the class of the parts.
PARTS: dict[str, type[Part]] = {
    "lateral": Lateral,
    "couplings": Coupling,
    "populations": Population,
    "inputs": Input,
    "phases": Phase,
}
#: Fields that models of 0.2 did not have; they are stored if they are not empty.
NEW = ("signals", "signal_update", "contacts", "inputs", "phases", "choice", "prepare")


@dataclass(frozen=True, kw_only=True)
class Model:
    """The declaration of a model. Defaults are the paper's. Everything is checked at construction.

    Every variable belongs to a neuron, an option or a game. A string can use variables of its own level and of those
    above it. From above, a variable of neurons is the mean over a population's neurons of that option, or game.

    Parameters
    ----------
    name : str
    populations : tuple of Population
        Populations of neurons; one named ``"u"`` or ``"v"`` replaces the paper's, others are added.
    couplings : tuple of Coupling
    synapse : str
        Variables of an option besides ``w``, with dynamics or without, for use in all strings: ``"w_slow : 1"``.
    signals : str
        Variables of a game: ``"surprise : 1"``.
    plasticity : str
        The pulled arm's new weight as an expression; or statements, run for every option of a game at a round's end.
        They can use the reward ``R``, ``chosen`` (1 for the pulled arm, else 0), and variables of the option, of its
        neurons and of the game.
    signal_update : str
        Statements that change the signals, run before learning; ``NAME_chosen`` is a variable of the chosen option,
        ``agreed`` is 1 where U and V agreed.
    contacts : Contacts, optional
        Synapses between single neurons of U and V, each of which learns.
    inputs : tuple of Input
        External inputs.
    phases : tuple of Phase
        Phases of a round, by default the paper's two.
    choice : Choice
    prepare : tuple
        Calibration before playing: ``RateMap()``, ``Balance(name, to=name)``, ``Critical(name)``.
    parameters : tuple of Parameter
        Parameters in addition to the 22.
    initial : mapping
        Initial values as expressions, by name: of synaptic variables and signals at the start of a game, and of
        variables of single neurons at the start of each round; 0 by default.
    rate_u, rate_v : str
        Short for populations of one neuron: the rate equations of U and V; ``{noise}`` marks where noise is added.
        They may contain further state variables and helper lines.
    drive_u, drive_v : str
        Short for the couplings ``I_u`` and ``I_v``: the input from a neuron's partner, in variables of the partner
        (``phi_v_pre``) and of the synapse.
    response : str
        The response ``phi`` of a population to its activity ``x``. ``gain`` means ``gain_u`` in U and ``gain_v`` in V;
        the same holds for the names it defines, and for every parameter with both suffixes.
    gaussian_sigmoid : str
        The function ``Phi`` of the weight, for the option value (``Phi_v``) and the learning rate (``Phi_eta``).
    lateral : tuple of Lateral
        Short for couplings to the other options.
    carried : tuple of str
        State variables of single neurons that are carried over between rounds.
    noise : float
        Standard deviation of the activity under white noise alone; 0 for none.
    constants : mapping, optional
        Values of names in the strings, numbers or Brian2 quantities: short for parameters that are not searched.

    Raises
    ------
    ValueError
        If the declaration is invalid; the message says where and why.

    Examples
    --------
    >>> from nsa_brian import Model, Parameter
    >>> leaky = Model(
    ...     name="leaky",
    ...     plasticity="w + Phi_eta * (R * w_max - w) - leak * w",
    ...     parameters=(Parameter("leak", 0.01, search=(0.0001, 0.5), scale="log"),),
    ... )
    """

    name: str = ""
    rate_u: str = equations.RATE_U
    rate_v: str = equations.RATE_V
    drive_u: str = equations.DRIVE_U
    drive_v: str = equations.DRIVE_V
    response: str = equations.RESPONSE
    gaussian_sigmoid: str = equations.GAUSSIAN_SIGMOID
    synapse: str = ""
    plasticity: str = equations.PLASTICITY
    parameters: tuple[Parameter, ...] = ()
    initial: Mapping[str, Any] = field(default_factory=dict)
    carried: tuple[str, ...] = ()
    lateral: tuple[Lateral, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    populations: tuple[Population, ...] = ()
    noise: float = 0.0
    signals: str = ""
    signal_update: str = ""
    contacts: Contacts | None = None
    inputs: tuple[Input, ...] = ()
    phases: tuple[Phase, ...] = ()
    choice: Choice = Choice()  # noqa: RUF009 - a frozen value
    prepare: tuple[Any, ...] = ()
    constants: dataclasses.InitVar[Mapping[str, Any] | None] = None

    def __post_init__(self, constants: Mapping[str, Any] | None) -> None:
        kinds: dict[str, Any] = {**PARTS, "parameters": Parameter, "carried": str, "prepare": preparing.STEPS}
        for name, kind in kinds.items():
            values = getattr(self, name)
            values = (values,) if isinstance(values, kind) else values
            if not isinstance(values, list | tuple) or not all(isinstance(value, kind) for value in values):
                named = "RateMap, Balance or Critical" if isinstance(kind, tuple) else kind.__name__
                raise ModelError(f"{name} must be a tuple of {named}, got {values!r}")
            object.__setattr__(self, name, tuple(values))
        for name, kind in {"choice": Choice, "contacts": Contacts}.items():
            if not isinstance(getattr(self, name), kind) and not (name == "contacts" and self.contacts is None):
                raise ModelError(f"{name} must be a {kind.__name__}, got {getattr(self, name)!r}")
        if not isinstance(self.initial, Mapping):
            raise ModelError(f"initial must be a mapping of names to expressions, got {self.initial!r}")
        if not isinstance(constants, Mapping | None):
            raise ModelError(f"constants must be a mapping of names to numbers, got {constants!r}")
        object.__setattr__(self, "initial", MappingProxyType(dict(self.initial)))
        object.__setattr__(self, "parameters", (*self.parameters, *_as_parameters(constants or {})))
        self._check_parameters()
        self._check_noise()
        if not isinstance(self.name, str):
            raise ModelError(f"name must be a text, got {self.name!r}")
        object.__setattr__(self, "name", printable(self.name))
        if not self.name:
            object.__setattr__(self, "name", "unnamed" if self._changed else "paper")
        try:
            _ = self.structure
        except ModelError as error:
            raise ModelError(f"model {self.name}: {error}", error.unused) from None

    def _check_parameters(self) -> None:
        seen: set[str] = set()
        for parameter in self.parameters:
            name = parameter.name
            if name in PARAMETERS or name in ("noise", "own"):
                raise ModelError(f"constant {name!r} is a parameter of the model already")
            if name in seen:
                raise ModelError(f"parameter {name!r} is declared twice")
            seen.add(name)
            unit_of(parameter.unit, f"parameter {name}")

    def _check_noise(self) -> None:
        try:
            check_number("noise", self.noise, 0, MOST_NOISE)
        except ValueError as error:
            raise ModelError(str(error)) from None
        replaced = {population.name for population in self.populations}
        for name in ("u", "v"):
            rate = f"rate_{name}"
            if name in replaced:
                if getattr(self, rate) != getattr(equations, rate.upper()):
                    raise ModelError(f"{rate} and a population {name} are both given: give only one")
                if self.noise:
                    raise ModelError(f"noise needs the short form {rate}; in a population use normal=('NAME',)")
            elif self.noise and "{noise}" not in getattr(self, rate):
                raise ModelError(f"{rate} has no place for noise: write {{noise}} where it is to be added")

    def __hash__(self) -> int:
        return hash((self.name, self.rate_u, self.plasticity, self.populations, self.parameters, self.noise))

    @property
    def _changed(self) -> list[str]:
        """Names of the fields that differ from the paper's."""
        return [f.name for f in dataclasses.fields(self) if f.name != "name" and getattr(self, f.name) != _default(f)]

    def __repr__(self) -> str:
        return f"Model({self.name!r}{': ' if self._changed else ''}{', '.join(self._changed)})"

    def _repr_latex_(self) -> str:
        """Return the equations as LaTeX, for notebooks."""
        return latex(self)

    def _repr_html_(self) -> str:
        """Return the diagram and the equations, for notebooks."""
        from nsa_brian.describe.formats import model_html  # here: it imports this module

        return model_html(self)

    def __getattr__(self, name: str) -> Any:
        """Return a field of the short form that the model was written in, such as ``neuron``; until 0.4."""
        written = self.__dict__.get("written")
        if written is None or name.startswith("_"):
            raise AttributeError(f"a model has no attribute {name!r}")
        return getattr(written, name)

    def __reduce__(self) -> Any:
        return Model.from_dict, (self.to_dict(),)

    # Contents -------------------------------------------------------------------------------------------------------

    @cached_property
    def structure(self) -> Structure:
        """The model's strings, parsed and checked."""
        return declaration.read(self)

    @cached_property
    def declared(self) -> Mapping[str, Parameter]:
        """All parameters by name: the 22, then the model's own."""
        return MappingProxyType({**PARAMETERS, **{parameter.name: parameter for parameter in self.parameters}})

    def complete(self, parameters: NSAParameters) -> NSAParameters:
        """Return parameters with all that the model declares; missing ones get their defaults."""
        if not self.parameters and not parameters.own:
            return parameters
        foreign = [name for name, _ in parameters.own if name not in self.declared]
        if foreign:
            raise ValueError(f"model {self.name!r} has no parameter {foreign[0]!r}")
        return NSAParameters.from_dict(parameters.to_dict(), self.declared)

    def values_in_si(self, parameters: NSAParameters) -> dict[str, float]:
        """Return all values that equations can use, in SI units: parameters, and the noise if there is any."""
        values = self.complete(parameters).to_dict()
        found = {name: value * float(unit_of(self.declared[name].unit)) for name, value in values.items()}
        return {**found, "noise": self.noise} if self.noise else found

    @property
    def searched(self) -> tuple[str, ...]:
        """Names of the parameters that evolution searches, the 22 first: those with a search range.

        If a population replaces U or V, those of the 22 that no string uses are left out, and those of the functions of
        the weight that nothing reads.
        """
        known = [name for name, info in self.declared.items() if info.search is not None]
        replaced = any(population.name in ("u", "v") for population in self.populations)
        unread = self.structure.only_in_unread if not self.prepare else frozenset()
        return tuple(name for name in known if not replaced or name in self.structure.used - unread)

    def refusal(self, engine: str) -> str:
        """Return why an engine cannot run the model; empty if it can."""
        reason = self.structure.no_table if engine == "table" else ""
        return f"the engine table cannot run the model {self.name}: {reason}; use rounds or network" if reason else ""

    @property
    def tolerance(self) -> float:
        """Default tolerance of ties, in the unit of what U and V show."""
        rates = [
            p.spikes and not getattr(self.structure.choice, p.name)
            for p in (self.structure.populations[n] for n in "uv")
        ]
        return TOLERANCE_IN_HZ if all(rates) else TOLERANCE

    @property
    def fastest(self) -> str:
        """The default engine of searches: the table if it has one or two variables, else rounds."""
        return "table" if 1 <= len(self.structure.coordinates) <= 2 else "rounds"

    def response_of(self, population: str) -> Equations:
        """Return the response phi of population ``"u"`` or ``"v"`` to its activity, in that population's names."""
        structure = self.structure
        return Equations([eq for eq in structure.places[population] if structure.origin[eq.varname] == "response"])

    def function_of_weight(self, suffix: str) -> Equations:
        """Return the function Phi of the weight: ``"v"`` for the option value, ``"eta"`` for the learning rate."""
        needed = self.structure.comes_down_to({f"Phi_{suffix}"})
        lines = [eq for eq in self.structure.places[SYNAPSE] if eq.varname in needed and eq.expr is not None]
        return Equations(lines)

    # Conversion -----------------------------------------------------------------------------------------------------

    def change(self, **changes: Any) -> Model:
        """Return a copy with some fields changed; ``parameters`` are added, or replace those of the same name.

        Parameters that no string uses any more are dropped.
        """
        written = self.__dict__.get("written")
        if written is not None:
            return written.change(**changes)
        given = changes.pop("parameters", ())
        fields = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)} | changes
        return with_parameters(lambda parameters: Model(**{**fields, "parameters": parameters}), given, self.parameters)

    def to_dict(self) -> dict[str, Any]:
        """Convert to a dict for JSON, in the form in which the model was written."""
        written = self.__dict__.get("written")
        if written is not None:
            return written.to_dict()
        plain = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        plain |= {"initial": dict(self.initial), "carried": list(self.carried)}
        plain["parameters"] = [parameter.to_dict() for parameter in self.parameters]
        for name in PARTS:
            plain[name] = [_stored(part) for part in plain[name]]
        plain["choice"] = _stored(self.choice)
        plain["contacts"] = None if self.contacts is None else self.contacts.to_dict()
        plain["prepare"] = [{"step": type(step).__name__, **dataclasses.asdict(step)} for step in self.prepare]
        plain = {name: value for name, value in plain.items() if name not in NEW or value}
        return {"format": FORMAT, "version": VERSION, **plain}

    def to_json(self) -> str:
        """Convert to the text of a JSON file."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False)

    def save(self, path: str | Path) -> None:
        """Write the model to a JSON file, which every command takes as ``--model``."""
        Path(path).write_text(self.to_json(), "utf-8")

    @classmethod
    def from_dict(cls, record: Any) -> Model:
        """Create a model from the output of :meth:`to_dict` of any model; raise ValueError for anything else."""
        from nsa_brian.model.spiking import FORMAT as SPIKING
        from nsa_brian.model.spiking import SpikingForm

        kind = record.get("format") if isinstance(record, Mapping) else None
        if kind not in (FORMAT, SPIKING):
            raise ModelError(f"a model is a JSON object whose format is {FORMAT} or {SPIKING}")
        if record.get("version") != VERSION:
            given = record.get("version")
            raise ModelError(f"a model of version {given!r} cannot be read here, only of version {VERSION}")
        plain = {name: value for name, value in record.items() if name not in ("format", "version")}
        return SpikingForm.from_plain(plain).model if kind == SPIKING else cls._from_plain(plain)

    @classmethod
    def from_json(cls, text: str) -> Model:
        """Create a model from the text of a JSON file."""
        try:
            return cls.from_dict(parse_json(text))
        except ModelError:
            raise
        except ValueError as error:
            raise ModelError(str(error)) from None

    @classmethod
    def _from_plain(cls, plain: Mapping[str, Any]) -> Model:
        unknown = set(plain) - {f.name for f in dataclasses.fields(cls)}
        if unknown:
            raise ModelError(f"a model has no entry {sorted(unknown)[0]!r}")
        made: dict[str, Any] = dict(plain)
        try:
            for name, kind in PARTS.items():
                made[name] = tuple(kind(**part) for part in plain.get(name, ()))
            made["parameters"] = tuple(Parameter.from_dict(part) for part in plain.get("parameters", ()))
            made["carried"] = tuple(plain.get("carried", ()))
            made["choice"] = Choice(**plain.get("choice", {}))
            made["contacts"] = Contacts(**plain["contacts"]) if plain.get("contacts") else None
            made["prepare"] = tuple(_step(**step) for step in plain.get("prepare", ()))
        except (TypeError, AttributeError) as error:
            raise ModelError(f"not a model: {printable(str(error))}") from None
        return cls(**made)


def with_parameters(
    make: Callable[[tuple[Parameter, ...]], Model], given: Parameter | Iterable[Parameter], old: Iterable[Parameter]
) -> Model:
    """Create a model with given parameters, and those of the old ones that have other names and are used."""
    given = (given,) if isinstance(given, Parameter) else tuple(given)
    names = {parameter.name for parameter in given}
    kept = [parameter for parameter in old if parameter.name not in names]
    while True:
        try:
            return make((*given, *kept))
        except ModelError as error:
            if error.unused not in [parameter.name for parameter in kept]:
                raise
            kept = [parameter for parameter in kept if parameter.name != error.unused]


def _step(step: str, **values: str) -> Any:
    steps = {kind.__name__: kind for kind in preparing.STEPS}
    if step not in steps:
        raise ModelError(f"prepare: there is no step {step!r}; known: {', '.join(steps)}")
    return steps[step](**values)


def _stored(part: Part) -> dict[str, Any]:
    """Convert a part to a dict without defaults, so that a model of 0.2 is stored as it was."""
    plain = part.to_dict()
    always = {Population: ("name", "equations", "per"), Coupling: ("source", "target", "variable", "drive", "to")}
    if type(part) not in (Population, Coupling, Choice):
        return plain
    defaults = {f.name: f.default for f in dataclasses.fields(part)}  # type: ignore[arg-type]
    kept = always.get(type(part), ())
    return {name: value for name, value in plain.items() if name in kept or value not in (defaults[name], {}, [])}


def check_noise(model: Model, method: str) -> None:
    """Raise ValueError if a model with noise, many neurons, spikes or ``dt`` is not integrated by Euler's method."""
    if method != "euler" and model.structure.draws:
        raise ValueError(f"with noise the method must be euler (Euler-Maruyama), got {method!r}")
    if method != "euler" and not model.structure.single:
        raise ValueError(f"with populations of many, or of spiking, neurons the method must be euler, got {method!r}")
    if method != "euler" and "dt" in model.structure.used:
        raise ValueError(f"the model {model.name} uses dt in a string, so the method must be euler, got {method!r}")


def check_counts(model: Model, parameters: Iterable[NSAParameters]) -> None:
    """Raise ValueError unless each number of neurons is valid, and the same for all games."""
    for name in model.structure.counts:
        counts = list(dict.fromkeys(each.to_dict()[name] for each in parameters))
        given = " and ".join(f"{count:g}" for count in counts[:2])
        if len(counts) > 1 or any(count % 1 for count in counts):
            raise ValueError(f"{name} must be one whole number for all games, got {given}")
        if not all(1 <= count <= MOST_NEURONS for count in counts):
            raise ValueError(f"{name} must be a whole number from 1 to {MOST_NEURONS}, got {given}")


def _as_parameters(constants: Mapping[str, Any]) -> list[Parameter]:
    """Convert constants to parameters that are not searched."""
    found: list[tuple[Any, ...]] = []
    for name, value in constants.items():
        if isinstance(value, Quantity):
            if value.ndim:
                raise ModelError(f"constants: {name} must be one number, got {value!r}")
            unit = "" if value.is_dimensionless else repr(get_unit(value.dim))
            found.append((name, float(value), unit, (-float("inf"), float("inf"))))
        else:
            found.append((name, value))
    try:
        return [Parameter(*each) for each in found]
    except ValueError as error:
        raise ModelError(f"constants: {error}") from None


def _default(f: dataclasses.Field[Any]) -> Any:
    if f.name == "name":
        return ""
    return MappingProxyType({}) if f.default is dataclasses.MISSING else f.default


#: The paper's model.
PAPER = Model(name="paper")
