"""The agents of the nsa kind: ``nsa`` itself, and ``nsa:WHAT`` for other parameters and models beside it.

They are values: parameters and a model in full, for worker processes and for those who look at results where there is
no file of either.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import nsa_brian  # what takes Brian2 is imported when it is first used: baselines play without
from nsa_brian import DEFAULT_SET, PARAMETERS, NSAParameters, Parameter, load
from nsa_brian.model.timing import steps_of

if TYPE_CHECKING:
    from nsa_brian.model.model import Model

NSA = "nsa"

#: Of the option ``--model``.
RATE_MODEL_HELP = "NSA's model: FILE.py, FILE.py:NAME, FILE.json, rate (default), or a plugin's"
MODEL_HELP = RATE_MODEL_HELP.replace(", or", ", spiking, spiking-ei, ..., or")


def is_nsa(agent: str) -> bool:
    """Whether an agent is of the nsa kind."""
    return agent.partition(":")[0] == NSA


@dataclass(frozen=True)
class NSAAgent:
    """Parameters and model of an agent of the nsa kind, as plain data.

    Attributes
    ----------
    parameters : dict
        The values by name, the model's own included.
    parameters_name : str
        The name of the set.
    model : dict, optional
        What ``Model.to_dict`` makes of the model; None for the paper's.
    """

    parameters: dict[str, float] = field(default_factory=lambda: load().parameters.to_dict())
    parameters_name: str = DEFAULT_SET
    model: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "model", plain_model(self.model))
        object.__setattr__(self, "parameters", self.make_parameters().to_dict())

    @property
    def spiking(self) -> bool:
        """Whether the neurons of both U and V spike."""
        model = self.make_model()
        return model is not None and all(model.structure.populations[name].spikes for name in "uv")

    @property
    def model_name(self) -> str:
        """The model's name; empty for the paper's."""
        return "" if self.model is None else self.model["name"]

    def make_parameters(self) -> NSAParameters:
        """The parameters, checked."""
        own = () if self.model is None else self.model["parameters"]
        declared = {**PARAMETERS, **{values["name"]: Parameter.from_dict(values) for values in own}}
        return NSAParameters.from_dict(self.parameters, declared)

    def make_model(self) -> Model | None:
        """The model, checked; None for the paper's."""
        return None if self.model is None else _made(json.dumps(self.model))

    def with_noise(self, noise: float) -> NSAAgent:
        """The same with another strength of noise."""
        if self.model is None and not noise:
            return self
        model = self.make_model() or nsa_brian.MODELS["paper"]
        replaced = [population.name for population in model.populations if population.name in ("u", "v")]
        if replaced:
            raise ValueError(
                f"noise is added to the rates of U and V, and the model {model.name} has neurons of its own in "
                f"{' and '.join(map(str.upper, replaced))}"
            )
        return replace(self, model={**model.to_dict(), "noise": noise})

    def check(self, engine: str) -> None:
        """Refuse what the engine refuses."""
        parameters, model = self.make_parameters(), self.make_model()
        if model is not None and model.refusal(engine):
            raise ValueError(model.refusal(engine))
        if model is None:
            steps_of(parameters)
        else:
            from nsa_brian.preparation import check_map  # here, since it takes Brian2

            check_map(model, parameters)


@lru_cache(maxsize=64)
def _made(text: str) -> Model:
    return nsa_brian.Model.from_dict(json.loads(text))


def plain_model(model: Model | Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A model as plain data; None for the paper's."""
    if model is None or isinstance(model, Mapping):
        return None if model is None else dict(model)
    return None if model == nsa_brian.MODELS["paper"] else json.loads(model.to_json())
