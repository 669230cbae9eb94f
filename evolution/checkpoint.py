"""The folder of a search: its checkpoint, its logbook, every generation. Each file whole or not there."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from evolution.files import write_atomically
from evolution.settings import SearchSettings
from nsa_brian.parameters import NSAParameters

CHECKPOINT, LOGBOOK, GENERATIONS = "checkpoint.npz", "logbook.csv", "generations"

#: The logbook's columns.
COLUMNS = ("generation", "restart", "population", "best", "mean", "low", "high", "optimum", "regret", "sigma")

#: What a checkpoint says of itself, and the version of its form.
FORMAT, VERSION = "nsa-search", 2


@dataclass(frozen=True)
class Checkpoint:
    """A search as it was written, with what made it.

    Attributes
    ----------
    settings : SearchSettings
        With the model in full.
    state : dict
        See :meth:`evolution.search.Search.state`.
    fitness : str
        The name of the fitness of the user's own; empty if there is none.
    extra : dict
        What else was to be kept.
    versions : dict
    """

    settings: SearchSettings
    state: Mapping[str, Any]
    fitness: str
    extra: dict[str, Any]
    versions: dict[str, str]


def versions() -> dict[str, str]:
    """Versions of what a search's outcome may depend on."""
    return {name: metadata.version(name) for name in ("nsa-brian", "brian2", "numpy", "deap")}


def write(folder: Path, saved: Checkpoint, parameters: Sequence[NSAParameters]) -> None:
    """Write the last generation, then the checkpoint, which alone says how far the search is, then the logbook.

    Parameters
    ----------
    folder : Path
        Made if need be; refused if it holds another search.
    saved : Checkpoint
    parameters : sequence of NSAParameters
        Those of the last generation.
    """
    settings, state = saved.settings.to_dict(), saved.state
    path = folder / CHECKPOINT
    if path.exists() and identity(_read_meta(path)["settings"]) != identity(settings):
        raise ValueError(f"{folder} holds another search: save to a folder of its own")
    folder.mkdir(parents=True, exist_ok=True)
    if state["generation"]:
        (folder / GENERATIONS).mkdir(exist_ok=True)
        last = _generation(saved, parameters)
        write_atomically(_generation_path(folder, state["generation"]), lambda file: np.savez(file, **last))  # type: ignore[arg-type]
    arrays = {name: value for name, value in state.items() if isinstance(value, np.ndarray)}
    meta = {
        "format": FORMAT,
        "version": VERSION,
        "settings": settings,
        "fitness": saved.fitness,
        "extra": saved.extra,
        "versions": saved.versions,
        "state": {name: value for name, value in state.items() if name not in arrays},
    }
    text = np.array(json.dumps(meta))
    write_atomically(path, lambda file: np.savez(file, meta=text, **arrays))  # type: ignore[arg-type]
    write_atomically(folder / LOGBOOK, lambda file: file.write(_as_csv(state["logbook"]).encode()))


def read(folder: str | Path) -> Checkpoint:
    """What a folder's checkpoint holds; a ValueError if there is none, or none that can be read here."""
    path = Path(folder) / CHECKPOINT
    if not path.is_file():
        raise ValueError(f"{folder} is not the folder of a search: it has no {CHECKPOINT}")
    meta = _read_meta(path)
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: array for name, array in file.items() if name != "meta"}
        settings = SearchSettings.from_dict(meta["settings"])
        return Checkpoint(settings, {**arrays, **meta["state"]}, meta["fitness"], meta["extra"], meta["versions"])
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    except Exception:  # whatever numpy, zip and JSON say of a file that is something else
        raise ValueError(f"{path} is not a checkpoint of a search") from None


def read_generation(folder: str | Path, generation: int) -> dict[str, np.ndarray]:
    """A generation, best first: ``genes``, ``parameters`` (individuals, all of the model), ``reward``, ``regret``."""
    with np.load(_generation_path(Path(folder), generation), allow_pickle=False) as file:
        return dict(file)


def kept_generations(folder: str | Path, last: int) -> list[int]:
    """The generations up to the last one that were written; who saves only at the end has no others."""
    return [i for i in range(1, last + 1) if _generation_path(Path(folder), i).is_file()]


def identity(settings: Mapping[str, Any]) -> str:
    """What two searches that are the same share: settings, as plain values, but for the generations."""
    return json.dumps({**settings, "generations": 0}, sort_keys=True)


def _generation_path(folder: Path, generation: int) -> Path:
    return folder / GENERATIONS / f"{generation:04d}.npz"


def _read_meta(path: Path) -> dict[str, Any]:
    """All that is not arrays in a checkpoint."""
    try:
        with np.load(path, allow_pickle=False) as file:
            meta = dict(json.loads(str(file["meta"])))
    except Exception:  # whatever numpy, zip and JSON say of a file that is something else
        raise ValueError(f"{path} is not a checkpoint of a search") from None
    if (meta.get("format"), meta.get("version")) != (FORMAT, VERSION):
        raise ValueError(f"{path} was written by another release, which this one cannot go on with: begin anew")
    return meta


def _generation(saved: Checkpoint, parameters: Sequence[NSAParameters]) -> dict[str, np.ndarray]:
    reward, fitness = saved.state["population_scores"].T
    names = saved.settings.model.declared
    return {
        "genes": saved.state["population_genes"],
        "parameters": np.array([[getattr(each, name) for name in names] for each in parameters], dtype=float),
        "reward": reward,
        "regret": -fitness,
    }


def _as_csv(logbook: Sequence[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(logbook)
    return text.getvalue()
