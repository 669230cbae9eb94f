"""Files of a single run: its checkpoint, its logbook and every generation, written atomically."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from evolution.settings import SearchSettings
from evolution.state import check_state, columns_of
from nsa_brian.common.archive import ArchiveFormat
from nsa_brian.common.atomic import write_atomically
from nsa_brian.parameters import NSAParameters

CHECKPOINT, LOGBOOK, GENERATIONS = "checkpoint.npz", "logbook.csv", "generations"

SEARCH = ArchiveFormat("nsa-search", 4, "a checkpoint of a search")
GENERATION = ArchiveFormat("nsa-generation", 1, "a generation of a search")


@dataclass(frozen=True)
class Checkpoint:
    """A saved search.

    Attributes
    ----------
    settings : SearchSettings
        Including the model.
    state : dict
        See :meth:`evolution.search.Search.state`.
    fitness : str
        The name of the custom fitness; empty if there is none.
    extra : dict
        Plain values that were saved with the search.
    versions : dict
        Versions of the packages that saved it.
    """

    settings: SearchSettings
    state: Mapping[str, Any]
    fitness: str
    extra: dict[str, Any]
    versions: dict[str, str]


def versions() -> dict[str, str]:
    """Return the versions of the packages that a search's outcome may depend on."""
    return {name: metadata.version(name) for name in ("nsa-brian", "brian2", "numpy", "deap")}


def write(folder: Path, saved: Checkpoint, parameters: Sequence[NSAParameters]) -> None:
    """Write the last generation, then the checkpoint, which defines how far the search is, then the logbook.

    Parameters
    ----------
    folder : Path
        Created if it does not exist; an error if it holds another search.
    saved : Checkpoint
    parameters : sequence of NSAParameters
        Of the last generation.
    """
    settings, state = saved.settings.to_dict(), saved.state
    path = folder / CHECKPOINT
    if path.exists() and identity(SEARCH.read_meta(path, "settings")["settings"]) != identity(settings):
        raise ValueError(f"{folder} holds another search: save to another folder")
    folder.mkdir(parents=True, exist_ok=True)
    number = state["generation"]
    if number:
        (folder / GENERATIONS).mkdir(exist_ok=True)
        of_whom = {"search": search_id(settings), "generation": number}
        GENERATION.write(_generation_path(folder, number), of_whom, _generation(saved, parameters))
    arrays = {name: value for name, value in state.items() if isinstance(value, np.ndarray)}
    meta = {
        "settings": settings,
        "fitness": saved.fitness,
        "extra": saved.extra,
        "versions": saved.versions,
        "state": {name: value for name, value in state.items() if name not in arrays},
    }
    SEARCH.write(path, meta, arrays)
    table = _as_csv(state["logbook"], columns_of(saved.settings, saved.fitness))
    write_atomically(folder / LOGBOOK, lambda file: file.write(table.encode()))


def read(folder: str | Path) -> Checkpoint:
    """Read the checkpoint of a folder; a ValueError if there is none or it cannot be read."""
    path = Path(folder) / CHECKPOINT
    if not path.is_file():
        raise ValueError(f"{folder} is not the folder of a search: it has no {CHECKPOINT}")
    meta, arrays = SEARCH.read(path, "settings", "fitness", "extra", "versions", "state")
    try:
        settings, state = SearchSettings.from_dict(meta["settings"]), {**arrays, **meta["state"]}
        columns = columns_of(settings, meta["fitness"])
        if meta["fitness"]:  # earlier releases saved all columns
            state["logbook"] = [{name: record[name] for name in columns} for record in state["logbook"]]
        check_state(state, settings.genome.size, columns)
        for name, kind in (("fitness", str), ("extra", dict), ("versions", dict)):
            if not isinstance(meta[name], kind):
                raise ValueError(f"{name} has the wrong type")
        return Checkpoint(settings, state, meta["fitness"], meta["extra"], meta["versions"])
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    except (TypeError, KeyError, AttributeError):  # entries of the wrong type
        raise ValueError(f"{path} is not {SEARCH.called}") from None


def read_generation(folder: str | Path, generation: int) -> dict[str, np.ndarray]:
    """Read a generation, best first: ``genes``, ``parameters`` (individuals, all of the model), ``reward``, ``regret``.

    A ValueError if the file is damaged, or belongs to another search or generation.
    """
    path = _generation_path(Path(folder), generation)
    of_whom, arrays = GENERATION.read(path, "search", "generation")
    settings = SEARCH.read_meta(Path(folder) / CHECKPOINT, "settings")["settings"]
    if (of_whom["search"], of_whom["generation"]) != (search_id(settings), generation):
        raise ValueError(f"{path} belongs to another search or generation")
    for name, n_axes in (("genes", 2), ("parameters", 2), ("reward", 1), ("regret", 1)):
        array = arrays.get(name)
        if array is None or array.ndim != n_axes or array.dtype.kind != "f" or len(array) != len(arrays["genes"]):
            raise ValueError(f"{path} is not {GENERATION.called}: {name} is missing or has the wrong type")
    return arrays


def kept_generations(folder: str | Path, last: int) -> list[int]:
    """Return the saved generations up to the last one; a search that was saved only at its end has one."""
    return [i for i in range(1, last + 1) if _generation_path(Path(folder), i).is_file()]


def identity(settings: Mapping[str, Any]) -> str:
    """Return a text that is the same for equal settings; the number of generations does not count."""
    return json.dumps({**settings, "generations": 0}, sort_keys=True)


def search_id(settings: Mapping[str, Any]) -> str:
    """Return a short id of the settings, the model included; the number of generations does not count."""
    return hashlib.sha256(identity(settings).encode()).hexdigest()[:8]


def _generation_path(folder: Path, generation: int) -> Path:
    return folder / GENERATIONS / f"{generation:04d}.npz"


def _generation(saved: Checkpoint, parameters: Sequence[NSAParameters]) -> dict[str, np.ndarray]:
    names, n_genes, n = saved.settings.model.declared, saved.settings.genome.size, len(parameters)
    reward, fitness = saved.state["population_scores"].reshape(n, 2).T
    values = np.array([[getattr(each, name) for name in names] for each in parameters], dtype=float)
    return {
        "genes": saved.state["population_genes"].reshape(n, n_genes),
        "parameters": values.reshape(n, len(names)),
        "reward": reward,
        "regret": -fitness,
    }


def _as_csv(logbook: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(logbook)
    return text.getvalue()
