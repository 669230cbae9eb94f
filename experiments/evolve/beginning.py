"""How a search begins: from options, or from the folder of one that was stopped."""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import sys
from pathlib import Path
from typing import Any

from evolution.checkpoint import identity, versions
from evolution.search import Search
from evolution.settings import SearchSettings
from experiments.core.options import chosen_preset, read_given, show
from experiments.evolve import folder as folders
from experiments.evolve.folder import Begun
from experiments.evolve.settings import PRESETS, EvolutionSettings, assignments
from nsa_brian import load
from nsa_brian.model.loading import load_model
from nsa_brian.model.model import PAPER


def begun(args: argparse.Namespace) -> tuple[Path, EvolutionSettings, Search]:
    """A new search, or the same one if its folder is there."""
    settings, wanted = _settings(args)
    folder = Path(args.out or f"nsa-results/evolution-{search_id(wanted)}")
    if folders.is_there(folder):
        return folder, *_load(folder, dataclasses.asdict(settings), wanted)
    return folder, settings, Search(wanted)


def resumed(args: argparse.Namespace) -> tuple[Path, EvolutionSettings, Search]:
    """The search of a folder."""
    folder = Path(args.resume)
    if args.preset is not None:
        raise ValueError(f"--resume goes on with the settings of {folder}; --preset is for a new search")
    return folder, *_load(folder, read_given(EvolutionSettings, args))


def search_id(search: SearchSettings) -> str:
    """A short name that differs when the settings or what the model says do, but for the generations."""
    return hashlib.sha256(identity(search.to_dict()).encode()).hexdigest()[:8]


def _settings(args: argparse.Namespace) -> tuple[EvolutionSettings, SearchSettings]:
    """What was asked for, as options that leave nothing open, and in the words of the search."""
    preset = chosen_preset(PRESETS, "paper-main" if args.preset is None else args.preset)
    settings = dataclasses.replace(preset, **read_given(EvolutionSettings, args))
    search = settings.search()  # refuses what the search, a bandit, the model or the genome refuses
    model = settings.model or ("paper" if search.model == PAPER else settings.start)
    return dataclasses.replace(settings, model=model, engine=search.games.played_by), search


def _load(
    folder: Path, given: dict[str, Any], wanted: SearchSettings | None = None
) -> tuple[EvolutionSettings, Search]:
    """A folder's search, if it is what was asked for: by some options, or in full."""
    found = folders.load(folder, given.get("generations"))
    for name, value in given.items():
        if not _agrees(name, value, found, wanted):
            kept, asked = (show(v) or "none" for v in (getattr(found.settings, name), value))
            differs = f"{kept}, not {asked}" if kept != asked else f"{kept} as it was, and it has changed"
            raise ValueError(
                f"the search in {folder} has --{name} {differs}; "
                "only --generations may differ (--out starts a new search)"
            )
    if found.settings.generations < found.search.generation:
        raise ValueError(f"the search in {folder} is at generation {found.search.generation} already")
    if found.versions != versions():
        print(f"note: {folder} was begun with {found.versions}, goes on with {versions()}", file=sys.stderr)
    return found.settings, found.search


def _agrees(name: str, value: Any, found: Begun, wanted: SearchSettings | None) -> bool:
    """Whether an option asks for what the search has; files count by what they say, not by their names."""
    search = found.search.settings
    if name == "model":
        return (load_model(value) if wanted is None else wanted.model) == search.model
    if name == "start":
        return (search.model.complete(load(value).parameters) if wanted is None else wanted.start) == search.start
    if name == "fix":
        return assignments(value) == search.fixed
    return value == getattr(found.settings, name)
