"""How a search begins: from options, or from the folder of one that was stopped."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evolution.checkpoint import CHECKPOINT, identity, search_id, versions
from evolution.search import Search
from evolution.settings import SearchSettings
from evolution.staged import AnySearch, StagedSearch
from evolution.staged_settings import StagedSettings
from experiments.core.named import once
from experiments.core.options import chosen_preset, read_given, show
from experiments.core.outside import note
from experiments.evolve import folder as folders
from experiments.evolve.folder import Begun
from experiments.evolve.settings import (
    PRESETS,
    EvolutionSettings,
    assigned,
    assignments,
    check_kind,
    preset_for,
    read_inputs,
)
from nsa_brian import load
from nsa_brian.model.loading import load_model
from nsa_brian.model.model import PAPER
from nsa_brian.parameter_set import names


@dataclass(frozen=True)
class Asked:
    """A search that was asked for.

    Attributes
    ----------
    folder : Path
    given : dict
        Options by name: all of a new search, some of one that is to go on.
    settings, wanted : EvolutionSettings and settings of a search, optional
        Of a new search.
    """

    folder: Path
    given: dict[str, Any]
    settings: EvolutionSettings | None = None
    wanted: SearchSettings | StagedSettings | None = None

    def search(self) -> tuple[EvolutionSettings, AnySearch]:
        """The folder's search or, if it has none, a new one; to be asked for when nobody else writes there."""
        if self.settings is None or self.wanted is None or folders.is_there(self.folder):
            return _load(self.folder, self.given, self.wanted)
        if isinstance(self.wanted, StagedSettings):
            return self.settings, StagedSearch(self.wanted)
        return self.settings, Search(self.wanted)


def begun(args: argparse.Namespace) -> Asked:
    """A new search, or the same one if its folder is there."""
    settings, wanted = _settings(args)
    return Asked(_folder(args, "evolution", settings, wanted), settings.to_dict(), settings, wanted)


def reproduced(args: argparse.Namespace) -> Asked:
    """The search that found a parameter set, from its beginning."""
    if args.preset is not None or read_given(EvolutionSettings, args):
        raise ValueError("--reproduce takes all settings from the set; options of the search are for a new one")
    chosen = once(load, args.reproduce)
    if chosen.evolve is None:
        shipped = ", ".join(name for name in names() if load(name).evolve is not None)
        raise ValueError(
            f"parameter set {chosen.name} does not say which search found it; shipped sets that do: {shipped}"
        )
    try:
        lists = {name: tuple(value) for name, value in chosen.evolve.items() if isinstance(value, list)}
        model = {} if chosen.model is None else {"model": args.reproduce}  # the set brings it, wherever its file is now
        settings = EvolutionSettings(**{**chosen.evolve, **lists, **model})
    except TypeError:
        raise ValueError(f"parameter set {chosen.name}: 'evolve' has other settings than nsa evolve") from None
    wanted = settings.search()
    folder = _folder(args, "reproduced", settings, wanted)
    if folder.resolve() == Path(args.reproduce).resolve().parent:
        raise ValueError(f"{args.reproduce} lies in {folder}: run its search again in another folder (--out)")
    return Asked(folder, settings.to_dict(), settings, wanted)


def resumed(args: argparse.Namespace) -> Asked:
    """The search of a folder."""
    if not args.resume:
        raise ValueError("--resume names nothing")
    folder = Path(args.resume)
    if args.preset is not None:
        raise ValueError(f"--resume goes on with the settings of {folder}; --preset is for a new search")
    if not folders.is_there(folder):
        raise ValueError(f"{folder} is not the folder of a search: it has no {CHECKPOINT}")
    return Asked(folder, read_given(EvolutionSettings, args))


def _folder(
    args: argparse.Namespace, kind: str, settings: EvolutionSettings, wanted: SearchSettings | StagedSettings
) -> Path:
    """The folder that was named, or one that this search with these input files alone has."""
    inputs = folders.inputs_of(settings)
    known = wanted.to_dict() | ({"inputs": inputs} if inputs else {})
    return Path(args.out or f"nsa-results/{kind}-{search_id(known)}")


def _settings(args: argparse.Namespace) -> tuple[EvolutionSettings, SearchSettings | StagedSettings]:
    """What was asked for, as options that leave nothing open, and in the words of the search."""
    given = read_given(EvolutionSettings, args)
    name = preset_for(given, given.get("model", "")) if args.preset is None else args.preset
    preset = chosen_preset(PRESETS, name)
    check_kind(preset, given)
    if "fix" in given:  # beside what the preset fixes, and before it
        fixed = {**assignments(preset.fix), **assignments(given["fix"])}
        given["fix"] = assigned(fixed)
    settings = dataclasses.replace(preset, **given)
    search = settings.search()  # refuses what the search, a bandit, the model or the genome refuses
    model = settings.model or ("paper" if search.model == PAPER else settings.start)
    return dataclasses.replace(settings, model=model, engine=search.games.played_by), search


def _load(
    folder: Path, given: dict[str, Any], wanted: SearchSettings | StagedSettings | None = None
) -> tuple[EvolutionSettings, AnySearch]:
    """A folder's search, if it is what was asked for: by some options, or in full."""
    found = folders.load(folder, given.get("generations"))
    may = "nothing" if found.settings.in_stages else "only --generations"
    for name, value in given.items():
        if not _agrees(name, value, found, wanted):
            kept, asked = (_shown(v) for v in (getattr(found.settings, name), value))
            differs = f"{kept}, not {asked}" if kept != asked else f"{kept} as it was, and it has changed"
            raise ValueError(
                f"the search in {folder} has --{name} {differs}; {may} may differ (--out starts a new search)"
            )
    named = dataclasses.replace(found.settings, input=given.get("input", found.settings.input))
    folders.check_inputs(folder, found.inputs, folders.inputs_of(named))
    settings = found.search.settings
    if wanted is not None and identity(wanted.to_dict()) != identity(settings.to_dict()):
        raise ValueError(f"the search in {folder} is another one (--out starts a new search)")
    if isinstance(settings, SearchSettings) and settings.generations < found.search.generation:
        raise ValueError(f"the search in {folder} is at generation {found.search.generation} already")
    if found.versions != versions():
        note(f"{folder} was begun with {found.versions}, goes on with {versions()}")
    return named, found.search


def _agrees(name: str, value: Any, found: Begun, wanted: SearchSettings | StagedSettings | None) -> bool:
    """Whether an option asks for what the search has; files count by what they say, not by their names."""
    search = found.search.settings
    if name == "model":
        return (once(load_model, value) if wanted is None else wanted.model) == search.model
    if name == "start" and isinstance(search, SearchSettings):
        if isinstance(wanted, SearchSettings):
            return wanted.start == search.start
        return search.model.complete(once(load, value).parameters) == search.start
    if name == "input":
        now = read_inputs(value, search.model, search.games.arms)
        return value == found.settings.input or _plain(now) == search.games.inputs
    if name == "fix":
        return assignments(value) == search.fixed
    return value == getattr(found.settings, name)


def _plain(tables: Mapping[str, np.ndarray]) -> dict[str, Any]:
    return {name: table.tolist() for name, table in tables.items()}


def _shown(value: Any) -> str:
    return "none" if value is None else show(value) or "none"
