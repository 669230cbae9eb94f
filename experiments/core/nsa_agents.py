"""The agents of the nsa kind: ``nsa`` itself, and ``nsa:WHAT`` for other parameters and models beside it.

What the user names is read once, in the process of the command. From then on the agents are values: parameters and
a model in full, for worker processes and for those who look at results where there is no such file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsa_brian import DEFAULT_SET, PARAMETERS, NSAParameters, Parameter, ParameterSet, load
from nsa_brian.engines.registry import MODELS, engine_of, refusal
from nsa_brian.model.timing import steps_of
from nsa_brian.parameter_set import names

if TYPE_CHECKING:
    from nsa_brian import Model

NSA = "nsa"

#: Of the option ``--model``.
MODEL_HELP = "NSA's model: FILE.py, FILE.py:NAME, FILE.json, rate (the paper's, default), spiking, or a plugin's"


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
        model = self.model
        if model is None:
            from nsa_brian.model.model import PAPER

            model = PAPER.to_dict()
        return replace(self, model={**model, "noise": noise})

    def check(self, engine: str) -> None:
        """Refuse what the engine refuses."""
        parameters, model = self.make_parameters(), self.make_model()
        steps_of(parameters)
        if model is not None:
            refused = refusal(engine, model)
            if refused:
                raise ValueError(refused)
        if engine == "spiking":
            from nsa_brian.spiking.calibration import critical_value  # here, since it takes Brian2

            critical_value(parameters)


@lru_cache(maxsize=64)
def _made(text: str) -> Model:
    from nsa_brian import Model

    return Model.from_dict(json.loads(text))


# From what the user names -------------------------------------------------------------------------------------------

#: What was read already, while it is to be read once.
_known: dict[tuple[Callable[..., Any], str], Any] | None = None


@contextmanager
def reading_once() -> Iterator[None]:
    """Within, a file is read when it is first named, and never again."""
    global _known
    _known = {}
    try:
        yield
    finally:
        _known = None


def _once(reader: Callable[[str], Any], name: str) -> Any:
    if _known is None:
        return reader(name)
    if (reader, name) not in _known:
        _known[reader, name] = reader(name)
    return _known[reader, name]


def read_agent(name: str) -> NSAAgent:
    """What ``nsa:WHAT`` means: a parameter set or file with its model, or a model with the default set.

    Raises
    ------
    ValueError
        If there is neither.
    """
    what = name.removeprefix(f"{NSA}:")
    try:
        return read(DEFAULT_SET, what) if _is_model(what) else read(what)
    except ValueError as error:
        raise ValueError(f"agent {name}: {error}") from None


def read(parameters: str = DEFAULT_SET, model: str = "") -> NSAAgent:
    """A parameter set by name or file, which may bring its model, and a model by name or file if one is given.

    Raises
    ------
    ValueError
        If there is no such thing, or if the set is of another model.
    """
    chosen: ParameterSet = _once(load, parameters)
    if not model and chosen.model is None:
        return NSAAgent(chosen.parameters.to_dict(), chosen.name)

    from nsa_brian import load_model  # here, so that the baselines play without Brian2
    from nsa_brian.agent import model_of

    found = model_of(chosen, _once(load_model, model) if model else None)
    return NSAAgent(found.complete(chosen.parameters).to_dict(), chosen.name, plain_model(found))


def plain_model(model: Model | Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A model as plain data; None for the paper's."""
    if model is None or isinstance(model, Mapping):
        return None if model is None else dict(model)

    from nsa_brian.model.model import PAPER

    return None if model == PAPER else json.loads(model.to_json())


def _is_model(what: str) -> bool:
    """Whether a name means a model rather than a parameter set."""
    if what in names():
        return False
    if what.endswith(".py") or ".py:" in what:
        return True
    if what.endswith(".json"):
        try:
            return "format" in json.loads(Path(what).read_text("utf-8"))
        except (OSError, ValueError, TypeError, RecursionError):
            return False  # as a parameter file it will be told what is wrong with it

    from nsa_brian.model import loading

    return what in loading.MODELS or what in loading.ALIASES


def read_model_and_engine(model: str | None, engine: str | None) -> tuple[str, str | None]:
    """What the options ``--model`` and ``--engine`` mean: ``spiking`` is an engine, ``rate`` the paper's model."""
    if model is None:
        return "", engine
    if not model:
        raise ValueError("--model names nothing")
    kind = "rate" if model == "paper" else model
    if kind not in MODELS:
        return model, engine
    return "" if kind == "spiking" else "paper", engine_of(kind, engine)
