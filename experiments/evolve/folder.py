"""The folder of ``nsa evolve``: the search's own files, the options it was begun with, its champion."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evolution import Champion, Search, StagedSearch, checkpoint, staged
from evolution.staged import AnySearch
from experiments.core.files import write_text
from experiments.core.inputs import file_digests
from experiments.core.model_inputs import digests_of, files_of
from experiments.core.options import some
from experiments.core.outside import note
from experiments.evolve.progress import so_far
from experiments.evolve.settings import OF_ITS_OWN, EvolutionSettings, inexactly, one_run
from nsa_brian import ParameterSet
from nsa_brian.model.model import PAPER
from nsa_brian.plugins import plugin_digests

BEST = "best.json"

#: Options that a search itself does not know: it has model, start and values of inputs, not what they are called.
NAMED = ("model", "start", "input")


@dataclass(frozen=True)
class Begun:
    """A search as it was left, with the options and the input files that it was begun with.

    ``inputs`` is None for a search that was saved from Python or by release 0.2, which do not say.
    """

    settings: EvolutionSettings
    versions: dict[str, str]
    search: AnySearch
    inputs: dict[str, str] | None


def in_stages(folder: Path) -> bool:
    """Whether a folder has a search in stages."""
    return (folder / staged.STAGES).exists()


def is_there(folder: Path) -> bool:
    """Whether a folder has a search."""
    return in_stages(folder) or (folder / checkpoint.CHECKPOINT).exists()


def save(folder: Path, settings: EvolutionSettings, search: AnySearch) -> None:
    """Write what there is of a search, what its options called model, start and inputs, and its input files."""
    options = {name: value for name, value in some(settings, *NAMED).items() if value or name != "input"}
    search.save(folder, extra={"options": options, "inputs": inputs_of(settings)})


def inputs_of(settings: EvolutionSettings) -> dict[str, str]:
    """The digests of a search's input files by their paths: plugins, files of bandits' presets, values of inputs."""
    found = plugin_digests()
    for env in settings.envs:
        name, _, preset = env.partition(":")
        found |= file_digests(name, {"preset": preset})
    return found | digests_of(files_of(settings.input))


def check_inputs(folder: Path, begun: Mapping[str, str] | None, now: Mapping[str, str]) -> None:
    """Refuse to continue a search with other input files than it was begun with; the message says which."""
    if begun is None:
        if now:
            note(f"{folder} does not say which input files it was begun with; {', '.join(now)} may have changed since")
        return
    if list(begun.values()) == list(now.values()):
        return
    remedy = "--out starts a new search"
    for path in begun:
        if path not in now:
            raise ValueError(f"the search in {folder} began with {path}: give --plugin {path} ({remedy})")
        if begun[path] != now[path]:
            raise ValueError(f"{path} has changed since the search in {folder} began: restore it ({remedy})")
    other = next((path for path in now if path not in begun), "plugins in another order")
    raise ValueError(f"the search in {folder} began without {other} ({remedy})")


def load(folder: str | Path, generations: int | None = None) -> Begun:
    """Read a search, of one run perhaps for another number of generations; a ValueError if there is none."""
    folder = Path(folder)
    search: AnySearch
    if in_stages(folder):
        search, (meta, _) = StagedSearch.load(folder), staged.read(folder)
        extra, versions, name = meta["extra"], meta["versions"], staged.STAGES
    else:
        saved = checkpoint.read(folder)
        search = Search.from_checkpoint(saved, generations=generations)
        extra, versions, name = saved.extra, saved.versions, checkpoint.CHECKPOINT
    settings = EvolutionSettings.of(search.settings)
    options = extra.get("options", {})  # none if it was saved from Python
    if not isinstance(options, dict) or not all(map(_is_option, options.items())):
        raise ValueError(f"{folder / name}: its options are not what we write")
    given = {name: options[name] for name in NAMED if name in options}
    settings = dataclasses.replace(settings, **{**given, "input": tuple(options.get("input", ()))})
    inputs = extra.get("inputs")
    if inputs is not None and not (isinstance(inputs, dict) and all(isinstance(d, str) for d in inputs.values())):
        raise ValueError(f"{folder / name}: its inputs are not what we write")
    return Begun(settings, versions, search, inputs)


def _is_option(item: tuple[str, object]) -> bool:
    name, value = item
    if name != "input":
        return isinstance(value, str)
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def save_champion(folder: Path, settings: EvolutionSettings, search: AnySearch, champion: Champion) -> ParameterSet:
    """Write the champion as a parameter set with its provenance and, if it is not the paper's, its model."""
    found, model = champion.report["champion"], search.settings.model
    own = "" if model == PAPER else f"model {model.name}, "
    told = _told(settings, search) + ("" if search.stop else f", stopped after {so_far(search)}")
    best = ParameterSet(
        champion.parameters,
        name=folder.resolve().name,
        source=f"nsa evolve: {own}{told}, seed {settings.seed}",
        note=f"Champion ({champion.origin}) by games held out from the search; on further games of the same kind: "
        f"reward {found['reward']:.4f}, regret {found['regret']:.4f}."
        + ("" if champion.training is None else f" Highest fitness in the search: {champion.training:.4f}."),
        model=None if model == PAPER else model,
        evolve=settings.to_dict() if _is_said_by(settings, search) else None,
    )
    write_text(folder / BEST, best.to_json())
    return best


def _is_said_by(settings: EvolutionSettings, search: AnySearch) -> bool:
    """Whether the options would find the same again.

    Who runs a search again runs it to its end; one that was begun from Python may have what no option has.
    """
    games = search.settings.games
    told = games.tolerance is None and bool(games.inputs) == bool(settings.input)
    return bool(search.stop) and settings.start != OF_ITS_OWN and told


def _told(settings: EvolutionSettings, search: AnySearch) -> str:
    """How it was searched."""
    games = f"{', '.join(settings.envs)} with {', '.join(map(str, settings.arms))} arms"
    games = f"{games}, {settings.trials} x {settings.rounds} rounds"
    games += inexactly(settings)
    each = f"{settings.population} individuals"
    if settings.in_stages:
        race = ", then ".join(
            "{} {} of {} generations by {} games of each kind".format(n, "run" if n == "1" else "runs", *rest)
            for n, *rest in (rung.split("x") for rung in settings.rungs)
        )
        return f"a look at {settings.look} random sets, CMA-ES with {each}, {race}; {games}"
    return f"{one_run(settings)}, {each}, {search.generation} generations, {games}, {settings.iterations} iterations"
