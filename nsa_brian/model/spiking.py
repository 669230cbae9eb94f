"""The short form of models whose U and V are spiking neurons of one kind: what it comes to as populations."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from nsa_brian.errors import ModelError, printable
from nsa_brian.model import equations, neurons
from nsa_brian.model.model import VERSION, Model, with_parameters
from nsa_brian.model.names import check_population
from nsa_brian.model.parts import Choice, Contacts, Input, Part, Phase, Population
from nsa_brian.model.preparing import Balance, Critical, RateMap
from nsa_brian.model.reading import lines_of, names_in, read_value
from nsa_brian.parameters import Parameter

#: What the JSON of a model that was written in this form says of itself.
FORMAT = "nsa-spiking-model"

#: Every such model has these, with their defaults where it declares none of its own.
STANDARD = (
    Parameter("neurons", 20, legal=(1, 100_000), meaning="neurons of an option in U, and as many in V"),
    Parameter("input_time", 400, "ms", search=(100, 1000), scale="log", meaning="duration of phase 1, input on"),
    Parameter("free_time", 800, "ms", search=(300, 2000), scale="log", meaning="duration of phase 2, input off"),
    Parameter("reading_time", 250, "ms", meaning="last part of phase 2, in which spikes are counted"),
)


@dataclass(frozen=True)
class Pool(Part):
    """Spiking neurons that a game's options share, such as inhibitory ones: a :class:`Population` of the game's.

    Parameters
    ----------
    name : str
        As in the names of its means: ``y_NAME`` is the mean of ``y`` over its neurons.
    neuron : str
        Equations of each. ``s_u`` and ``s_v`` are here the means over all neurons of U and of V.
    threshold, reset, refractory, initial, poisson
        See :class:`Population`.
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

    what = "pool"
    __hash__ = Part.__hash__

    def __post_init__(self) -> None:
        super().__post_init__()
        check_population(self.name)
        if self.name in ("u", "v"):
            raise ModelError(f"a pool's name must be another than u and v, got {self.name!r}")


@dataclass(frozen=True, kw_only=True)
class SpikingForm:
    """A model in this form; see :func:`SpikingModel`."""

    name: str = "unnamed"
    neuron: str = neurons.NEURON
    u: str = neurons.ARRIVES_U
    v: str = neurons.ARRIVES_V
    threshold: str = neurons.THRESHOLD
    reset: str = neurons.RESET
    refractory: str = "tau_ref"
    initial: Mapping[str, str] = field(default_factory=lambda: {"vm": "E_L"})
    poisson: Mapping[str, str] = field(default_factory=dict)
    pools: tuple[Pool, ...] = ()
    gain: str = neurons.GAIN
    gaussian_sigmoid: str = equations.GAUSSIAN_SIGMOID
    plasticity: str = equations.PLASTICITY
    flips: str = ""
    weight: str = neurons.WEIGHT
    parameters: tuple[Parameter, ...] = ()
    critical: str = "J_v"
    homeostasis: str = ""
    inputs: tuple[Input, ...] = ()

    def __post_init__(self) -> None:
        for f in dataclasses.fields(self):
            value = getattr(self, f.name)
            if f.type == "str" and not isinstance(value, str):
                raise ModelError(f"{f.name} must be a text, got {value!r}")
        for name, kind in {"parameters": Parameter, "pools": Pool, "inputs": Input}.items():
            many = getattr(self, name)
            many = (many,) if isinstance(many, kind) else many
            if not isinstance(many, list | tuple) or not all(isinstance(one, kind) for one in many):
                raise ModelError(f"{name} must be a tuple of {kind.__name__}, got {many!r}")
            object.__setattr__(self, name, tuple(many))
        for name in ("initial", "poisson"):
            if not isinstance(getattr(self, name), Mapping):
                raise ModelError(f"{name} must be a mapping of names to expressions, got {getattr(self, name)!r}")
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        object.__setattr__(self, "name", printable(self.name))
        own = {parameter.name for parameter in self.parameters}
        object.__setattr__(self, "parameters", (*self.parameters, *(p for p in STANDARD if p.name not in own)))

    @cached_property
    def model(self) -> Model:
        """What it comes to."""
        found = Model(**self._expanded())
        found.__dict__["written"] = self
        return found

    def _expanded(self) -> dict[str, Any]:
        """The fields of the model."""
        alike = (self.threshold, self.reset, self.refractory, self.initial)
        options = [
            Population(
                name, f"{self.neuron}\n{arrives}", "option", "neurons", *alike, (), _normal(self.neuron, arrives),
                self.poisson,
            )
            for name, arrives in (("u", self.u), ("v", self.v))
        ]  # fmt: skip
        pools = [
            Population(
                pool.name, pool.neuron, "game", pool.neurons, pool.threshold, pool.reset, pool.refractory,
                pool.initial, (), _normal(pool.neuron), pool.poisson,
            )
            for pool in self.pools
        ]  # fmt: skip
        gain = read_value("gain", self.gain)
        lines = [f"{name} = {text} : {unit}" for name, text, unit in gain.helpers]
        phases = [Phase("input", "input_time", {"I": "1"}), Phase("free", "free_time")]
        if self.flips:
            phases.append(Phase("outcome", "outcome_time", after_choice=True))
        prepare: list[Any] = [RateMap()] if {"Phi_star", "Phi_top"} & names_in(self.gain) else []
        prepare += [Balance(self.homeostasis, to="spontaneous")] if self.homeostasis else []
        prepare += [Critical(self.critical)] if self.critical else []
        return {
            "name": self.name,
            "populations": (*options, *pools),
            "synapse": "\n".join([*lines, f"gain = {gain.expression} : 1"]),
            "gaussian_sigmoid": self.gaussian_sigmoid,
            "plasticity": f"w = {self.weight}" if self.flips else self.plasticity,
            "contacts": Contacts("b : 1", self.flips) if self.flips else None,
            "phases": tuple(phases),
            "choice": Choice(window="reading_time"),
            "prepare": tuple(prepare),
            "parameters": self.parameters,
            "inputs": self.inputs,
        }

    def change(self, **changes: Any) -> Model:
        """See :meth:`Model.change`; in the words of this form."""
        unknown = set(changes) - {f.name for f in dataclasses.fields(self)}
        if unknown:
            raise ModelError(f"a spiking model has no entry {sorted(unknown)[0]!r}")
        given = changes.pop("parameters", ())
        return with_parameters(
            lambda parameters: dataclasses.replace(self, **changes, parameters=parameters).model, given, self.parameters
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it in full, as JSON takes it."""
        plain = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        plain |= {name: dict(plain[name]) for name in ("initial", "poisson")}
        plain["parameters"] = [parameter.to_dict() for parameter in self.parameters]
        plain["pools"] = [pool.to_dict() for pool in self.pools]
        plain["inputs"] = [given.to_dict() for given in self.inputs]
        if not self.inputs:  # which models of 0.2 did not have
            del plain["inputs"]
        return {"format": FORMAT, "version": VERSION, **plain}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> SpikingForm:
        """The form from its data."""
        unknown = set(plain) - {f.name for f in dataclasses.fields(cls)}
        if unknown:
            raise ModelError(f"a spiking model has no entry {sorted(unknown)[0]!r}")
        try:
            pools = tuple(Pool(**part) for part in plain.get("pools", ()))
            inputs = tuple(Input(**part) for part in plain.get("inputs", ()))
            parameters = tuple(Parameter.from_dict(part) for part in plain.get("parameters", ()))
        except TypeError as error:
            raise ModelError(f"not a model: {printable(str(error))}") from None
        return cls(**{**plain, "pools": pools, "parameters": parameters, "inputs": inputs})


def SpikingModel(**fields: Any) -> Model:  # noqa: N802 - it was a class until 0.2
    """A model whose U and V are spiking neurons of one kind. What is not given is that of the model ``spiking``.

    Each option has ``neurons`` neurons in U and as many in V. In their equations a name such as ``s_v`` means the mean
    of ``s`` over the neurons of V of the same option (``s_u``: of U), ``y_POOL`` that over a pool; ``spiked_v`` is the
    share of neurons that fired in the time step before. Further names: ``I`` is 1 while the input is on, else 0;
    ``gain`` how strong the option's synapse from U to V is, 1 being the critical strength; ``noise`` a normal number
    for each neuron and time step; ``choice`` is 1 for the chosen option and -1 for the others while the outcome is
    awaited, where synapses learn by spikes.

    Parameters
    ----------
    name : str
    neuron : str
        Brian2 equations of a neuron of U or V.
    u, v : str
        Lines that U's and V's neurons have besides: what arrives there.
    threshold, reset, refractory, initial, poisson
        See :class:`Population`.
    pools : tuple of Pool
    gain : str
        How strong a synapse of value ``Phi_v`` is; ``Phi_star`` is the rate model's critical value, ``Phi_top`` the
        highest value that a weight up to ``w_max`` has. See :mod:`nsa_brian.preparation`.
    gaussian_sigmoid, plasticity : str
        As in :class:`Model`: the functions of the weight, and the pulled arm's new weight.
    flips : str
        Learning by spikes, in place of ``plasticity``: the rule of :class:`Contacts`, whose variable is ``b``.
    weight : str
        The option's weight as an expression of ``b``, the mean over its contacts, where it learns by spikes.
    parameters : tuple of Parameter
        The model's own, beyond the 22.
    critical : str
        The parameter that is found anew for every set of the others, such that activity outlasts the input from
        ``gain`` = 1 on; its default is where the search begins. Empty: it stays as given.
    homeostasis : str
        The parameter that is found such that an untrained network fires at the rate ``spontaneous`` in U; empty: none.
    inputs : tuple of Input
        Numbers from outside, as in :class:`Model`.

    Returns
    -------
    Model
        Whose ``change`` takes the same words.
    """
    unknown = set(fields) - {f.name for f in dataclasses.fields(SpikingForm)}
    if unknown:
        raise ModelError(f"a spiking model has no entry {sorted(unknown)[0]!r}")
    return SpikingForm(**fields).model


def _normal(*texts: str) -> tuple[str, ...]:
    """The name of the neurons' normal numbers, if their equations use it."""
    return ("noise",) if "noise" in names_in(" ".join(line for text in texts for line in lines_of(text))) else ()
