"""The state of the page: a model with its parameters, a bandit, a perturbation; read from links and files."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from experiments.explore.catalogue import Catalogue
from nsa_brian import DEFAULT_SET, NSAParameters
from nsa_brian.common.checks import check_number, check_whole
from nsa_brian.common.texts import shown
from nsa_brian.common.user_files import parse_json
from nsa_brian.errors import printable
from nsa_brian.model.model import Model, check_counts

#: Largest number of arms, of rounds in a trial, and of trials.
MOST_ARMS, MOST_ROUNDS, MOST_TRIALS = 100, 2000, 10
#: Largest number of neurons of a population in all options, so that a picture takes seconds.
MOST_NEURONS = 10_000
#: Populations that can be silenced.
SILENT = ("", "u", "v", "uv")
#: Weights of the shown decision: evenly spaced from 0 to w_max, or as learnt in the game.
WEIGHTS = ("spread", "game")
#: Prefixes of parameters and inputs in links.
OF_PARAMETERS, OF_INPUTS = "p.", "in."


class FieldError(ValueError):
    """An illegal value of a field of the page."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, kw_only=True)
class View:
    """State of the page; ``parameters`` has the values that differ from those of the set."""

    model: str = "paper"
    set: str = DEFAULT_SET
    parameters: Mapping[str, float] = field(default_factory=dict)
    arms: int = 10
    env: str = "MAB-P"
    seed: int = 0
    rounds: int = 150
    trials: int = 2
    policies: tuple[str, ...] = ("thompson", "epsilon-greedy")
    weights: str = "spread"
    silence: str = ""
    inputs: Mapping[str, float] = field(default_factory=dict)
    option: int = -1
    start: int = 100
    stop: int = 200

    @classmethod
    def from_dict(cls, plain: Any, catalogue: Catalogue) -> View:
        """Return a view from plain data; raise a FieldError that names the first illegal field."""
        if not isinstance(plain, Mapping):
            raise FieldError("", f"a view is a JSON object, got {shown(plain)}")
        known = {each.name for each in dataclasses.fields(cls)}
        unknown = [name for name in plain if name not in known]
        if unknown:
            raise FieldError("", f"a view has no field {shown(unknown[0])}; it has {', '.join(sorted(known))}")
        values = {name: value for name, value in plain.items() if value is not None}
        for name in ("parameters", "inputs"):
            if not isinstance(values.get(name, {}), Mapping):
                raise FieldError(name, f"{name} must be a JSON object, got {shown(values[name])}")
        if "policies" in values:
            if not isinstance(values["policies"], list | tuple) or len(values["policies"]) != 2:
                raise FieldError("policies", f"policies must be two names, got {shown(values['policies'])}")
            values["policies"] = tuple(values["policies"])
        made = cls(**values)
        made._check(catalogue)
        return made

    @classmethod
    def from_text(cls, text: str, catalogue: Catalogue) -> View:
        """Return a view from the content of a view file, or from a link or the part of it after the ``#``."""
        if text.lstrip().startswith("{"):
            return cls.from_dict(parse_json(text), catalogue)
        query = urlsplit(text).fragment if "#" in text else text
        plain: dict[str, Any] = {"parameters": {}, "inputs": {}}
        whole = {"arms", "seed", "rounds", "trials", "option", "start", "stop"}
        for name, value in parse_qsl(query, keep_blank_values=True):
            if name.startswith(OF_PARAMETERS):
                plain["parameters"][name.removeprefix(OF_PARAMETERS)] = _number(name, value)
            elif name.startswith(OF_INPUTS):
                plain["inputs"][name.removeprefix(OF_INPUTS)] = _number(name, value)
            elif name == "policies":
                plain[name] = value.split(",")
            else:
                plain[name] = _number(name, value) if name in whole else value
        return cls.from_dict(plain, catalogue)

    def _check(self, catalogue: Catalogue) -> None:
        choices: list[tuple[str, Any, Any]] = [
            ("model", self.model, catalogue.models),
            ("set", self.set, catalogue.sets),
            ("env", self.env, catalogue.envs),
            *(("policies", policy, catalogue.policies) for policy in self.policies),
            ("silence", self.silence, SILENT),
            ("weights", self.weights, WEIGHTS),
        ]
        for name, value, legal in choices:
            if not isinstance(value, str) or value not in legal:
                listed = ", ".join(each or "none" for each in legal)
                raise FieldError(name, f"{name} must be one of {listed}, got {shown(value)}")
        numbers = {"arms": (2, MOST_ARMS), "rounds": (1, MOST_ROUNDS), "trials": (1, MOST_TRIALS), "seed": (0, 2**53)}
        numbers |= {"option": (-1, self.arms - 1 if isinstance(self.arms, int) else 1)}
        numbers |= {"start": (0, MOST_ROUNDS * MOST_TRIALS), "stop": (0, MOST_ROUNDS * MOST_TRIALS)}
        for name, (low, high) in numbers.items():
            with _naming(name):
                check_whole(name, getattr(self, name), low, high)
        own = catalogue.sets[self.set].model
        if own is not None and own != catalogue.models[self.model]:
            raise FieldError("set", f"the set {self.set} belongs to the model {own.name}, not to {self.model}")
        model = catalogue.models[self.model]
        for name, value in self.parameters.items():
            if name not in model.declared:
                raise FieldError("", f"model {self.model} has no parameter {shown(name)}")
            with _naming(name):
                model.declared[name].check(value)
                if name in model.structure.counts:
                    check_whole(name, value, 1, MOST_NEURONS // self.arms)
        for name, value in self.inputs.items():
            if name not in model.structure.inputs:
                raise FieldError("", f"model {self.model} has no input {shown(name)}")
            with _naming(OF_INPUTS + name):
                check_number(name, value, -1e9, 1e9)
        check_counts(model, [self.values(catalogue)])

    def values(self, catalogue: Catalogue) -> NSAParameters:
        """Return the parameters of the set with the changes."""
        return self.of(catalogue).complete(catalogue.sets[self.set].parameters).replace(**dict(self.parameters))

    def of(self, catalogue: Catalogue) -> Model:
        """Return the model."""
        return catalogue.models[self.model]

    @property
    def perturbed(self) -> bool:
        """Whether a population is silenced or an input is given."""
        return bool(self.silence or self.inputs)

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data."""
        plain = {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}
        return plain | {name: dict(plain[name]) for name in ("parameters", "inputs")}

    def to_query(self) -> str:
        """Convert to the part of a link after the ``#``, as the page writes it: fields that differ from defaults."""
        from_default = View()
        pairs = []
        for each in dataclasses.fields(self):
            value = getattr(self, each.name)
            if isinstance(value, Mapping):
                prefix = OF_PARAMETERS if each.name == "parameters" else OF_INPUTS
                pairs += [(prefix + name, json.dumps(number)) for name, number in value.items()]
            elif value != getattr(from_default, each.name):
                pairs.append((each.name, ",".join(value) if isinstance(value, tuple) else str(value)))
        return "&".join(f"{name}={_escaped(value)}" for name, value in pairs)


@contextmanager
def _naming(field: str) -> Iterator[None]:
    """Convert a ValueError to a FieldError of a field."""
    try:
        yield
    except ValueError as error:
        raise FieldError(field, str(error)) from None


def blamed(error: Exception, view: View, model: Model) -> FieldError:
    """Return an error of a computation as that of a field, if its message names a parameter, best a changed one."""
    message = printable(str(error)) or type(error).__name__
    named = [word for word in re.findall(r"\w+", message) if word in model.declared]
    return FieldError(next((word for word in named if word in view.parameters), (*named, "")[0]), message)


def _number(name: str, text: str) -> float:
    try:
        return json.loads(text)
    except ValueError:
        raise FieldError(name, f"{printable(name)} must be a number, got {shown(text)}") from None


def _escaped(text: str) -> str:
    return re.sub(r"[^\w.,:/+-]", lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), text)
