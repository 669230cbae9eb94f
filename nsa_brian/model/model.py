"""A model: the paper's equations, or yours in their place, as a value that every engine, command and search takes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from brian2 import Equations, Quantity
from brian2.units.fundamentalunits import get_unit

from nsa_brian.common.checks import check_number
from nsa_brian.errors import ModelError, printable
from nsa_brian.model import declaration, equations
from nsa_brian.model.base import VERSION, AnyModel, model_from_dict, model_from_json
from nsa_brian.model.couplings import Coupling, Lateral, Population
from nsa_brian.model.structure import SYNAPSE, Structure
from nsa_brian.parameters import Parameter

#: What a rate model's JSON says of itself.
FORMAT = "nsa-model"

#: Noise at most: activities lie near 1, and far beyond this they are nothing but noise.
MOST_NOISE = 1e6


@dataclass(frozen=True, kw_only=True)
class Model(AnyModel):
    """A rate model, declared. What is not given is the paper's. Everything is checked when it is made.

    Parameters
    ----------
    name : str
    rate_u, rate_v : str
        The rate equations of U and V; ``{noise}`` marks where noise is added. Further state variables and helper
        lines stand beside them.
    drive_u, drive_v : str
        What a neuron's partner sends it, of variables of the partner (``phi_v_pre``) and, for V, of the synapse.
    response : str
        The response ``phi`` of a population to its activity ``x``. Names it defines, and parameters such as ``gain``,
        are meant for each population by itself: ``gain_u`` and ``gain_v``.
    gaussian_sigmoid : str
        The function ``Phi`` of the weight, for the option value (``Phi_v``) and the learning rate (``Phi_eta``).
    synapse : str
        More variables of the plastic synapse, with dynamics or without: ``"w_slow : 1"``.
    plasticity : str
        The pulled arm's new weight as an expression; or statements, run for every synapse of a game at a round's end,
        that may use the reward ``R``, ``chosen`` (1 for the pulled arm, else 0), the synapse's variables and the state
        of its two neurons.
    parameters : tuple of Parameter
        The model's own, beyond the 22.
    initial : mapping
        The expression that a state variable starts from, by its name; 0 where there is none. Neurons start each round
        anew, the synapse each game.
    carried : tuple of str
        State variables of neurons that go on from round to round instead.
    lateral : tuple of Lateral
    couplings : tuple of Coupling
    populations : tuple of Population
    noise : float
        Standard deviation of the activity that white noise alone would cause; 0 for none.
    constants : mapping, optional
        Numbers, or Brian2 quantities, for names in the strings: parameters that are not searched, written shortly.

    Raises
    ------
    ValueError
        If something makes no sense; the message says where and why.

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
    constants: dataclasses.InitVar[Mapping[str, Any] | None] = None

    def __post_init__(self, constants: Mapping[str, Any] | None) -> None:
        kinds = {"parameters": Parameter, "lateral": Lateral, "couplings": Coupling, "populations": Population}
        for name, kind in {**kinds, "carried": str}.items():
            values = getattr(self, name)
            values = (values,) if isinstance(values, kind) else values
            if not isinstance(values, list | tuple) or not all(isinstance(value, kind) for value in values):
                raise ModelError(f"{name} must be a tuple of {kind.__name__}, got {values!r}")
            object.__setattr__(self, name, tuple(values))
        if not isinstance(self.initial, Mapping):
            raise ModelError(f"initial must be a mapping of names to expressions, got {self.initial!r}")
        object.__setattr__(self, "initial", MappingProxyType(dict(self.initial)))
        object.__setattr__(self, "parameters", (*self.parameters, *_as_parameters(constants or {})))
        self._check_parameters()
        try:
            check_number("noise", self.noise, 0, MOST_NOISE)
        except ValueError as error:
            raise ModelError(str(error)) from None
        for rate in ("rate_u", "rate_v"):
            if self.noise and "{noise}" not in getattr(self, rate):
                raise ModelError(f"{rate} has no place for noise: write {{noise}} where it is to be added")
        if not isinstance(self.name, str):
            raise ModelError(f"name must be a text, got {self.name!r}")
        object.__setattr__(self, "name", printable(self.name))
        if not self.name:
            plain = all(getattr(self, f.name) == _default(f) for f in dataclasses.fields(self))
            object.__setattr__(self, "name", "paper" if plain else "unnamed")
        try:
            _ = self.structure
        except ModelError as error:
            raise ModelError(f"model {self.name}: {error}") from None

    def __hash__(self) -> int:
        return hash((self.name, self.rate_u, self.plasticity, self.parameters, self.noise))

    def __repr__(self) -> str:
        changed = [
            f.name for f in dataclasses.fields(self) if f.name != "name" and getattr(self, f.name) != _default(f)
        ]
        return f"Model({self.name!r}{': ' + ', '.join(changed) if changed else ''})"

    def __reduce__(self) -> Any:
        return Model.from_dict, (self.to_dict(),)

    # What it says ---------------------------------------------------------------------------------------------------

    @cached_property
    def structure(self) -> Structure:
        """The strings, read and checked."""
        return declaration.read(self)

    def refusal(self, engine: str) -> str:
        """Why an engine cannot run the model; empty if it can."""
        if engine != "table" or self.structure.coordinate:
            return ""
        reason, more = self.structure.dense, sorted(self.structure.rule_reads - {"u", "v"})
        if not reason and more:
            reason = f"the learning rule reads {' and '.join(more)}, and a table holds u and v"
        elif not reason and self.structure.uses_n_arms:
            reason = "its equations use n_arms, and one table serves any number of arms"
        elif not reason:
            read = sorted(self.structure.read_by_pair)
            reason = f"a round's end depends on {' and '.join(read)} of the synapse, and a table has one column"
        return f"the engine table cannot run the model {self.name}: {reason}; use rounds or network"

    @property
    def fastest(self) -> str:
        """The fastest engine that runs the model."""
        return "rounds" if self.refusal("table") else "table"

    def response_of(self, population: str) -> Equations:
        """The response phi of population ``"u"`` or ``"v"`` to its own activity, under that population's names."""
        structure = self.structure
        return Equations([eq for eq in structure.places[population] if structure.origin[eq.varname] == "response"])

    def function_of_weight(self, suffix: str) -> Equations:
        """The function Phi of the weight: ``"v"`` for the option value, ``"eta"`` for the learning rate."""
        needed = self.structure.comes_down_to({f"Phi_{suffix}"})
        lines = [eq for eq in self.structure.places[SYNAPSE] if eq.varname in needed and eq.expr is not None]
        return Equations(lines)

    # As data --------------------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """All of it in full, as JSON takes it."""
        plain = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        plain["initial"] = dict(self.initial)
        plain["carried"] = list(self.carried)
        plain["parameters"] = [parameter.to_dict() for parameter in self.parameters]
        for name in ("lateral", "couplings", "populations"):
            plain[name] = [dataclasses.asdict(part) for part in plain[name]]
        return {"format": FORMAT, "version": VERSION, **plain}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> AnyModel:
        """What :meth:`to_dict` of any model made; a ValueError says what is wrong with anything else."""
        return model_from_dict(record)

    @classmethod
    def from_json(cls, text: str) -> AnyModel:
        """A model from the text of a file."""
        return model_from_json(text)

    @classmethod
    def from_plain(cls, record: Mapping[str, Any]) -> Model:
        """A rate model from its form as data."""
        plain = {name: value for name, value in record.items() if name not in ("format", "version")}
        unknown = set(plain) - {f.name for f in dataclasses.fields(cls)}
        if unknown:
            raise ModelError(f"a model has no entry {sorted(unknown)[0]!r}")
        made: dict[str, Any] = dict(plain)
        kinds: dict[str, Any] = {"lateral": Lateral, "couplings": Coupling, "populations": Population}
        try:
            for name, kind in kinds.items():
                made[name] = tuple(kind(**part) for part in plain.get(name, ()))
            made["parameters"] = tuple(Parameter.from_dict(part) for part in plain.get("parameters", ()))
            made["carried"] = tuple(plain.get("carried", ()))
        except TypeError as error:
            raise ModelError(f"not a model: {printable(str(error))}") from None
        return cls(**made)


def check_noise(model: Model, method: str) -> None:
    """Refuse to integrate noise by a method that was made for smooth functions."""
    if model.noise and method != "euler":
        raise ValueError(f"with noise the method must be euler (which is then Euler and Maruyama's), got {method!r}")


def _as_parameters(constants: Mapping[str, Any]) -> list[Parameter]:
    """Constants as parameters that are not searched."""
    found = []
    for name, value in constants.items():
        if isinstance(value, Quantity):
            unit = "" if value.is_dimensionless else repr(get_unit(value.dim))
            found.append(Parameter(name, float(value), unit, legal=(-float("inf"), float("inf"))))
        else:
            found.append(Parameter(name, value))
    return found


def _default(f: dataclasses.Field[Any]) -> Any:
    if f.name == "name":
        return ""
    return MappingProxyType({}) if f.default is dataclasses.MISSING else f.default


#: The paper's.
PAPER = Model(name="paper")
