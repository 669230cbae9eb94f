"""``nsa evolve``: search for better parameters."""

from __future__ import annotations

import argparse
import dataclasses
import math
from contextlib import ExitStack
from pathlib import Path
from shlex import quote
from typing import Any

from evolution.champion import Champion
from evolution.checkpoint import LOGBOOK, versions
from evolution.staged import AnySearch, StagedSearch
from evolution.workers import Processes, Serial, Workers, WorkersLostError
from experiments.core.command import Command, add_no_figures, add_workers
from experiments.core.errors import UserError, blame_file, blame_user
from experiments.core.extras import extra
from experiments.core.files import write_text
from experiments.core.json_text import json_text
from experiments.core.named import once
from experiments.core.options import add_options, presets_told
from experiments.core.outside import note
from experiments.core.tables import text_table
from experiments.core.workers import MOST_WORKERS, check_workers
from experiments.evolve import folder as folders
from experiments.evolve.beginning import Asked, begun, reproduced, resumed
from experiments.evolve.figures_command import check_readable, drawn, write_all
from experiments.evolve.page import PAGE, page, report_table
from experiments.evolve.progress import game_rounds, so_far
from experiments.evolve.running import choose, evolve
from experiments.evolve.settings import PRESETS, EvolutionSettings
from nsa_brian import ParameterSet, load
from nsa_brian.common.checks import check_whole
from nsa_brian.common.lock import Lock
from nsa_brian.common.texts import shown

#: Which preset is meant where none is named.
DEFAULTS = "default, or spiking for models of spikes; paper-main with an option of one run"

EPILOG = f"""A search begins from nothing, in stages: it looks at many random sets, lets the best that choose
differently race, each by CMA-ES, and chooses a champion on games held out. Or it is one run of CMA-ES, as the paper's.

presets:
{presets_told(PRESETS)}

examples:
  nsa evolve --preset quick
  nsa evolve --workers 2 --out my-search
  nsa evolve --resume my-search
  nsa evolve --inexact 0.005 --out broad
  nsa evolve --preset paper-main --workers 2 --out as-the-paper
  nsa evolve --start minbandit-38 --sigma 0.05 --generations 40 --fix w_max=4.5 --envs MAB-sin --arms 5,50
  nsa evolve --model adapting.py --fix b=0.5 --out adapted
  nsa evolve --scheduler tcp://127.0.0.1:8786
  nsa evolve --slurm 16 --slurm-option queue=normal --slurm-option walltime=02:00:00
  nsa evolve --reproduce evolved --workers 2
  nsa play --parameters my-search/best.json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options: one for each setting, and how the work is done."""
    add = parser.add_argument
    add("--preset", metavar="NAME", help=f"{', '.join(PRESETS)} (default: {DEFAULTS})")
    add_options(parser, EvolutionSettings)
    add("--time-limit", type=float, metavar="MINUTES", help="stop after the piece of work in which this time is over")
    add_workers(parser)
    add("--scheduler", metavar="ADDRESS", help="evaluate on this scheduler's Dask cluster, tcp:// or tls:// (cluster)")
    add("--slurm", type=int, metavar="JOBS", help="evaluate on so many SLURM jobs, by TLS (extra: cluster)")
    add("--slurm-option", action="append", default=[], metavar="KEY=VALUE", help="queue, account, walltime, memory ...")
    add("--out", metavar="DIR", help="folder of the search (default nsa-results/evolution-ID)")
    add("--resume", metavar="DIR", help="go on with a search; only --generations, of one run, may differ")
    add("--reproduce", metavar="SET", help="run the search again that found a set, shipped or best.json, and compare")
    add_no_figures(parser, "no page either; --resume makes both")
    add("--json", action="store_true", help="print one JSON object at the end")
    add("--quiet", action="store_true", help="no line for each piece of work, no word about the files")


def run(args: argparse.Namespace) -> None:
    """Search, generation by generation, each written before the next begins; then choose the champion."""
    quiet = args.quiet or args.json
    with ExitStack() as held:
        with blame_user():
            _check(args)
            asked = _asked(args)
            again = None if args.reproduce is None else once(load, args.reproduce)
            held.enter_context(Lock(asked.folder, tell=note))
            settings, search = asked.search()
            if search.generation and args.figures:
                check_readable(asked.folder)  # figures are drawn of all generations at the end
            workers = _workers(args, search.settings.population)
        try:
            champion = _searched(search, settings, asked.folder, workers, args, quiet)
        finally:
            workers.close()
        with blame_user(), blame_file(asked.folder, "a search's folder"):
            files = _told_in_full(asked.folder, settings, search, champion, args.figures)
    if args.json:
        print(json_text(_outcome(search, settings, champion, files, again)))
        return
    print(f"\n{_table(champion)}")
    if again is not None:
        print(f"\n{_compared(champion, again)}")
    if not args.quiet:
        print("\n" + "\n".join(f"{kind:<12}{name}" for kind, name in files.items()))


def _searched(
    search: AnySearch,
    settings: EvolutionSettings,
    folder: Path,
    workers: Workers,
    args: argparse.Namespace,
    quiet: bool,
) -> Champion:
    """The champion of a search that goes on to its end, or says how to go on with it."""
    try:
        if not game_rounds(search):
            folders.save(folder, settings, search)
        evolve(search, settings, folder, workers, args.time_limit, quiet, args.figures)
        if not quiet:
            print("choosing the champion on games held out from the search", flush=True)
        return choose(search, settings, folder, workers)
    except (KeyboardInterrupt, OSError, MemoryError, WorkersLostError) as error:
        told = f"stopped after {so_far(search)}; go on with: nsa evolve --resume {quote(str(folder))}"
        error.add_note(told)
        raise


def _asked(args: argparse.Namespace) -> Asked:
    """A new search, one that is to go on, or one that is to be run again."""
    if args.resume is not None:
        return resumed(args)
    return begun(args) if args.reproduce is None else reproduced(args)


def _check(args: argparse.Namespace) -> None:
    check_workers(args.workers)
    if args.time_limit is not None and not 0 < args.time_limit < math.inf:
        raise ValueError(f"--time-limit must be a number of minutes above 0, got {args.time_limit:g}")
    if args.slurm is not None:
        check_whole("--slurm", args.slurm, 1, MOST_WORKERS)
    if args.slurm_option and args.slurm is None:
        raise ValueError("--slurm-option goes with --slurm JOBS")
    chosen = [name for name in ("scheduler", "slurm") if getattr(args, name) is not None]
    if args.workers > 1:
        chosen.insert(0, "workers")
    if len(chosen) > 1:
        raise ValueError(f"the work is done in one way: give only one of {', '.join('--' + name for name in chosen)}")
    if args.resume is not None and (args.out is not None or args.reproduce is not None):
        raise ValueError("--resume names the folder; --out and --reproduce are for a new search")
    if args.out == "":
        raise ValueError("--out names nothing")


def _workers(args: argparse.Namespace, population: int) -> Workers:
    """Those that were asked for; of processes no more than there are individuals."""
    try:
        if args.scheduler is not None:
            return extra("cluster", "evolution.workers.dask").DaskWorkers(args.scheduler)
        if args.slurm is not None:
            options = dict(_slurm_option(text) for text in args.slurm_option)
            return extra("cluster", "evolution.workers.slurm").SlurmWorkers(args.slurm, options)
    except ModuleNotFoundError as error:
        raise UserError(str(error)) from None
    return Serial() if args.workers == 1 else Processes(min(args.workers, population))


def _slurm_option(text: str) -> tuple[str, str]:
    key, separator, value = text.partition("=")
    if not separator:
        raise ValueError(f"--slurm-option takes KEY=VALUE, got {shown(text)}")
    return key.strip(), value.strip()


def _told_in_full(
    folder: Path, settings: EvolutionSettings, search: AnySearch, champion: Champion, figures: bool
) -> dict[str, str]:
    """Write all figures and the page, if they are wanted; the files by what they are."""
    logbook = {} if settings.in_stages else {"logbook": str(folder / LOGBOOK)}
    files = {"champion": str(folder / folders.BEST), **logbook}
    if not figures:
        return files
    images = drawn(folder, "png") if search.generation else {}
    files |= write_all(images, folder)
    write_text(folder / PAGE, page(folder, settings, search, champion, images))
    return {**files, "page": str(folder / PAGE)}


def _table(champion: Champion) -> str:
    header, rows = report_table(champion.report)
    words = f"champion: {champion.origin}"
    if champion.training is not None:
        words += f"; highest fitness in the search {champion.training:.4f} (a lucky score)"
    return f"{words}\n\n" + text_table(["on further games of the same kind", *header[1:]], rows)


def _compared(champion: Champion, again: ParameterSet) -> str:
    """Whether a search that was run again found the same."""
    if champion.parameters == again.parameters:
        return f"the same parameters as {again.name}, to the last digit"
    return f"not the parameters of {again.name}: other versions, or another processor, round otherwise"


def _outcome(
    search: AnySearch,
    settings: EvolutionSettings,
    champion: Champion,
    files: dict[str, str],
    again: ParameterSet | None,
) -> dict[str, Any]:
    return {
        "settings": settings.to_dict(),
        "versions": versions(),
        "genes": search.genome.size,
        "generations": search.generation,
        "game_rounds": game_rounds(search),
        **({"judged": search.judged} if isinstance(search, StagedSearch) else {}),
        "stopped": search.stop or "time limit",
        "champion": {**dataclasses.asdict(champion), "parameters": champion.parameters.to_dict()},
        "files": files,
        **({} if again is None else {"reproduced": champion.parameters == again.parameters}),
    }


COMMAND = Command(EPILOG, add_arguments, run)
