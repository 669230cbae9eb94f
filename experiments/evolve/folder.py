"""The folder of ``nsa evolve``: the search's own files, the options it was begun with, its champion."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from evolution import Champion, Search, checkpoint
from experiments.core.files import write_text
from experiments.core.options import some
from experiments.evolve.settings import EvolutionSettings
from nsa_brian import ParameterSet
from nsa_brian.model.model import PAPER

BEST = "best.json"

#: Options that a search itself does not know: it has the model and the start, not what they are called.
NAMED = ("model", "start")


@dataclass(frozen=True)
class Begun:
    """A search as it was left, with the options that it was begun with."""

    settings: EvolutionSettings
    versions: dict[str, str]
    search: Search


def is_there(folder: Path) -> bool:
    """Whether a folder has a search."""
    return (folder / checkpoint.CHECKPOINT).exists()


def save(folder: Path, settings: EvolutionSettings, search: Search) -> None:
    """Write what there is of a search, and what its options called the model and the start."""
    search.save(folder, extra={"options": some(settings, *NAMED)})


def load(folder: str | Path, generations: int | None = None) -> Begun:
    """Read a search, perhaps for another number of generations; a ValueError if there is none."""
    saved = checkpoint.read(folder)
    search = Search.from_checkpoint(saved, generations=generations)
    settings = EvolutionSettings.of(search.settings)
    options = saved.extra.get("options", {})  # none if it was saved from Python
    if not isinstance(options, dict) or not all(isinstance(name, str) for name in options.values()):
        raise ValueError(f"{Path(folder) / checkpoint.CHECKPOINT}: its options are not what we write")
    settings = dataclasses.replace(settings, **{name: options[name] for name in NAMED if name in options})
    return Begun(settings, saved.versions, search)


def save_champion(folder: Path, settings: EvolutionSettings, search: Search, champion: Champion) -> ParameterSet:
    """Write the champion as a parameter set with its provenance and, if it is not the paper's, its model."""
    games = f"{', '.join(settings.envs)} with {', '.join(map(str, settings.arms))} arms"
    found, model = champion.report["champion"], search.settings.model
    own = "" if model == PAPER else f"model {model.name}, "
    best = ParameterSet(
        champion.parameters,
        name=folder.resolve().name,
        source=f"nsa evolve: {own}CMA-ES, {settings.population} individuals, {search.generation} generations, {games}, "
        f"{settings.trials} x {settings.rounds} rounds, {settings.iterations} iterations, seed {settings.seed}",
        note=f"Champion ({champion.origin}) by games held out from the search; on further games of the same kind: "
        f"reward {found['reward']:.4f}, regret {found['regret']:.4f}. Highest fitness in the search: "
        f"{champion.training:.4f}.",
        model=None if model == PAPER else model,
    )
    write_text(folder / BEST, best.to_json())
    return best
