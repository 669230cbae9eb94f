"""The folder of ``nsa evolve``: the search's files, the names of its options' files, its champion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evolution import AnySearch, Champion
from evolution.staged import load_search
from experiments.core.files import write_text
from experiments.core.inputs import file_digests
from experiments.core.model_inputs import digests_of, files_of
from experiments.core.outside import note
from experiments.evolve.options import UNNAMED_START, Settings, Sources, options_of, to_plain
from experiments.evolve.running import unused_text
from nsa_brian import ParameterSet
from nsa_brian.model.model import PAPER
from nsa_brian.model.timing import described
from nsa_brian.plugins import plugin_digests

BEST = "best.json"


@dataclass(frozen=True)
class SavedSearch:
    """A search read from its folder, with the names of the files it was started with.

    ``inputs`` has the digests of input files; None for a search that was saved from Python or by release 0.2.
    """

    search: AnySearch
    sources: Sources
    inputs: dict[str, str] | None


def extra_of(settings: Settings, sources: Sources) -> dict[str, Any]:
    """Return what is saved with a search: the names of its files, and their digests."""
    named = {"model": sources.model, "start": sources.start, **({"input": sources.input} if sources.input else {})}
    return {"options": named, "inputs": inputs_of(settings, sources)}


def inputs_of(settings: Settings, sources: Sources) -> dict[str, str]:
    """Return the digests of a search's input files by path: plugins, files of bandit presets, values of inputs."""
    found = plugin_digests()
    for env in settings.games.envs:
        name, _, preset = env.partition(":")
        found |= file_digests(name, {"preset": preset})
    return found | digests_of(files_of(sources.input))


def check_inputs(folder: Path, saved: Mapping[str, str] | None, now: Mapping[str, str]) -> None:
    """Raise an error that names the file if the input files have changed since the search was started."""
    if saved is None:
        if now:
            note(f"{folder} does not record the input files of its search; {', '.join(now)} may have changed since")
        return
    if list(saved.values()) == list(now.values()):
        return
    remedy = "--out starts a new search"
    for path in saved:
        if path not in now:
            raise ValueError(f"the search in {folder} began with {path}: give --plugin {path} ({remedy})")
        if saved[path] != now[path]:
            raise ValueError(f"{path} has changed since the search in {folder} began: restore it ({remedy})")
    other = next((path for path in now if path not in saved), "plugins in another order")
    raise ValueError(f"the search in {folder} began without {other} ({remedy})")


def load(folder: str | Path, generations: int | None = None, read_only: bool = False) -> SavedSearch:
    """Read a search, a single run perhaps with a new number of generations; a ValueError if there is none."""
    folder = Path(folder)
    search = load_search(folder, generations, read_only)
    options, inputs = search.extra.get("options", {}), search.extra.get("inputs")
    if not isinstance(options, dict) or not all(map(_is_option, options.items())):
        raise ValueError(f"{folder}: the search's saved options have the wrong type")
    if inputs is not None and not (isinstance(inputs, dict) and all(isinstance(d, str) for d in inputs.values())):
        raise ValueError(f"{folder}: the search's saved inputs have the wrong type")
    unnamed = Sources.of(search.settings)  # saved from Python
    model, start = (options.get(name, getattr(unnamed, name)) for name in ("model", "start"))
    return SavedSearch(search, Sources(model, start, tuple(options.get("input", ()))), inputs)


def _is_option(item: tuple[str, object]) -> bool:
    name, value = item
    if name != "input":
        return isinstance(value, str)
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def save_champion(folder: Path, sources: Sources, search: AnySearch, champion: Champion) -> ParameterSet:
    """Write the champion as a parameter set with its provenance and, if it is not the paper's, its model."""
    found, settings = champion.report["champion"], search.settings
    best = ParameterSet(
        champion.parameters,
        name=folder.resolve().name,
        source=f"nsa evolve: {_source(sources, search)}",
        note=f"Champion ({champion.origin}) on games held out from the search; on further games of the same kind: "
        f"reward {found['reward']:.4f}, regret {found['regret']:.4f}."
        + ("" if champion.training is None else f" Highest fitness in the search: {champion.training:.4f}.")
        + (f" Parameters {unused_text(search)}." if search.genome.unused else ""),
        model=None if settings.model == PAPER else settings.model,
        evolve=to_plain(options_of(settings, sources)) if _is_reproducible(sources, search) else None,
    )
    write_text(folder / BEST, best.to_json())
    return best


def _is_reproducible(sources: Sources, search: AnySearch) -> bool:
    """Return whether the options give the same search: one that is finished and has no setting from Python only."""
    games = search.settings.games
    named = games.tolerance is None and bool(games.inputs) == bool(sources.input)
    return bool(search.stop) and sources.start != UNNAMED_START and named


def describe(sources: Sources, search: AnySearch) -> str:
    """Return how the parameters were searched, in words."""
    settings = search.settings
    start = f", from {sources.start}" if sources.start else ""
    robust = f", genes perturbed by {100 * settings.inexact:g}% of their ranges" if settings.inexact else ""
    required = f", required: {'; '.join(settings.require)}" if settings.require else ""
    return f"{search.description}{start}{robust}{required}"


def _source(sources: Sources, search: AnySearch) -> str:
    settings, games = search.settings, search.settings.games
    model = "" if settings.model == PAPER else f"model {settings.model.name}, "
    played = f"{', '.join(games.envs)} with {', '.join(map(str, games.arms))} arms"
    played = f"{played}, {games.trials} x {games.rounds} rounds"
    stopped = "" if search.stop else f", stopped after {search.progress.so_far}"
    integrated = described(games.dt, games.method, games.precision)
    return f"{model}{describe(sources, search)}; {played}{integrated}{stopped}, seed {settings.seed}"
