"""What all models have in common, of rates or of spikes: a name, parameters of their own, a form as data."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

from brian2 import Equations

from nsa_brian.errors import ModelError
from nsa_brian.files import parse_json
from nsa_brian.model.reading import unit_of
from nsa_brian.parameters import PARAMETERS, NSAParameters, Parameter

#: Where the class of each kind of model is, by what its JSON says of itself.
FORMATS = {
    "nsa-model": ("nsa_brian.model.model", "Model"),
    "nsa-spiking-model": ("nsa_brian.spiking.model", "SpikingModel"),
}
#: The version of that form.
VERSION = 1


class AnyModel(ABC):
    """A model as a value: what engines, commands and searches ask of it."""

    name: str
    parameters: tuple[Parameter, ...]
    noise: float
    carried: tuple[str, ...]
    plasticity: str
    #: ``"rate"`` or ``"spiking"``.
    kind = "rate"

    @property
    @abstractmethod
    def structure(self) -> Any:
        """The strings, read and checked."""

    @abstractmethod
    def function_of_weight(self, suffix: str) -> Equations:
        """The function Phi of the weight: ``"v"`` for the option value, ``"eta"`` for the learning rate."""

    @abstractmethod
    def refusal(self, engine: str) -> str:
        """Why an engine cannot run the model; empty if it can."""

    @property
    @abstractmethod
    def fastest(self) -> str:
        """The fastest engine that runs the model."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """All of it in full, as JSON takes it."""

    @cached_property
    def declared(self) -> Mapping[str, Parameter]:
        """All parameters by name: the 22, then the model's own."""
        return MappingProxyType({**PARAMETERS, **{parameter.name: parameter for parameter in self.parameters}})

    def complete(self, parameters: NSAParameters) -> NSAParameters:
        """Parameters with all that the model declares: its own at their defaults where they have no value yet."""
        if not self.parameters and not parameters.own:
            return parameters
        foreign = [name for name, _ in parameters.own if name not in self.declared]
        if foreign:
            raise ValueError(f"parameter {foreign[0]!r} is none of the model {self.name}'s")
        return NSAParameters.from_dict(parameters.to_dict(), self.declared)

    def values_in_si(self, parameters: NSAParameters) -> dict[str, float]:
        """All that has a name in the equations, in SI units: parameters, and the noise if there is any."""
        values = self.complete(parameters).to_dict()
        found = {name: value * float(unit_of(self.declared[name].unit)) for name, value in values.items()}
        return {**found, "noise": self.noise} if self.noise else found

    @property
    def searched(self) -> tuple[str, ...]:
        """Names of the parameters that evolution looks for, the 22 first: those with a search range that matter."""
        return tuple(name for name, info in self.declared.items() if info.search is not None)

    def to_json(self) -> str:
        """The model as the text of a file."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False)

    def save(self, path: str | Path) -> None:
        """Write the model to a JSON file, which every command takes as ``--model``."""
        Path(path).write_text(self.to_json(), "utf-8")

    def _check_parameters(self) -> None:
        seen: set[str] = set()
        for parameter in self.parameters:
            name = parameter.name
            if name in PARAMETERS or name in ("noise", "own"):
                raise ModelError(f"constant {name!r} is a parameter of the model already")
            if name in seen:
                raise ModelError(f"parameter {name!r} is declared twice")
            seen.add(name)
            unit_of(parameter.unit)


def model_from_dict(record: Any) -> AnyModel:
    """What a model's ``to_dict`` made; a ValueError says what is wrong with anything else."""
    kind = record.get("format") if isinstance(record, Mapping) else None
    if not isinstance(kind, str) or kind not in FORMATS:
        raise ModelError(f"a model is a JSON object whose format is {' or '.join(FORMATS)}")
    if record.get("version") != VERSION:
        raise ModelError(f"a model of version {record.get('version')!r} cannot be read here, only of version {VERSION}")
    module, cls = FORMATS[kind]
    return getattr(import_module(module), cls).from_plain(record)


def model_from_json(text: str) -> AnyModel:
    """A model from the text of a file."""
    try:
        return model_from_dict(parse_json(text))
    except ModelError:
        raise
    except ValueError as error:
        raise ModelError(str(error)) from None
