"""Load models by name, from a Python file, or from a JSON file."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from nsa_brian.common.user_files import parse_json, read_text
from nsa_brian.errors import ModelError, closest, printable
from nsa_brian.model.model import PAPER, Model
from nsa_brian.model.modules import load_module

__all__ = ["ALIASES", "BEYOND", "MODELS", "SPIKING", "load_model", "load_module"]

#: Models by name; every command knows a model that is added here.
MODELS: dict[str, Model] = {"paper": PAPER}

#: Shipped models of spiking neurons, created on first use.
SPIKING = ("spiking", "spiking-ei", "spiking-adex", "spiking-learning", "spiking-ei-learning")

#: Shipped models beyond the paper, created on first use; each has a parameter set of the same name.
BEYOND = (
    *("familiarity", "familiarity-surprise", "familiarity-noisy", "familiarity-spiking", "familiarity-uniform"),
    *("familiarity-own", "familiarity-no-recovery", "familiarity-plain-rate", "familiarity-fixed"),
    *("familiarity-memoryless", "familiarity-surprise-memoryless", "aspiration-drift", "metaplasticity", "kalman"),
)

#: Modules of the shipped models, by name.
_SHIPPED = {**dict.fromkeys(SPIKING, "nsa_brian.model.shipped"), **dict.fromkeys(BEYOND, "nsa_brian.model.beyond")}

#: Alternative names of models.
ALIASES = {"rate": "paper"}


def load_model(name: str | Path) -> Model:
    """Load a model by name, or from a file.

    Parameters
    ----------
    name : str or Path
        A name in :data:`MODELS`, :data:`SPIKING` or :data:`BEYOND`; ``FILE.py``, which defines ``MODEL`` or only one
        model; ``FILE.py:NAME``; a JSON file written by :meth:`Model.save`; or a parameter file that contains its model.

    Raises
    ------
    ValueError
        If the model is unknown, or if its file does not define one. A Python file is executed.
    """
    label = str(name)
    if label in MODELS or label in ALIASES:
        return MODELS[ALIASES.get(label, label)]
    if label in _SHIPPED:
        found: Model = import_module(_SHIPPED[label]).MODELS[label]
        return found
    path, _, chosen = label.rpartition(":") if ".py:" in label else (label, "", "")
    if ".py:" in label and not chosen:
        raise ModelError(f"{printable(label)} needs the name of a model after the colon")
    if path.endswith(".py"):
        return _from_module(load_module(path), path, chosen)
    if path.endswith(".json"):
        return _from_json(Path(path))
    known = [*MODELS, *_SHIPPED]
    near = closest(label, known)
    hint = f"did you mean {near}?" if near else f"known: {', '.join(known)}, or FILE.py, FILE.py:NAME, FILE.json"
    raise ModelError(f"no model {label!r}; {hint}")


def _from_module(module: ModuleType, path: str, chosen: str) -> Model:
    path = printable(path)
    found = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, Model) and not _is_shipped(value)  # those are imported, not defined in the file
    }
    if chosen:
        if chosen not in found:
            known = f"it has {', '.join(found)}" if found else "it has none"
            raise ModelError(f"{path} has no model {chosen!r}; {known}")
        return found[chosen]
    if "MODEL" in found:
        return found["MODEL"]
    if len(set(found.values())) == 1:
        return next(iter(found.values()))
    known = f"it has {', '.join(found)}: name one as {path}:NAME" if found else "it defines no Model"
    raise ModelError(f"{path} has no MODEL; {known}")


def _is_shipped(model: Model) -> bool:
    modules = [sys.modules[name] for name in set(_SHIPPED.values()) if name in sys.modules]
    return model is PAPER or any(model is other for module in modules for other in module.MODELS.values())


def _from_json(path: Path) -> Model:
    try:
        record = parse_json(read_text(path))
        if _is_set(record):
            if not record.get("model"):
                return PAPER
            record = record["model"]
        return Model.from_dict(record)
    except ValueError as error:
        raise ModelError(f"{printable(str(path))}: {error}") from None


def _is_set(record: Any) -> bool:
    return isinstance(record, dict) and "parameters" in record and "format" not in record


def holds_parameters(name: str | Path) -> bool:
    """Return whether a model's file is a parameter file, which contains values too."""
    if not str(name).endswith(".json"):
        return False
    try:
        return _is_set(parse_json(read_text(name)))
    except ValueError:
        return False
