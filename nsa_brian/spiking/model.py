"""A model of spiking neurons, declared: the rate model's two populations made of neurons that fire."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from brian2 import Equations

from nsa_brian.errors import ModelError, printable
from nsa_brian.model import equations
from nsa_brian.model.base import VERSION, AnyModel
from nsa_brian.model.declaration import renamed
from nsa_brian.parameters import Parameter
from nsa_brian.spiking import strings
from nsa_brian.spiking.declaration import read
from nsa_brian.spiking.structure import ENDINGS, OBJECTS, SpikingStructure

#: What a spiking model's JSON says of itself.
FORMAT = "nsa-spiking-model"

#: Names as Brian2's objects can have them.
_NAME = re.compile(r"[A-Za-z]\w*", re.ASCII)

#: Every spiking model has these, with their defaults where it declares none of its own.
STANDARD = (
    Parameter("neurons", 20, legal=(1, 100_000), meaning="neurons of an option in U, and as many in V"),
    Parameter("input_time", 400, "ms", search=(100, 1000), scale="log", meaning="duration of phase 1, input on"),
    Parameter("free_time", 800, "ms", search=(300, 2000), scale="log", meaning="duration of phase 2, input off"),
    Parameter("reading_time", 250, "ms", meaning="last part of phase 2, in which spikes are counted"),
)


@dataclass(frozen=True)
class Pool:
    """Neurons that a game's options share, such as inhibitory ones.

    Parameters
    ----------
    name : str
        As in the names of its means: ``y_NAME`` is the mean of ``y`` over its neurons.
    neuron : str
        Equations of each. ``s_u`` and ``s_v`` are here the means over all neurons of U and of V.
    threshold, reset, refractory, initial, poisson
        See :class:`SpikingModel`.
    neurons : str
        The parameter that tells how many there are in a game.
    """

    name: str
    neuron: str
    threshold: str
    reset: str
    refractory: str = ""
    initial: Mapping[str, str] = field(default_factory=dict)
    poisson: Mapping[str, str] = field(default_factory=dict)
    neurons: str = "neurons"

    def __post_init__(self) -> None:
        for name in ("initial", "poisson"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name) or self.name in ("u", "v"):
            raise ModelError(f"a pool's name must be a Python name other than u and v, got {self.name!r}")
        if self.name in OBJECTS or self.name.endswith(ENDINGS):
            raise ModelError(
                f"a pool's name must be none of {', '.join(OBJECTS)} and must not end in {', '.join(ENDINGS)}: the "
                f"network has objects of such names; got {self.name!r}"
            )

    def __reduce__(self) -> Any:
        return Pool, tuple(self.to_dict().values())

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON takes it."""
        plain = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return {**plain, "initial": dict(self.initial), "poisson": dict(self.poisson)}


@dataclass(frozen=True, kw_only=True)
class SpikingModel(AnyModel):
    """A model of spiking neurons. What is not given is that of the model ``spiking``. Checked when it is made.

    Each option has ``neurons`` neurons in U and as many in V. In their equations a name such as ``s_v`` means the mean
    of ``s`` over the neurons of V of the same option (``s_u``: of U), ``y_POOL`` that over a pool; ``spiked_v`` is the
    share of neurons that fired in the time step before. Further names: ``I`` is 1 while the input is on, else 0;
    ``gain`` how strong the option's synapse from U to V is, 1 being the critical strength; ``noise`` a normal number
    for each neuron and time step; ``choice`` is 1 for the chosen option and -1 for the others while the outcome is
    awaited, else 0.

    Parameters
    ----------
    name : str
    neuron : str
        Brian2 equations of a neuron of U or V.
    u, v : str
        Lines that U's and V's neurons have besides: what arrives there.
    threshold, reset, refractory : str
        As in Brian2: when a neuron fires, what happens then, and for how long it cannot fire again.
    initial : mapping
        The expression that a variable starts a round from; 0 where there is none.
    poisson : mapping
        Names of numbers of events in a time step, for each neuron, with their rates: expressions of parameters and
        of ``I``.
    pools : tuple of Pool
    gain : str
        How strong a synapse of value ``Phi_v`` is; ``Phi_star`` is the rate model's critical value, ``Phi_top`` the
        highest value that a weight up to ``w_max`` has. See :mod:`nsa_brian.spiking.calibration`.
    gaussian_sigmoid, plasticity : str
        As in :class:`nsa_brian.Model`: the functions of the weight, and the pulled arm's new weight.
    flips : str
        Learning by spikes, in place of ``plasticity``: statements for each synapse between two neurons of an option,
        run when the outcome is known. They may use and change ``b``, the synapse's state; ``since_pre`` and
        ``since_post``, the times since its neurons fired; ``R``; ``Phi_eta``; ``chance``, a uniform number.
    weight : str
        The option's weight as an expression of ``b``, the mean over its synapses, where it learns by spikes.
    parameters : tuple of Parameter
        The model's own, beyond the 22.
    critical : str
        The parameter that is found anew for every set of the others, such that activity outlasts the input from
        ``gain`` = 1 on; its default is where the search begins. Empty: it stays as given.
    homeostasis : str
        The parameter that is found such that an untrained network fires at the rate ``spontaneous`` in U; empty: none.
    """

    name: str = "unnamed"
    neuron: str = strings.NEURON
    u: str = strings.ARRIVES_U
    v: str = strings.ARRIVES_V
    threshold: str = strings.THRESHOLD
    reset: str = strings.RESET
    refractory: str = "tau_ref"
    initial: Mapping[str, str] = field(default_factory=lambda: {"vm": "E_L"})
    poisson: Mapping[str, str] = field(default_factory=dict)
    pools: tuple[Pool, ...] = ()
    gain: str = strings.GAIN
    gaussian_sigmoid: str = equations.GAUSSIAN_SIGMOID
    plasticity: str = equations.PLASTICITY
    flips: str = ""
    weight: str = strings.WEIGHT
    parameters: tuple[Parameter, ...] = ()
    critical: str = "J_v"
    homeostasis: str = ""

    kind = "spiking"
    noise = 0.0
    carried = ()

    def __post_init__(self) -> None:
        for name, value in _of_right_kind({f.name: getattr(self, f.name) for f in dataclasses.fields(self)}).items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "name", printable(self.name))
        own = {parameter.name for parameter in self.parameters}
        object.__setattr__(self, "parameters", (*self.parameters, *(p for p in STANDARD if p.name not in own)))
        self._check_parameters()
        try:
            _ = self.structure
        except ModelError as error:
            raise ModelError(f"model {self.name}: {error}") from None

    def __hash__(self) -> int:
        return hash((self.name, self.neuron, self.u, self.v, self.parameters))

    def __repr__(self) -> str:
        pools = f", pools {', '.join(pool.name for pool in self.pools)}" if self.pools else ""
        return f"SpikingModel({self.name!r}{pools}, learns by {'spikes' if self.flips else 'its rule'})"

    def __reduce__(self) -> Any:
        return SpikingModel.from_plain, (self.to_dict(),)

    def change(self, **changes: Any) -> SpikingModel:
        """A copy with some of it changed; ``parameters`` are added, or take the place of those of the same name.

        Parameters that no string uses any longer are dropped.
        """
        given = changes.pop("parameters", ())
        given = (given,) if isinstance(given, Parameter) else tuple(given)
        names = {parameter.name for parameter in given}
        kept = tuple(parameter for parameter in self.parameters if parameter.name not in names)
        draft = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)} | changes
        draft = _of_right_kind({**draft, "parameters": (*given, *kept)})
        used = read(_Draft(**draft)).used
        kept = tuple(parameter for parameter in kept if parameter.name in used)
        return SpikingModel(**{**draft, "parameters": (*given, *kept)})

    @cached_property
    def structure(self) -> SpikingStructure:
        """The strings, read and checked."""
        found = read(self)
        unused = [parameter.name for parameter in self.parameters if parameter.name not in found.used]
        if unused:
            raise ModelError(f"parameter {unused[0]!r} is used in no equation")
        return found

    def function_of_weight(self, suffix: str) -> Equations:
        """The function Phi of the weight: ``"v"`` for the option value, ``"eta"`` for the learning rate."""
        return Equations(renamed(self.declared, "gaussian_sigmoid", self.gaussian_sigmoid, suffix, {}))

    def refusal(self, engine: str) -> str:
        """Why an engine cannot run the model; empty if it can."""
        if engine in ("rounds", "network"):
            return ""
        return f"the engine {engine} cannot run the model {self.name}, whose neurons spike; use rounds or network"

    @property
    def fastest(self) -> str:
        """The fastest engine that runs the model."""
        return "rounds"

    @property
    def searched(self) -> tuple[str, ...]:
        """Of the 22 only those that spiking neurons use; what else a rate model is made of sets the critical value."""
        return tuple(name for name in super().searched if name in self.structure.used)

    def to_dict(self) -> dict[str, Any]:
        """All of it in full, as JSON takes it."""
        plain = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        plain |= {name: dict(plain[name]) for name in ("initial", "poisson")}
        plain["parameters"] = [parameter.to_dict() for parameter in self.parameters]
        plain["pools"] = [pool.to_dict() for pool in self.pools]
        return {"format": FORMAT, "version": VERSION, **plain}

    @classmethod
    def from_plain(cls, record: Mapping[str, Any]) -> SpikingModel:
        """A spiking model from its form as data."""
        plain = {name: value for name, value in record.items() if name not in ("format", "version")}
        unknown = set(plain) - {f.name for f in dataclasses.fields(cls)}
        if unknown:
            raise ModelError(f"a spiking model has no entry {sorted(unknown)[0]!r}")
        try:
            pools = tuple(Pool(**part) for part in plain.get("pools", ()))
            parameters = tuple(Parameter.from_dict(part) for part in plain.get("parameters", ()))
        except TypeError as error:
            raise ModelError(f"not a model: {printable(str(error))}") from None
        return cls(**{**plain, "pools": pools, "parameters": parameters})


def _of_right_kind(values: Mapping[str, Any]) -> dict[str, Any]:
    """What a declaration is made of, as it is kept; a :class:`ModelError` if it is no such thing."""
    unknown = set(values) - {f.name for f in dataclasses.fields(SpikingModel)}
    if unknown:
        raise ModelError(f"a spiking model has no entry {sorted(unknown)[0]!r}")
    kept = dict(values)
    for name, kind in {"parameters": Parameter, "pools": Pool}.items():
        many = (kept[name],) if isinstance(kept[name], kind) else kept[name]
        if not isinstance(many, list | tuple) or not all(isinstance(one, kind) for one in many):
            raise ModelError(f"{name} must be a tuple of {kind.__name__}, got {many!r}")
        kept[name] = tuple(many)
    for name in ("initial", "poisson"):
        if not isinstance(kept[name], Mapping):
            raise ModelError(f"{name} must be a mapping of names to expressions, got {kept[name]!r}")
        kept[name] = MappingProxyType(dict(kept[name]))
    for f in dataclasses.fields(SpikingModel):
        if f.type == "str" and not isinstance(kept[f.name], str):
            raise ModelError(f"{f.name} must be a text, got {kept[f.name]!r}")
    return kept


class _Draft(AnyModel):
    """What a model will be, before it is known which of its parameters are used."""

    structure = None
    fastest = ""

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    def function_of_weight(self, suffix: str) -> Equations:
        """Nothing draws it."""
        raise NotImplementedError

    def refusal(self, engine: str) -> str:
        """Nothing runs it."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Nothing keeps it."""
        raise NotImplementedError
