"""Models by name: shipped ones, those of a Python file, those of a JSON file."""

from __future__ import annotations

import difflib
import hashlib
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

from nsa_brian.model.model import PAPER, Model
from nsa_brian.model.reading import ModelError, first_line

#: The models that are known by a name; enter one of yours, and every command knows it.
MODELS: dict[str, Model] = {"paper": PAPER}

#: Another name of the paper's, in contrast to spiking.
ALIASES = {"rate": "paper"}


def load_model(name: str | Path) -> Model:
    """A model by its name, or from a file.

    Parameters
    ----------
    name : str or Path
        A name in :data:`MODELS`; ``FILE.py``, whose ``MODEL`` or only model it is; ``FILE.py:NAME``; or a JSON file
        as :meth:`Model.save` writes it. A parameter file that brings its model will do too.

    Raises
    ------
    ValueError
        If there is no such model, or if its file does not make one. A Python file is run: it is code.
    """
    label = str(name)
    if label in MODELS or label in ALIASES:
        return MODELS[ALIASES.get(label, label)]
    path, _, chosen = label.rpartition(":") if ".py:" in label else (label, "", "")
    if path.endswith(".py"):
        return _from_module(load_module(path), path, chosen)
    if path.endswith(".json"):
        return _from_json(Path(path))
    near = difflib.get_close_matches(label, MODELS, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(MODELS)}, or FILE.py, FILE.py:NAME, FILE.json"
    raise ModelError(f"no model {label!r}; {hint}")


def load_module(path: str | Path) -> ModuleType:
    """Run a user's Python file; what is wrong with it becomes one line."""
    file = Path(path)
    if not file.is_file():
        raise ModelError(f"{path}: there is no such file")
    key = hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:12]
    spec = importlib.util.spec_from_file_location(f"nsa_user_{key}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # so that what it defines can be pickled
    try:
        spec.loader.exec_module(module)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None
    except Exception as error:
        raise ModelError(f"{path}: {type(error).__name__}: {first_line(error)}") from error
    return module


def _from_module(module: ModuleType, path: str, chosen: str) -> Model:
    found = {name: value for name, value in vars(module).items() if isinstance(value, Model) and value is not PAPER}
    if chosen:
        if chosen not in found:
            known = f"it has {', '.join(found)}" if found else "it has none"
            raise ModelError(f"{path} has no model {chosen!r}; {known}")
        return found[chosen]
    if "MODEL" in found:
        return found["MODEL"]
    if len(set(found.values())) == 1:
        return next(iter(found.values()))
    known = f"it has {', '.join(found)}: name one as {path}:NAME" if found else "it makes no Model"
    raise ModelError(f"{path} has no MODEL; {known}")


def _from_json(path: Path) -> Model:
    try:
        record = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ModelError(f"{path}: not JSON: {first_line(error)}") from None
    if isinstance(record, dict) and "parameters" in record and "format" not in record:
        if not record.get("model"):
            return PAPER
        record = record["model"]
    try:
        return Model.from_dict(record)
    except ValueError as error:
        raise ModelError(f"{path}: {error}") from None
