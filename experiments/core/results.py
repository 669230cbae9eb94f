"""Results files: one a run, with all that made it, written atomically."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.core.files import write_atomically
from experiments.core.game import Record
from experiments.core.settings import PlaySettings


@dataclass(frozen=True)
class PlayResults:
    """The records of all agents, repetitions x rounds, with settings and versions."""

    settings: PlaySettings
    versions: dict[str, str]
    records: dict[str, Record]


_BANDIT = ("best_arm", "best", "chance")  # the same for all agents, and so stored once


def save(results: PlayResults, path: Path) -> None:
    """Write results to an .npz file."""
    meta = {"settings": dataclasses.asdict(results.settings), "versions": results.versions}
    arrays: dict[str, Any] = {"meta": np.array(json.dumps(meta))}
    for agent, record in results.records.items():
        for name, array in vars(record).items():
            arrays[name if name in _BANDIT else f"{agent}/{name}"] = array
    write_atomically(path, lambda file: np.savez_compressed(file, **arrays))


def load(path: str | Path) -> PlayResults:
    """Read a results file of ``nsa play``."""
    with np.load(path, allow_pickle=False) as file:
        meta = json.loads(str(file["meta"]))
        settings = PlaySettings.from_dict(meta["settings"])
        bandit = {name: file[name] for name in _BANDIT}
        own = [field.name for field in dataclasses.fields(Record) if field.name not in _BANDIT]
        records = {agent: Record(**{n: file[f"{agent}/{n}"] for n in own}, **bandit) for agent in settings.agents}
    return PlayResults(settings, meta["versions"], records)
