"""``nsa evolve``: search for better parameters."""

from __future__ import annotations

import argparse
import dataclasses
import math
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any

from evolution import AnySearch, Champion
from evolution.checkpoint import LOGBOOK, versions
from evolution.checks import CHECKS
from evolution.requirements import RequirementError
from evolution.workers import Workers, WorkersLostError
from experiments.core.command import Command, add_no_figures
from experiments.core.errors import UserError, blame_file, blame_user
from experiments.core.files import write_text
from experiments.core.json_text import json_text
from experiments.core.named import once
from experiments.core.outside import note
from experiments.core.tables import text_table
from experiments.core.workers import add_workers, check_workers, start_workers
from experiments.evolve import folder as folders
from experiments.evolve.figures_command import check_generations, draw_figures, write_all
from experiments.evolve.measured import Tell, champion_of, strategy_of
from experiments.evolve.options import PRESETS, Sources, add_options, options_of, presets_help, to_plain
from experiments.evolve.page import PAGE, page, report_table
from experiments.evolve.requests import read_request
from experiments.evolve.running import evolve
from nsa_brian import ParameterSet, load
from nsa_brian.common.lock import Lock

#: The preset that is used where none is named.
DEFAULTS = "default, or spiking for spiking models; paper-main with an option of a single run"


def checks_help() -> str:
    """Return the lines of the help that list the named checks."""
    width = max(map(len, CHECKS))
    return "\n".join(f"  {name:<{width}} {check.meaning}" for name, check in CHECKS.items())


EPILOG = f"""A staged search needs no starting point: it screens many random sets, starts CMA-ES runs at the best that
choose differently, and continues the best runs (successive halving). A single run is plain CMA-ES, as in the paper.
Either chooses its champion on held-out games.

presets, with the options that differ from the defaults (default and paper-main are the defaults):
{presets_help()}

checks that --require can name, beside conditions on parameters in their own units; what they mean:
{checks_help()}

examples:
  nsa evolve --preset quick
  nsa evolve --workers 2 --out my-search
  nsa evolve --resume my-search
  nsa evolve --inexact 0.005 --out robust
  nsa evolve --require silent-rest --require critical-weight --require "tau_u < tau_v" --look 512
  nsa evolve --start minbandit-38 --sigma 0.1 --generations 20 --search alpha_v,beta_v,r_v
  nsa evolve --preset paper-main --workers 2 --out as-the-paper
  nsa evolve --start minbandit-38 --sigma 0.05 --generations 40 --fix w_max=4.5 --envs MAB-sin --arms 5,50
  nsa evolve --model adapting.py --fix b=0.5 --out adapted
  nsa evolve --scheduler tcp://127.0.0.1:8786
  nsa evolve --slurm 16 --slurm-option queue=normal --slurm-option walltime=02:00:00
  nsa evolve --reproduce evolved --workers 2
  nsa play --parameters my-search/best.json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options, in groups."""
    parser.add_argument("--preset", metavar="NAME", help=f"{', '.join(PRESETS)} (default: {DEFAULTS})")
    add_options(parser)
    group = parser.add_argument_group("folder", "--resume and --reproduce take their settings from DIR or SET.")
    add = group.add_argument
    add("--out", metavar="DIR", help="folder of a new search (default nsa-results/evolution-ID)")
    add("--resume", metavar="DIR", help="resume a search; only --generations, of a single run, may differ")
    add("--reproduce", metavar="SET", help="run the search again that found a set, shipped or best.json, and compare")
    add_workers(parser)
    group = parser.add_argument_group("time and output")
    add = group.add_argument
    add("--time-limit", type=float, metavar="MINUTES", help="stop after the step in which this time is over")
    add_no_figures(group, "no page either; --resume makes both")
    add("--json", action="store_true", help="print one JSON object at the end")
    add("--quiet", action="store_true", help="print neither progress nor file names")


def run(args: argparse.Namespace) -> None:
    """Search, saving each step before the next begins; then choose the champion, draw the figures, write the page."""
    tell: Tell = (lambda text: None) if args.quiet or args.json else partial(print, flush=True)
    with ExitStack() as held:
        with blame_user():
            _check(args)
            request = read_request(args)
            again = None if args.reproduce is None else once(load, args.reproduce)
            held.enter_context(Lock(request.folder, tell=note))
            search, sources = request.open()
            if search.generation and args.figures:
                check_generations(search, request.folder)  # figures are drawn of all generations at the end
            workers = start_workers(args, search.settings.population)
        try:
            champion = _run(search, sources, request.folder, workers, args, tell)
        finally:
            workers.close()
        with blame_user(), blame_file(request.folder, "a search's folder"):
            files = _write_files(request.folder, sources, search, champion, args.figures, tell)
    if args.json:
        print(json_text(_outcome(search, sources, champion, files, again)))
        return
    print(f"\n{_table(champion)}")
    if again is not None:
        print(f"\n{_compared(champion, again)}")
    if not args.quiet:
        print("\n" + "\n".join(f"{kind:<12}{name}" for kind, name in files.items()))


def _run(
    search: AnySearch, sources: Sources, folder: Path, workers: Workers, args: argparse.Namespace, tell: Tell
) -> Champion:
    """Run the search, then choose and write its champion; an interrupted one says how to resume it."""
    try:
        if not search.progress.game_rounds:
            search.save(folder, search.extra)
        evolve(search, folder, workers, tell, args.time_limit, args.figures)
        champion = champion_of(search, sources, folder, workers, tell)
        folders.save_champion(folder, sources, search, champion)
        return champion
    except RequirementError as error:
        raise UserError(f"{error} (the search is in {folder})") from error
    except (KeyboardInterrupt, OSError, MemoryError, WorkersLostError) as error:
        so_far = search.progress.so_far
        error.add_note(f"stopped after {so_far}; resume with: nsa evolve --resume {quote(str(folder))}")
        raise


def _check(args: argparse.Namespace) -> None:
    check_workers(args)
    if args.time_limit is not None and not 0 < args.time_limit < math.inf:
        raise ValueError(f"--time-limit must be a number of minutes above 0, got {args.time_limit:g}")
    if args.resume is not None and (args.out is not None or args.reproduce is not None):
        raise ValueError("--resume names the folder; --out and --reproduce are for a new search")
    if args.out == "":
        raise ValueError("--out needs a value")


def _write_files(
    folder: Path, sources: Sources, search: AnySearch, champion: Champion, figures: bool, tell: Tell
) -> dict[str, str]:
    """Write all figures and the page, if they are wanted; return the search's files by what they are."""
    files = {"champion": str(folder / folders.BEST)}
    if (folder / LOGBOOK).exists():
        files["logbook"] = str(folder / LOGBOOK)
    if not figures:
        return files
    images = draw_figures(search, folder, "png", tell) if search.generation else {}
    files |= write_all(images, folder)
    strategy = strategy_of(search, champion.parameters, folder, tell)
    write_text(folder / PAGE, page(folder, sources, search, champion, strategy, images))
    return {**files, "page": str(folder / PAGE)}


def _table(champion: Champion) -> str:
    header, rows = report_table(champion.report)
    text = f"champion: {champion.origin}"
    if champion.training is not None:
        text += f"; highest fitness in the search {champion.training:.4f} (biased upwards)"
    if champion.required:
        text += "\nrequired: " + ", ".join(f"{name} {value:.3g}" for name, value in champion.required.items())
    return f"{text}\n\n" + text_table(["on further games of the same kind", *header[1:]], rows)


def _compared(champion: Champion, again: ParameterSet) -> str:
    """Return whether a search that was run again found the same."""
    if champion.parameters == again.parameters:
        return f"the same parameters as {again.name}, to the last digit"
    return f"not the parameters of {again.name}: other versions or processors round differently"


def _outcome(
    search: AnySearch, sources: Sources, champion: Champion, files: dict[str, str], again: ParameterSet | None
) -> dict[str, Any]:
    return {
        "settings": to_plain(options_of(search.settings, sources)),
        "versions": versions(),
        **search.summary(),
        **({"unused": search.genome.unused} if search.genome.unused else {}),
        "champion": _plain(champion),
        "files": files,
        **({} if again is None else {"reproduced": champion.parameters == again.parameters}),
    }


def _plain(champion: Champion) -> dict[str, Any]:
    """Convert a champion to JSON; values of required checks only if there are some."""
    found = {**dataclasses.asdict(champion), "parameters": champion.parameters.to_dict()}
    return found if champion.required else {name: value for name, value in found.items() if name != "required"}


COMMAND = Command(EPILOG, add_arguments, run)
