"""Parameter sets with a name and a provenance: shipped with the package, or in users' files.

A parameter file is a JSON object with ``parameters`` (all 22 names, and those of the model) and optionally ``name``,
``source``, ``note``, ``model`` (the complete model) and ``evolve`` (options of the search that found them). A plain
object of the 22 names is accepted too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsa_brian.common.user_files import parse_json, read_text
from nsa_brian.errors import closest, printable, shown
from nsa_brian.parameters import NSAParameters

if TYPE_CHECKING:
    from nsa_brian.model.model import Model

DEFAULT_SET = "evolved-0.3"
#: The shipped set of the best known NSA: on average less regret than the paper's model on all bandits but
#: reversal, where it has the same.
BEST = "familiarity-surprise"
_SHIPPED = resources.files("nsa_brian") / "parameter_sets"
#: Sets of shipped models other than the paper's, each named after its model, which it contains.
_OF_MODELS = _SHIPPED / "models"


@dataclass(frozen=True)
class ParameterSet:
    """Parameters with their name, provenance and model: all that describes an NSA agent.

    Sets are equal if their parameters, names and models are.

    Attributes
    ----------
    parameters : NSAParameters
    name : str
    source, note : str
        Where the parameters come from.
    model : Model, optional
        The model of the parameters; None for the paper's.
    evolve : mapping, optional
        Options of the search that found them.
    """

    parameters: NSAParameters
    name: str = ""
    source: str = field(default="", compare=False)
    note: str = field(default="", compare=False)
    model: Model | None = None
    evolve: Mapping[str, Any] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for label in ("name", "source", "note"):
            object.__setattr__(self, label, printable(getattr(self, label)))

    @property
    def model_name(self) -> str:
        """The model's name; empty for the paper's."""
        return "" if self.model is None else self.model.name

    def to_json(self) -> str:
        """Convert the set to the text of a parameter file."""
        record: dict[str, Any] = {"name": self.name, "source": self.source, "note": self.note}
        if self.model is not None:
            record["model"] = self.model.to_dict()
        if self.evolve is not None:
            record["evolve"] = dict(self.evolve)
        return json.dumps({**record, "parameters": self.parameters.to_dict()}, indent=1, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str, name: str = "") -> ParameterSet:
        """Read the text of a parameter file; ``name`` is used where the file gives none."""
        record = parse_json(text)
        if not isinstance(record, dict):
            raise ValueError(f"a parameter file is a JSON object, this one is a {type(record).__name__}")
        if "parameters" not in record:
            return cls(NSAParameters.from_dict(record), name)
        values = record["parameters"]
        labels = {key: label for key, label in record.items() if key not in ("parameters", "model", "evolve")}
        if not isinstance(values, dict):
            raise ValueError(f"'parameters' must be a JSON object, got {type(values).__name__}")
        unknown = set(labels) - {"name", "source", "note"}
        if unknown:
            known = "parameters, name, source, note, model, evolve"
            raise ValueError(f"unknown entry {shown(sorted(unknown)[0])}; known are {known}")
        wrong = [key for key, label in labels.items() if not isinstance(label, str)]
        if wrong:
            raise ValueError(f"{shown(wrong[0])} must be a text, got {shown(labels[wrong[0]])}")
        evolve = record.get("evolve")
        if not isinstance(evolve, dict | None):
            raise ValueError(f"'evolve' must be a JSON object, got {type(evolve).__name__}")
        model = None
        if record.get("model") is not None:
            from nsa_brian.model.model import Model  # imports Brian2, which parameters alone do not need

            model = Model.from_dict(record["model"])
        declared = None if model is None else model.declared
        return cls(NSAParameters.from_dict(values, declared), **{"name": name, **labels}, model=model, evolve=evolve)


def names() -> list[str]:
    """Return the names of the shipped sets of the paper's model."""
    return _in(_SHIPPED)


def model_names() -> list[str]:
    """Return the names of the shipped models that have a parameter set of their own, of the same name."""
    return _in(_OF_MODELS)


def _in(folder: Traversable) -> list[str]:
    return sorted(entry.name.removesuffix(".json") for entry in folder.iterdir() if entry.name.endswith(".json"))


def load(name_or_path: str | Path = DEFAULT_SET) -> ParameterSet:
    """Load a shipped set by name, or a parameter file by path.

    Raises
    ------
    ValueError
        If no set or file has that name, or if the file does not contain a parameter set.
    """
    label = str(name_or_path)
    for folder in (_SHIPPED, _OF_MODELS):
        if label in _in(folder):
            return ParameterSet.from_json((folder / f"{label}.json").read_text("utf-8"), label)
    path = Path(label)
    if not os.path.exists(path) or path.is_dir():  # Path.exists raises if a name is too long
        near = closest(label, [*names(), *model_names()])
        hint = f"did you mean {near}?" if near else "there is no such file either"
        raise ValueError(f"no parameter set {shown(label)}; {hint} (shipped sets: {', '.join(names())})")
    try:
        found = ParameterSet.from_json(read_text(path), path.stem)
    except ValueError as error:
        raise ValueError(f"parameter file {printable(label)}: {error}") from None
    if found.name in (*names(), *model_names()) and found != load(found.name):
        return replace(found, name=path.stem)  # a modified copy of a shipped set
    return found
