"""``nsa evolve``: search for better parameters."""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.core import command as study_command
from experiments.core.errors import UserError, blame_user
from experiments.core.files import writable_folder, write_atomically
from experiments.core.tables import text_table
from experiments.evolve import settings as evolution_settings

if TYPE_CHECKING:
    from evolution import Champion, Search, SearchSettings
    from evolution.workers import Workers
    from experiments.evolve.folder import Begun
    from experiments.evolve.settings import EvolutionSettings

NAME = "evolve"
HELP = "search for better parameters of a model with CMA-ES; resumable, on one machine or a cluster"
EPILOG = f"""presets:
{study_command.presets(evolution_settings.PRESETS)}

examples:
  nsa evolve --preset quick
  nsa evolve --workers 2 --out my-search
  nsa evolve --resume my-search --generations 120
  nsa evolve --start minbandit-38 --sigma 0.3 --fix w_max=4.5 --envs MAB-sin --arms 5,50
  nsa evolve --model adapting.py --fix b=0.5 --out adapted
  nsa evolve --scheduler tcp://127.0.0.1:8786
  nsa evolve --slurm 16 --slurm-option queue=normal --slurm-option walltime=02:00:00
  nsa play --parameters my-search/best.json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options: one for each setting, and how the work is done."""
    add = parser.add_argument
    add("--preset", metavar="NAME", help=f"{', '.join(evolution_settings.PRESETS)} (default paper-main)")
    for field in dataclasses.fields(evolution_settings.EvolutionSettings):
        if field.name == "fix":
            add("--fix", dest="fixes", action="append", metavar="NAME=VALUE", help=field.metadata["help"])
            continue
        flag, text = "--" + field.name, field.metadata["help"]
        add(flag, dest=f"set_{field.name}", metavar=field.metadata["metavar"], help=text)
    add("--time-limit", type=float, metavar="MINUTES", help="stop after the generation in which this time is over")
    add("--workers", type=int, default=1, metavar="N", help="processes; they change the time only (default 1)")
    add("--scheduler", metavar="ADDRESS", help="evaluate on the Dask cluster of this scheduler (extra: cluster)")
    add("--slurm", type=int, metavar="JOBS", help="evaluate on so many SLURM jobs, started here (extra: cluster)")
    add("--slurm-option", action="append", default=[], metavar="KEY=VALUE", help="queue, account, walltime, memory ...")
    add("--out", metavar="DIR", help="folder of the search (default nsa-results/evolution-ID)")
    add("--resume", metavar="DIR", help="go on with a search; only --generations may differ")
    add("--json", action="store_true", help="print one JSON object at the end")
    add("--quiet", action="store_true", help="no line for each generation, no word about the files")


def run(args: argparse.Namespace) -> None:
    """Search, generation by generation, each written before the next begins; then choose the champion."""
    with blame_user():
        _check(args)
        folder, settings, search = _resumed(args) if args.resume else _begun(args)
        workers = _workers(args)
    from experiments.evolve import folder as evolution_folder

    writable_folder(str(folder))
    quiet = args.quiet or args.json
    try:
        if not search.generation:
            evolution_folder.save(folder, settings, search)
        evolve(search, settings, folder, workers, args.time_limit, quiet)
        if not quiet:
            print("choosing the champion on games held out from the search", flush=True)
        champion = choose(search, settings, folder, workers)
    except KeyboardInterrupt:
        print(
            f"\nstopped after generation {search.generation}; go on with: nsa evolve --resume {folder}", file=sys.stderr
        )
        raise
    finally:
        workers.close()
    files = _draw_all(folder)
    if args.json:
        print(json.dumps(_outcome(search, settings, champion, files), indent=1))
        return
    print(f"\n{_table(champion)}")
    if not args.quiet:
        print("\n" + "\n".join(f"{kind:<11}{name}" for kind, name in files.items()))


def evolve(
    search: Search,
    settings: EvolutionSettings,
    folder: Path,
    workers: Workers,
    time_limit: float | None = None,
    quiet: bool = False,
) -> None:
    """Go on until the search is over or the time (minutes) is."""
    from experiments.evolve import folder as evolution_folder

    began = drawn = time.monotonic()
    first = search.generation
    if not quiet:
        model, engine = search.settings.model.name, search.settings.games.played_by
        print(f"the model {model}, {search.genome.size} genes, played by {engine}", flush=True)
    if first and not quiet:
        print(f"going on after generation {first} of {settings.generations}")
    while not search.stop:
        search.step(workers)
        with _undisturbed():
            evolution_folder.save(folder, settings, search)
        now = time.monotonic()
        done = search.generation - first
        left = (now - began) / done * (settings.generations - search.generation)
        if time_limit is not None:
            left = min(left, 60 * time_limit - (now - began))
        if not quiet:
            print(progress_line(search, settings, max(0.0, left)), flush=True)
        if now - drawn > 5:
            _draw_progress(search, folder)
            drawn = time.monotonic()
        if time_limit is not None and now - began > 60 * time_limit:
            if not quiet:
                print(f"time limit; go on with: nsa evolve --resume {folder}")
            return
    if not quiet:
        print(f"the search is over: {search.stop}")
        if search.generation > first:
            print(_speed(search, settings, first, time.monotonic() - began))


def choose(search: Search, settings: EvolutionSettings, folder: Path, workers: Workers) -> Champion:
    """Find the champion and write it."""
    from evolution import choose_champion
    from experiments.evolve import folder as evolution_folder
    from nsa_brian import load

    others = {name: load(name).parameters for name in ("minbandit-38", "minbandit-29")}
    if search.settings.start is not None:
        others[f"start ({settings.start})"] = search.settings.start
    champion = choose_champion(search, workers, others=others)
    evolution_folder.save_champion(folder, settings, search, champion)
    return champion


def progress_line(search: Search, settings: EvolutionSettings, left: float) -> str:
    """One generation in one line."""
    record = search.logbook[-1]
    numbers = (
        f"best {record['best']:.4f}  mean {record['mean']:.4f}  16-84% {record['low']:.4f} to {record['high']:.4f}"
        f"  regret {record['regret']:.4f}  sigma {record['sigma']:.3f}"
    )
    minutes, seconds = divmod(round(left), 60)
    width = len(str(settings.generations))
    return f"generation {search.generation:{width}}/{settings.generations}  {numbers}  {minutes}:{seconds:02} left"


def _speed(search: Search, settings: EvolutionSettings, first: int, seconds: float) -> str:
    """How fast the generations of this run were."""
    games = len(settings.envs) * len(settings.arms) * settings.iterations
    rounds = games * settings.trials * settings.rounds
    played = rounds * sum(record["population"] for record in search.logbook[first:])
    n = search.generation - first
    return f"{seconds / n:.1f} s a generation, {played / seconds:,.0f} game-rounds a second"


def _check(args: argparse.Namespace) -> None:
    if args.workers < 1:
        raise ValueError(f"workers must be a whole number from 1 up, got {args.workers}")
    if args.time_limit is not None and not args.time_limit > 0:
        raise ValueError(f"--time-limit must be a number of minutes above 0, got {args.time_limit:g}")
    if args.slurm is not None and args.slurm < 1:
        raise ValueError(f"--slurm must be a number of jobs from 1 up, got {args.slurm}")
    if args.slurm_option and args.slurm is None:
        raise ValueError("--slurm-option goes with --slurm JOBS")
    chosen = [name for name in ("scheduler", "slurm") if getattr(args, name) is not None]
    if args.workers > 1:
        chosen.insert(0, "workers")
    if len(chosen) > 1:
        raise ValueError(f"the work is done in one way: give only one of {', '.join('--' + name for name in chosen)}")
    if args.resume and args.out:
        raise ValueError("--resume names the folder; --out is for a new search")


def _given(args: argparse.Namespace) -> dict[str, Any]:
    """The settings that were given as options."""
    given = study_command.read_given(evolution_settings.EvolutionSettings, args)
    return given if args.fixes is None else {**given, "fix": tuple(args.fixes)}


def _settings(args: argparse.Namespace) -> tuple[EvolutionSettings, SearchSettings]:
    """What was asked for, as options that leave nothing open, and in the words of the search."""
    name = "paper-main" if args.preset is None else args.preset
    if name not in evolution_settings.PRESETS:
        raise ValueError(f"unknown preset {name!r}; known: {', '.join(evolution_settings.PRESETS)}")
    settings = dataclasses.replace(evolution_settings.PRESETS[name], **_given(args))
    search = settings.search()  # refuses what the search, a bandit, the model or the genome refuses
    from nsa_brian.model.model import PAPER

    model = settings.model or ("paper" if search.model == PAPER else settings.start)
    return dataclasses.replace(settings, model=model, engine=search.games.played_by), search


def _id(search: SearchSettings) -> str:
    """A short name that differs when the settings or what the model says do, but for the generations."""
    from evolution.checkpoint import identity

    return hashlib.sha256(identity(search.to_dict()).encode()).hexdigest()[:8]


def _begun(args: argparse.Namespace) -> tuple[Path, EvolutionSettings, Search]:
    """A new search, or the same one if its folder is there."""
    settings, wanted = _settings(args)
    from evolution import Search
    from experiments.evolve import folder as evolution_folder

    folder = Path(args.out or f"nsa-results/evolution-{_id(wanted)}")
    if evolution_folder.is_there(folder):
        return folder, *_load(folder, dataclasses.asdict(settings), wanted)
    return folder, settings, Search(wanted)


def _resumed(args: argparse.Namespace) -> tuple[Path, EvolutionSettings, Search]:
    folder = Path(args.resume)
    if args.preset is not None:
        raise ValueError(f"--resume goes on with the settings of {folder}; --preset is for a new search")
    return folder, *_load(folder, _given(args))


def _load(
    folder: Path, given: dict[str, Any], wanted: SearchSettings | None = None
) -> tuple[EvolutionSettings, Search]:
    """A folder's search, if it is what was asked for: by some options, or in full."""
    from evolution.checkpoint import versions
    from experiments.evolve import folder as evolution_folder

    found = evolution_folder.load(folder, given.get("generations"))
    for name, value in given.items():
        if not _agrees(name, value, found, wanted):
            kept, asked = (study_command.show(v) or "none" for v in (getattr(found.settings, name), value))
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
    from nsa_brian import load, load_model

    search = found.search.settings
    if name == "model":
        return (load_model(value) if wanted is None else wanted.model) == search.model
    if name == "start":
        return (search.model.complete(load(value).parameters) if wanted is None else wanted.start) == search.start
    if name == "fix":
        return evolution_settings.assignments(value) == search.fixed
    return value == getattr(found.settings, name)


def _workers(args: argparse.Namespace) -> Workers:
    from evolution.workers import Processes, Serial

    if args.scheduler is not None or args.slurm is not None:
        try:
            from evolution.dask_workers import DaskWorkers
            from evolution.slurm import SlurmWorkers
        except ModuleNotFoundError as error:
            raise UserError(f'{error.name} is missing: pip install "nsa-brian[cluster]"') from error
        if args.scheduler is not None:
            return DaskWorkers(args.scheduler)
        return SlurmWorkers(args.slurm, dict(_slurm_option(text) for text in args.slurm_option))
    return Serial() if args.workers == 1 else Processes(args.workers)


def _slurm_option(text: str) -> tuple[str, str]:
    key, separator, value = text.partition("=")
    if not separator:
        raise ValueError(f"--slurm-option takes KEY=VALUE, got {text!r}")
    return key.strip(), value.strip()


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Ctrl-C waits until the files are written."""
    asked = []
    before = signal.signal(signal.SIGINT, lambda *_: asked.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt


def _draw_progress(search: Search, folder: Path) -> None:
    from experiments.evolve import figure as evolution_figure

    figure = evolution_figure.draw_fitness(list(search.logbook))
    write_atomically(folder / "fitness.png", lambda file: figure.savefig(file, dpi=150))


def _draw_all(folder: Path) -> dict[str, str]:
    from evolution.checkpoint import LOGBOOK
    from experiments.evolve import figures_command as evolution_figures_command
    from experiments.evolve import folder as evolution_folder

    files = {"champion": evolution_folder.BEST, "logbook": LOGBOOK}
    named = {kind: str(folder / name) for kind, name in files.items()}
    return {**named, **evolution_figures_command.draw_all(folder, folder, "png")}


def _table(champion: Champion) -> str:
    rows = [[name, f"{found['reward']:.4f}", f"{found['regret']:.4f}"] for name, found in champion.report.items()]
    words = f"champion: {champion.origin}; highest fitness in the search {champion.training:.4f} (a lucky score)"
    return f"{words}\n\n" + text_table(["on further games of the same kind", "mean reward", "regret"], rows)


def _outcome(search: Search, settings: EvolutionSettings, champion: Champion, files: dict[str, str]) -> dict[str, Any]:
    from experiments.core.settings import versions

    return {
        "settings": dataclasses.asdict(settings),
        "versions": versions(),
        "genes": search.genome.size,
        "generations": search.generation,
        "stopped": search.stop or "time limit",
        "champion": {**dataclasses.asdict(champion), "parameters": champion.parameters.to_dict()},
        "files": files,
    }
