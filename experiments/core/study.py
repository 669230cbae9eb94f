"""A study: settings as data, cells of work that can be interrupted and resumed, one results file.

A study module declares ``NAME``, ``HELP``, a frozen dataclass ``Settings`` with ``PRESETS``, and the functions
``cells`` (what is to be computed), ``tables``, ``draw`` (a figure) and ``summary`` (for JSON), the last three of the
results alone.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from experiments.core.agents import tuned
from experiments.core.files import write_atomically
from experiments.core.nsa_agents import NSA, NSAAgent
from experiments.core.settings import versions
from experiments.core.workers import run_jobs

Arrays = dict[str, np.ndarray]
#: A picklable function without arguments that computes one cell.
Cell = Callable[[], Arrays]

#: Of a cell's file name; a file system allows about 250.
MOST_CHARACTERS = 200


@dataclass(frozen=True)
class StudyResults:
    """Arrays of every cell by the cell's name, with what made them."""

    study: str
    settings: dict[str, Any]
    versions: dict[str, str]
    cells: dict[str, Arrays]


def described(settings: Any) -> dict[str, Any]:
    """Settings as plain JSON, with the parameters, models and tuned policies that they name, in full."""
    plain = {field.name: getattr(settings, field.name) for field in dataclasses.fields(settings) if field.init}
    if "parameters" in plain:
        del plain["model"]  # its name, and all of it, follow
        plain.update(_named(settings))
    chosen = {name.partition(":")[0] for name in plain.get("agents", ()) if name.endswith(":tuned")}
    if chosen:
        plain["tuned"] = {name: values for name, values in tuned().items() if name in chosen}
    return json.loads(json.dumps(plain))  # as a results file gives it back: lists for tuples


def _named(settings: Any) -> dict[str, Any]:
    """Parameters of the sets that settings name; and, where there is more than that, all agents of the nsa kind."""
    agents: dict[str, NSAAgent] = settings.nsa_agents
    sets = {settings.parameters: agents[NSA]} if isinstance(settings.parameters, str) else agents
    found: dict[str, Any] = {"parameter_values": {name: agent.parameters for name, agent in sets.items()}}
    models = dict.fromkeys(agent.model_name for agent in sets.values() if agent.model is not None)
    if models:
        found["model"] = ", ".join(models)
    if models or len(agents) > len(sets):
        found["nsa_agents"] = {name: dataclasses.asdict(agent) for name, agent in agents.items()}
    return found


def settings_id(settings: Any) -> str:
    """A short name that differs when the settings do."""
    text = json.dumps(described(settings), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def run(
    study: str,
    settings: Any,
    cells: Mapping[str, Cell],
    out: Path,
    workers: int = 1,
    tick: Callable[[], None] = lambda: None,
) -> tuple[StudyResults, Path]:
    """Compute what is missing of a study's cells and write the results file.

    Each cell is written when it is done. A run that was stopped goes on where it was; a run that was finished
    is read from its file. The outcome is the same, however often it was stopped and whatever the workers.

    Returns
    -------
    results : StudyResults
    path : Path
        The results file.
    """
    path = out / f"{study}-{settings_id(settings)}.npz"
    if path.exists():
        found = load(path)
        if found.versions == versions():  # another version's results are another run's
            for _ in cells:
                tick()
            return found, path
    folder = path.with_suffix(".cells")
    folder.mkdir(exist_ok=True)
    marks = folder / "versions.json"
    made_with = json.dumps(versions())
    if marks.exists() and marks.read_text() != made_with:
        shutil.rmtree(folder)
        folder.mkdir()
    write_atomically(marks, lambda file: file.write(made_with.encode()))
    missing = {}
    for name, cell in cells.items():
        if _cell_path(folder, name).exists():
            tick()
        else:
            missing[name] = cell
    if workers == 1:
        for name, cell in missing.items():
            _compute(cell, _cell_path(folder, name))
            tick()
    else:
        jobs = {name: partial(_compute, cell, _cell_path(folder, name)) for name, cell in missing.items()}
        run_jobs(jobs, workers, lambda name, result: tick())
    done = {name: _read(_cell_path(folder, name)) for name in cells}
    results = StudyResults(study, described(settings), versions(), done)
    save(results, path)
    shutil.rmtree(folder)
    return results, path


def save(results: StudyResults, path: Path) -> None:
    """Write a results file."""
    meta = {"study": results.study, "settings": results.settings, "versions": results.versions}
    arrays: dict[str, Any] = {"meta": np.array(json.dumps(meta))}
    for cell, found in results.cells.items():
        arrays.update({f"{cell}|{name}": array for name, array in found.items()})
    write_atomically(path, lambda file: np.savez_compressed(file, **arrays))


def load(path: str | Path) -> StudyResults:
    """Read a results file; a ValueError if it is none."""
    try:
        with np.load(path, allow_pickle=False) as file:
            meta = json.loads(str(file["meta"]))
            cells: dict[str, Arrays] = {}
            for key in file.files:
                if key != "meta":
                    cell, _, name = key.rpartition("|")  # there may be one in a cell's name
                    cells.setdefault(cell, {})[name] = file[key]
        return StudyResults(meta["study"], meta["settings"], meta["versions"], cells)
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror or error}") from None
    except Exception:  # whatever numpy, zip and JSON say of a file that is something else
        raise ValueError(f"{path}: not a results file of a study") from None


def _compute(cell: Cell, path: Path) -> None:
    found = cell()
    write_atomically(path, lambda file: np.savez(file, **found))  # type: ignore[arg-type]  # numpy's stubs


def _cell_path(folder: Path, name: str) -> Path:
    """A file of its own for each cell, whatever its name."""
    stem = quote(name, safe=" ")
    if len(stem) > MOST_CHARACTERS:
        stem = f"{stem[:100]}-{hashlib.sha256(name.encode()).hexdigest()}"
    return folder / f"{stem}.npz"


def _read(path: Path) -> Arrays:
    with np.load(path, allow_pickle=False) as file:
        return dict(file)
