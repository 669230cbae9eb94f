"""Short form of models whose U and V are spiking neurons of one kind, and its expansion to populations."""

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

#: Format in the JSON of a model in this form.
FORMAT = "nsa-spiking-model"

#: Parameters of every such model, unless it declares its own of that name.
STANDARD = (
    Parameter("neurons", 20, legal=(1, 100_000), meaning="neurons of an option in U, and as many in V"),
    Parameter("input_time", 400, "ms", search=(100, 1000), scale="log", meaning="duration of phase 1, input on"),
    Parameter("free_time", 800, "ms", search=(300, 2000), scale="log", meaning="duration of phase 2, input off"),
    Parameter("reading_time", 250, "ms", meaning="last part of phase 2, in which spikes are counted"),
)


@dataclass(frozen=True)
class Pool(Part):
    """Spiking neurons that a game's options share, such as inhibitory ones: a :class:`Population` per game.

    Parameters
    ----------
    name : str
        Suffix of its means: ``y_NAME`` is the mean of ``y`` over its neurons.
    neuron : str
        Equations of a neuron. ``s_u`` and ``s_v`` are here the means over all neurons of U and of V.
    threshold, reset, refractory, initial, poisson
        See :class:`Population`.
    neurons : str
        The parameter that holds their number per game.
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
            raise ModelError(f"a pool's name must not be u or v, got {self.name!r}")


@dataclass(frozen=True, kw_only=True)
class SpikingForm:
    """A model in short form; see :func:`SpikingModel`."""

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
        """The expanded model."""
        found = Model(**self._expanded())
        found.__dict__["written"] = self
        return found

    def _expanded(self) -> dict[str, Any]:
        """Return the fields of the expanded model."""
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
        """Return a model with some fields of this form changed; see :meth:`Model.change`."""
        unknown = set(changes) - {f.name for f in dataclasses.fields(self)}
        if unknown:
            raise ModelError(f"a spiking model has no entry {sorted(unknown)[0]!r}")
        given = changes.pop("parameters", ())
        return with_parameters(
            lambda parameters: dataclasses.replace(self, **changes, parameters=parameters).model, given, self.parameters
        )

    def to_dict(self) -> dict[str, Any]:
        """Convert to a dict for JSON."""
        plain = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        plain |= {name: dict(plain[name]) for name in ("initial", "poisson")}
        plain["parameters"] = [parameter.to_dict() for parameter in self.parameters]
        plain["pools"] = [pool.to_dict() for pool in self.pools]
        plain["inputs"] = [given.to_dict() for given in self.inputs]
        if not self.inputs:  # as in models of 0.2
            del plain["inputs"]
        return {"format": FORMAT, "version": VERSION, **plain}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> SpikingForm:
        """Create the form from its fields as JSON has them."""
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
    """Create a model whose U and V are spiking neurons of one kind. Defaults are those of the model ``spiking``.

    Each option has ``neurons`` neurons in U and as many in V. In their equations ``s_v`` is the mean of ``s`` over the
    neurons of V of the same option (``s_u``: of U), ``y_POOL`` that over a pool; ``spiked_v`` is the share of neurons
    that fired in the previous time step. ``I`` is 1 while the input is on, else 0; ``gain`` is the strength of the
    option's synapse from U to V, 1 being critical; ``noise`` is a normal random number for each neuron and time step.
    In models that learn by spikes, ``choice`` is 1 for the chosen option and -1 for the others after the choice.

    Parameters
    ----------
    name : str
    neuron : str
        Brian2 equations of a neuron of U or V.
    u, v : str
        Additional lines for neurons of U and of V: their input.
    threshold, reset, refractory, initial, poisson
        See :class:`Population`.
    pools : tuple of Pool
    gain : str
        Strength of a synapse of value ``Phi_v``; ``Phi_star`` is the rate model's critical value, ``Phi_top`` the
        highest value of a weight up to ``w_max``. See :mod:`nsa_brian.preparation`.
    gaussian_sigmoid, plasticity : str
        As in :class:`Model`: the functions of the weight, and the pulled arm's new weight.
    flips : str
        Learning by spikes instead of ``plasticity``: the rule of :class:`Contacts`, whose variable is ``b``.
    weight : str
        The option's weight as an expression of ``b``, the mean over its contacts, if it learns by spikes.
    parameters : tuple of Parameter
        Parameters in addition to the 22.
    critical : str
        The parameter that is calibrated for every set of the others, such that activity outlasts the input from
        ``gain`` = 1 on; the search starts at its default. Empty: none.
    homeostasis : str
        The parameter calibrated such that U of an untrained network fires at the rate ``spontaneous``. Empty: none.
    inputs : tuple of Input
        External inputs, as in :class:`Model`.

    Returns
    -------
    Model
        Its ``change`` takes the same arguments.
    """
    unknown = set(fields) - {f.name for f in dataclasses.fields(SpikingForm)}
    if unknown:
        raise ModelError(f"a spiking model has no entry {sorted(unknown)[0]!r}")
    return SpikingForm(**fields).model


def _normal(*texts: str) -> tuple[str, ...]:
    """Return the name of the neurons' normal random numbers, if their equations use it."""
    return ("noise",) if "noise" in names_in(" ".join(line for text in texts for line in lines_of(text))) else ()
