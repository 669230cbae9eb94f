"""The folder of a search: its checkpoint, its logbook, every generation, its champion. Each file whole or not there."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from evolution import Champion, Search
from experiments.evolution_settings import EvolutionSettings
from experiments.files import write_atomically
from experiments.settings import versions
from nsa_brian import PARAMETERS, NSAParameters, ParameterSet

CHECKPOINT, LOGBOOK, BEST = "checkpoint.npz", "logbook.csv", "best.json"


@dataclasses.dataclass(frozen=True)
class Checkpoint:
    """A search as it was written, with what made it."""

    settings: EvolutionSettings
    versions: dict[str, str]
    search: Search


def save(folder: Path, settings: EvolutionSettings, search: Search) -> None:
    """Write the last generation, then the checkpoint, which alone says how far the search is, then the logbook."""
    if search.generation:
        (folder / "generations").mkdir(exist_ok=True)
        path = folder / "generations" / f"{search.generation:04d}.npz"
        write_atomically(path, lambda file: np.savez(file, **_generation(search)))  # type: ignore[arg-type]
    state = search.state()
    arrays = {name: value for name, value in state.items() if isinstance(value, np.ndarray)}
    start = search.settings.start
    meta = {
        "settings": dataclasses.asdict(settings),
        "start": None if start is None else start.to_dict(),  # the file that was named may change
        "versions": versions(),
        **{name: value for name, value in state.items() if name not in arrays},
    }
    write_atomically(
        folder / CHECKPOINT,
        lambda file: np.savez(file, meta=np.array(json.dumps(meta)), **arrays),  # type: ignore[arg-type]
    )
    write_atomically(folder / LOGBOOK, lambda file: file.write(_logbook(search).encode()))


def load(folder: str | Path, generations: int | None = None) -> Checkpoint:
    """Read a checkpoint, perhaps for another number of generations; a ValueError if there is none."""
    path = Path(folder) / CHECKPOINT
    if not path.is_file():
        raise ValueError(f"{folder} is not the folder of a search: it has no {CHECKPOINT}")
    try:
        with np.load(path, allow_pickle=False) as file:
            state: dict[str, Any] = dict(file)
        meta = json.loads(str(state.pop("meta")))
        plain: dict[str, Any] = {
            name: tuple(v) if isinstance(v, list) else v for name, v in meta.pop("settings").items()
        }
        settings = EvolutionSettings(**plain)
        start = meta.pop("start")
    except Exception:  # whatever numpy, zip and JSON say of a file that is something else
        raise ValueError(f"{path} is not a checkpoint of a search") from None
    if generations is not None:
        settings = dataclasses.replace(settings, generations=generations)
    made_with = meta.pop("versions")
    search = settings.search(None if start is None else NSAParameters.from_dict(start))
    return Checkpoint(settings, made_with, Search.from_state(search, {**state, **meta}))


def read_generation(folder: str | Path, generation: int) -> dict[str, np.ndarray]:
    """A generation, best first: ``genes``, ``parameters`` (individuals, 22), ``reward`` and ``regret``."""
    with np.load(Path(folder) / "generations" / f"{generation:04d}.npz", allow_pickle=False) as file:
        return dict(file)


def save_champion(folder: Path, settings: EvolutionSettings, search: Search, champion: Champion) -> ParameterSet:
    """Write the champion as a parameter set with its provenance."""
    games = f"{', '.join(settings.envs)} with {', '.join(map(str, settings.arms))} arms"
    found = champion.report["champion"]
    best = ParameterSet(
        champion.parameters,
        name=folder.resolve().name,
        source=f"nsa evolve: CMA-ES, {settings.population} individuals, {search.generation} generations, {games}, "
        f"{settings.trials} x {settings.rounds} rounds, {settings.iterations} iterations, seed {settings.seed}",
        note=f"Champion ({champion.origin}) by games held out from the search; on further games of the same kind: "
        f"reward {found['reward']:.4f}, regret {found['regret']:.4f}. Highest fitness in the search: "
        f"{champion.training:.4f}.",
    )
    write_atomically(folder / BEST, lambda file: file.write(best.to_json().encode()))
    return best


def _generation(search: Search) -> dict[str, np.ndarray]:
    decoded = [search.genome.decode(individual) for individual in search.population]
    return {
        "genes": np.array(search.population),
        "parameters": np.array([[getattr(p, name) for name in PARAMETERS] for p in decoded], dtype=float),
        "reward": np.array([individual.reward for individual in search.population]),
        "regret": -np.array([individual.fitness.values[0] for individual in search.population]),
    }


def _logbook(search: Search) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, search.logbook.header, lineterminator="\n")
    writer.writeheader()
    writer.writerows(search.logbook)
    return text.getvalue()
