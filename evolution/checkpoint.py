"""The folder of a search: its checkpoint, its logbook, every generation. Each file whole or not there."""

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
from evolution.state import COLUMNS, check_state
from nsa_brian.common.archive import ArchiveFormat
from nsa_brian.common.atomic import write_atomically
from nsa_brian.parameters import NSAParameters

CHECKPOINT, LOGBOOK, GENERATIONS = "checkpoint.npz", "logbook.csv", "generations"

SEARCH = ArchiveFormat("nsa-search", 4, "a checkpoint of a search")
GENERATION = ArchiveFormat("nsa-generation", 1, "a generation of a search")


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
    if path.exists() and identity(SEARCH.read_meta(path, "settings")["settings"]) != identity(settings):
        raise ValueError(f"{folder} holds another search: save to a folder of its own")
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
    write_atomically(folder / LOGBOOK, lambda file: file.write(_as_csv(state["logbook"]).encode()))


def read(folder: str | Path) -> Checkpoint:
    """What a folder's checkpoint holds; a ValueError if there is none, or none that can be read here."""
    path = Path(folder) / CHECKPOINT
    if not path.is_file():
        raise ValueError(f"{folder} is not the folder of a search: it has no {CHECKPOINT}")
    meta, arrays = SEARCH.read(path, "settings", "fitness", "extra", "versions", "state")
    try:
        settings, state = SearchSettings.from_dict(meta["settings"]), {**arrays, **meta["state"]}
        check_state(state, settings.genome.size)
        for name, kind in (("fitness", str), ("extra", dict), ("versions", dict)):
            if not isinstance(meta[name], kind):
                raise ValueError(f"{name} is not what we write")
        return Checkpoint(settings, state, meta["fitness"], meta["extra"], meta["versions"])
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    except (TypeError, KeyError, AttributeError):  # settings that are no settings
        raise ValueError(f"{path} is not {SEARCH.called}") from None


def read_generation(folder: str | Path, generation: int) -> dict[str, np.ndarray]:
    """A generation, best first: ``genes``, ``parameters`` (individuals, all of the model), ``reward``, ``regret``.

    A ValueError if the file is damaged, or if it is another search's or another generation's.
    """
    path = _generation_path(Path(folder), generation)
    of_whom, arrays = GENERATION.read(path, "search", "generation")
    settings = SEARCH.read_meta(Path(folder) / CHECKPOINT, "settings")["settings"]
    if (of_whom["search"], of_whom["generation"]) != (search_id(settings), generation):
        raise ValueError(f"{path} is of another search or generation")
    for name, n_axes in (("genes", 2), ("parameters", 2), ("reward", 1), ("regret", 1)):
        array = arrays.get(name)
        if array is None or array.ndim != n_axes or array.dtype.kind != "f" or len(array) != len(arrays["genes"]):
            raise ValueError(f"{path} is not {GENERATION.called}: it lacks {name}, or has something else there")
    return arrays


def kept_generations(folder: str | Path, last: int) -> list[int]:
    """The generations up to the last one that were written; who saves only at the end has no others."""
    return [i for i in range(1, last + 1) if _generation_path(Path(folder), i).is_file()]


def identity(settings: Mapping[str, Any]) -> str:
    """What two searches that are the same share: settings, as plain values, but for the generations."""
    return json.dumps({**settings, "generations": 0}, sort_keys=True)


def search_id(settings: Mapping[str, Any]) -> str:
    """A short name that differs when the settings or what the model says do, but for the generations."""
    return hashlib.sha256(identity(settings).encode()).hexdigest()[:8]


def _generation_path(folder: Path, generation: int) -> Path:
    return folder / GENERATIONS / f"{generation:04d}.npz"


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
