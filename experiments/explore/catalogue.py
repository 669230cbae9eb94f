"""Models, parameter sets, bandits and policies that the page offers."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import envs
from envs import BANDITS
from experiments.core.agents import names as agent_names
from experiments.core.agents import sees_the_bandit
from experiments.core.named import read_set
from experiments.core.nsa_agents import is_nsa
from experiments.explore.lesion import lesioned
from nsa_brian import DEFAULT_SET, ParameterSet
from nsa_brian.errors import ModelError
from nsa_brian.model.loading import ALIASES, MODELS, SPIKING, load_model
from nsa_brian.model.model import PAPER, Model
from nsa_brian.model.preparing import RateMap
from nsa_brian.parameter_set import names as set_names
from nsa_brian.parameters import PARAMETERS, POSITIVE, Parameter

#: The file of a search's folder that has its champion.
BEST = "best.json"
#: Title of the group of a model's own parameters.
OWN = "The model's own"
#: Groups of the 22 parameters by title.
GROUPS = {
    "U": ("tau_u", "gain_u", "offset_u", "threshold_u"),
    "V": ("tau_v", "gain_v", "offset_v", "threshold_v"),
    "Value function": ("w_max", "beta_v", "alpha_v", "mu_v", "sigma_v", "r_v"),
    "Learning rate": ("beta_eta", "alpha_eta", "mu_eta", "sigma_eta", "r_eta"),
    "Input and time": ("I_ext", "duration_input", "duration_free"),
}


@dataclass(frozen=True)
class Catalogue:
    """What the page offers by name; nothing else can be asked for.

    Attributes
    ----------
    models : mapping
        Models by name.
    sources : mapping
        What ``--model`` takes for each model.
    sets : mapping
        Parameter sets by what ``--parameters`` takes.
    """

    models: Mapping[str, Model]
    sources: Mapping[str, str]
    sets: Mapping[str, ParameterSet]

    @classmethod
    def of(cls, model: str = "", parameters: Sequence[str] = ()) -> Catalogue:
        """Return the shipped models and sets and given ones; a folder of a search stands for its champion."""
        models, sources, sets = {}, {}, {}
        if model and model not in (*MODELS, *SPIKING, *ALIASES):
            models, sources = {(own := load_model(model)).name: own}, {own.name: model}
        for name in parameters:
            path = str(Path(name) / BEST) if os.path.isdir(name) else name
            sets[path] = read_set(path)
            brought = sets[path].model
            if brought is not None and brought not in models.values():
                key = brought.name if brought.name not in models else f"{brought.name} of {path}"
                models[key], sources[key] = brought, path
        shipped = {name: load_model(name) for name in (*MODELS, *SPIKING)}
        models |= {name: each for name, each in shipped.items() if name not in models}
        sources |= {name: name for name in models if name not in sources}
        return cls(models, sources, {**sets, **{name: read_set(name) for name in set_names() if name not in sets}})

    def name_of(self, model: Model | None) -> str:
        """Return the name of a model; None is the paper's."""
        wanted = PAPER if model is None else model
        return next(name for name, each in self.models.items() if each == wanted)

    @cached_property
    def envs(self) -> list[str]:
        """Bandits that need no settings."""
        return [
            name
            for name in BANDITS
            if all(value is not inspect.Parameter.empty for value in envs.settings_of(name).values())
        ]

    @cached_property
    def policies(self) -> list[str]:
        """Policies, tuned ones included, except those that see the bandit."""
        return [name for name in agent_names() if not is_nsa(name) and not sees_the_bandit(name)]

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data for the page."""
        return {
            "models": {name: _described(model) for name, model in self.models.items()},
            "sets": {
                name: {
                    "label": each.name if name in set_names() else f"{each.name} ({name})",
                    "model": None if each.model is None else self.name_of(each.model),
                    "note": each.note or each.source,
                    "values": each.parameters.to_dict(),
                }
                for name, each in self.sets.items()
            },
            "default_set": DEFAULT_SET,
            "envs": self.envs,
            "policies": self.policies,
        }


def shown_parameters(model: Model) -> dict[str, Parameter]:
    """Return the parameters that matter to a model: those that a string, or its calibration, uses."""
    mapped = any(isinstance(step, RateMap) for step in model.prepare)
    used = model.structure.used
    return {
        name: info
        for name, info in model.declared.items()
        if name not in PARAMETERS or mapped or name in used or name == "w_max"
    }


def _described(model: Model) -> dict[str, Any]:
    shown = shown_parameters(model)
    groups = {title: [name for name in names if name in shown] for title, names in GROUPS.items()}
    groups[OWN] = [name for name in shown if name not in PARAMETERS]
    structure = model.structure
    return {
        "groups": [{"title": title, "names": names} for title, names in groups.items() if names],
        "parameters": {name: _range(info, name in structure.counts) for name, info in shown.items()},
        "inputs": [
            {"name": name, "per": each.per, "unit": each.unit, "default": each.default}
            for name, each in structure.inputs.items()
        ],
        "spikes": structure.spikes,
        "silence": _silenced(model),
    }


def _silenced(model: Model) -> bool:
    try:
        lesioned(model)
    except ModelError:
        return False
    return True


def _range(info: Parameter, whole: bool) -> dict[str, Any]:
    """Return a parameter's description with the range of its slider: the search range, or one around the default."""
    low, high = info.search or _around(info)
    return {
        "symbol": info.symbol or info.name,
        "unit": info.unit,
        "meaning": info.meaning,
        "legal": info.domain,
        "default": info.default,
        "low": low,
        "high": high,
        "log": info.scale == "log" and low > 0,
        "whole": whole,
    }


def _around(info: Parameter) -> tuple[float, float]:
    value, (least, most) = info.default, info.legal
    low, high = (value / 4, value * 4) if info.legal == POSITIVE or value > 0 else (value - 10, value + 10)
    if value < 0:
        low, high = value * 1.5, value / 2
    return max(low, least), min(high, most)
