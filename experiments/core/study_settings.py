"""What the settings of all studies can do: be converted to plain data and back, and have an id."""

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
        """Convert to plain JSON, with what the settings name in full, and with digests of input files if there are any.

        Subclasses add to :meth:`own_dict`.
        """
        plain = self.own_dict()
        chosen = {name.partition(":")[0] for name in plain.get("agents", ()) if name.endswith(":tuned")}
        if chosen:
            plain["tuned"] = {name: values for name, values in tuned().items() if name in chosen}
        inputs = {**plugin_digests(), **self.input_digests}
        return json.loads(json.dumps(plain | ({"inputs": inputs} if inputs else {})))  # lists for tuples, as in a file

    def own_dict(self) -> dict[str, Any]:
        """Convert the fields that were given."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.init}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Restore settings from :meth:`to_dict`. Nothing is read or checked: files that they name may be gone since."""
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
        """A short name that differs when the settings or the input files do."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()[:8]

    @property
    def input_digests(self) -> dict[str, str]:
        """The digests of input files by their paths."""
        return {}

    @property
    def input_tables(self) -> dict[str, np.ndarray]:
        """The values of models' inputs by name, (rounds, columns) each."""
        return {}
