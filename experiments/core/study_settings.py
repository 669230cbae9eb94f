"""Base class of the settings of studies: conversion to plain data and back, and an id."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self, get_origin, get_type_hints

import numpy as np

from experiments.core.agents import tuned
from nsa_brian.plugins import plugin_digests


@dataclass(frozen=True, kw_only=True)
class StudySettings:
    """Base class of the settings of a study: a frozen dataclass whose fields are made by ``setting``."""

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain JSON, with tuned parameters and digests of input files; subclasses extend ``own_dict``."""
        plain = self.own_dict()
        chosen = {name.partition(":")[0] for name in plain.get("agents", ()) if name.endswith(":tuned")}
        if chosen:
            plain["tuned"] = {name: values for name, values in tuned().items() if name in chosen}
        inputs = {**plugin_digests(), **self.input_digests}
        return json.loads(
            json.dumps(plain | ({"inputs": inputs} if inputs else {}))
        )  # tuples become lists, as in a file

    def own_dict(self) -> dict[str, Any]:
        """Convert the fields of the constructor."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.init}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Restore settings from :meth:`to_dict`, without reading or checking files, which may no longer exist."""
        made = object.__new__(cls)
        types = get_type_hints(cls)
        for each in dataclasses.fields(cls):
            value = cls.restored(each, plain)
            object.__setattr__(made, each.name, tuple(value) if get_origin(types[each.name]) is tuple else value)
        return made

    @classmethod
    def restored(cls, field: dataclasses.Field[Any], plain: Mapping[str, Any]) -> Any:
        """Return the value of a field from plain data."""
        return plain.get(field.name, field.default)

    @property
    def id(self) -> str:
        """Short identifier of the settings and input files."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()[:8]

    @property
    def input_digests(self) -> dict[str, str]:
        """Digests of input files by path."""
        return {}

    @property
    def input_tables(self) -> dict[str, np.ndarray]:
        """Values of model inputs by name, (rounds, columns) each."""
        return {}
