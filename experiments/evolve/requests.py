"""What ``nsa evolve`` is asked for: a new search, one to resume, or one to reproduce."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evolution import AnySearch
from evolution.checkpoint import CHECKPOINT, identity, search_id, versions
from evolution.settings import SearchSettings, StagedSettings
from evolution.staged import has_search, new_search
from experiments.core.named import once
from experiments.core.options import show
from experiments.core.outside import note
from experiments.evolve import folder as folders
from experiments.evolve.folder import SavedSearch
from experiments.evolve.options import (
    OPTIONS,
    Settings,
    Sources,
    from_plain,
    make_settings,
    new_settings,
    options_of,
    read_given,
    read_inputs,
    to_plain,
)
from nsa_brian import load
from nsa_brian.model.loading import load_model
from nsa_brian.parameter_set import model_names, names


@dataclass(frozen=True)
class SearchRequest:
    """A search that was asked for.

    Attributes
    ----------
    folder : Path
    given : dict
        Values of options by name: all of a new search, some of one to resume.
    settings, sources : optional
        Of a new search.
    """

    folder: Path
    given: dict[str, Any]
    settings: Settings | None = None
    sources: Sources | None = None

    def open(self) -> tuple[AnySearch, Sources]:
        """Return the folder's search or, if it has none, a new one; the caller must hold the folder's lock."""
        if self.settings is None or self.sources is None or has_search(self.folder):
            search, sources = _resume(self.folder, self.given, self.settings)
        else:
            search, sources = new_search(self.settings), self.sources
        search.extra = folders.extra_of(search.settings, sources)
        return search, sources


def read_request(args: argparse.Namespace) -> SearchRequest:
    """Return what the command line asks for."""
    if args.resume is not None:
        return _resumed(args)
    if args.reproduce is not None:
        return _reproduced(args)
    return _new("evolution", args, *new_settings(args.preset, read_given(args)))


def _new(kind: str, args: argparse.Namespace, settings: Settings, sources: Sources) -> SearchRequest:
    """Return a new search, in the folder that was named or in one named by its settings and input files."""
    inputs = folders.inputs_of(settings, sources)
    known = settings.to_dict() | ({"inputs": inputs} if inputs else {})
    folder = Path(args.out or f"nsa-results/{kind}-{search_id(known)}")
    return SearchRequest(folder, options_of(settings, sources), settings, sources)


def _reproduced(args: argparse.Namespace) -> SearchRequest:
    """Return the search that found a parameter set, to be run from its start."""
    if args.preset is not None or read_given(args):
        raise ValueError("--reproduce takes all settings from the set; options of the search are for a new one")
    chosen = once(load, args.reproduce)
    if chosen.evolve is None:
        shipped = ", ".join(name for name in (*names(), *model_names()) if load(name).evolve is not None)
        raise ValueError(
            f"parameter set {chosen.name} does not say which search found it; shipped sets that do: {shipped}"
        )
    try:
        settings, sources = from_record(chosen.evolve, "" if chosen.model is None else args.reproduce)
    except (TypeError, AttributeError):
        raise ValueError(f"parameter set {chosen.name}: 'evolve' has other settings than nsa evolve") from None
    request = _new("reproduced", args, settings, sources)
    if request.folder.resolve() == Path(args.reproduce).resolve().parent:
        raise ValueError(f"{args.reproduce} lies in {request.folder}: run its search again in another folder (--out)")
    return request


def from_record(record: Mapping[str, Any], model: str = "") -> tuple[Settings, Sources]:
    """Return the settings that ``evolve`` of a parameter set describes, with the model of another file if named."""
    if not set(record) <= set(OPTIONS):
        raise TypeError("unknown options")
    values = from_plain({name: tuple(value) if isinstance(value, list) else value for name, value in record.items()})
    values |= {"model": model} if model else {}
    kind = SearchSettings if values.get("look") is None else StagedSettings
    sources = Sources(values.get("model", ""), values.get("start", ""), values.get("input", ()))
    return make_settings(kind, values), sources


def _resumed(args: argparse.Namespace) -> SearchRequest:
    """Return the search of a folder."""
    if not args.resume:
        raise ValueError("--resume needs a value")
    folder = Path(args.resume)
    if args.preset is not None:
        raise ValueError(f"--resume uses the settings of {folder}; --preset is for a new search")
    if not has_search(folder):
        raise ValueError(f"{folder} is not the folder of a search: it has no {CHECKPOINT}")
    return SearchRequest(folder, read_given(args))


def _resume(folder: Path, given: Mapping[str, Any], wanted: Settings | None) -> tuple[AnySearch, Sources]:
    """Load a folder's search, and check that it is the one asked for, by some options or in full."""
    generations = given.get("generations")
    saved = folders.load(folder, generations)
    search, settings = saved.search, saved.search.settings
    known = options_of(settings, saved.sources)
    may = "nothing" if known["look"] is not None else "only --generations"
    for name, value in given.items():
        if not _agrees(name, value, saved, known, wanted):
            has, asked = (_shown(name, each) for each in (known[name], value))
            differs = f"{has}, not {asked}" if has != asked else f"{has}, which has changed since the search began"
            raise ValueError(
                f"the search in {folder} has --{name} {differs}; {may} may differ (--out starts a new search)"
            )
    sources = replace(saved.sources, input=given.get("input", saved.sources.input))
    folders.check_inputs(folder, saved.inputs, folders.inputs_of(settings, sources))
    if wanted is not None and identity(wanted.to_dict()) != identity(settings.to_dict()):
        raise ValueError(f"the search in {folder} is another one (--out starts a new search)")
    if generations is not None and generations < search.generation:
        raise ValueError(f"the search in {folder} is at generation {search.generation} already")
    if search.versions != versions():
        note(f"{folder} was begun with {search.versions}, and resumes with {versions()}")
    return search, sources


def _agrees(name: str, value: Any, saved: SavedSearch, known: Mapping[str, Any], wanted: Settings | None) -> bool:
    """Return whether an option has the value of the search; files are compared by content, not by name."""
    search, settings = saved.search, saved.search.settings
    if name == "model":
        return (once(load_model, value) if wanted is None else wanted.model) == settings.model
    if name == "start" and known["look"] is None:
        asked = None if not value else settings.model.complete(once(load, value).parameters)
        return asked == search.start
    if name == "search":
        return not value or set(value) == {gene.name for gene in settings.genome.genes}
    if name == "input":
        now = read_inputs(value, settings.model, settings.games.arms)
        same = {key: table.tolist() for key, table in now.items()} == settings.games.inputs
        return value == saved.sources.input or same
    return bool(value == known[name])


def _shown(name: str, value: Any) -> str:
    text = to_plain({name: value}).get(name, value)
    return "none" if text is None else show(text) or "none"
