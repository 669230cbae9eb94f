"""``nsa report``: all studies on one page."""

from __future__ import annotations

import argparse
import dataclasses
import shlex
from collections.abc import Mapping
from typing import Any

from experiments import registry
from experiments.core.cells import check_fit
from experiments.core.command import Command, add_out
from experiments.core.errors import blame_user
from experiments.core.files import writable_folder, write_text
from experiments.core.game_settings import GameSettings
from experiments.core.json_text import json_text
from experiments.core.nsa_agents import MODEL_HELP
from experiments.core.options import add_options, chosen_preset, read_given, show
from experiments.core.outside import note
from experiments.core.study import Study
from experiments.core.study_command import compute, resolve_model_and_engine
from experiments.core.workers import add_workers, check_workers, cluster_or_processes
from experiments.report.page import Part, page
from nsa_brian.common.lock import Lock

EPILOG = """examples:
  nsa report --preset quick
  nsa report --preset full --workers 2"""

#: Options that are passed on to the studies.
GIVEN = ("parameters", "model", "seed")


def studies() -> list[Study[Any, Any]]:
    """Return the studies that are part of the report."""
    return [study for study in registry.studies() if study.caption is not None]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("--preset", default="paper", metavar="NAME", help="preset of every study: paper, full, quick (default paper)")
    add("--parameters", metavar="SET", help="parameter set of NSA: a name or a file")
    add("--model", metavar="MODEL", help=MODEL_HELP)
    add("--seed", type=int, metavar="N", help="random seed (default 0)")
    add_options(parser, GameSettings, only=("input", "dt", "method", "precision"))
    add_workers(parser)
    add_out(parser)
    add("--json", action="store_true", help="print the claims and their verdicts as one JSON object")
    add("--quiet", action="store_true", help="print neither progress nor file names")


def run(args: argparse.Namespace) -> None:
    """Run or load every study, then write the page."""
    with blame_user():
        check_workers(args)
        chosen = [(study, settings_of(study, args)) for study in studies()]
        work = [(study, settings, study.cells(settings)) for study, settings in chosen]
        for _, _, cells in work:
            check_fit(cells, args.workers)
    with cluster_or_processes(args) as workers:
        out = writable_folder(args.out)
        path = out / f"report-{args.preset}.html"
        with Lock(out, path.stem, wait=True, tell=note):
            parts = []
            for study, settings, cells in work:
                results, _ = compute(study, settings, cells, out, workers, args.quiet)
                parts.append(Part(results, command_line(study, args)))
            write_text(path, page(parts, args.preset))
    claims = [claim for part in parts for claim in part.claims]
    if args.json:
        print(json_text({"claims": [dataclasses.asdict(claim) for claim in claims], "report": str(path)}))
        return
    for claim in claims:
        print(f"{claim.verdict:<7} {claim.statement}\n        {claim.evidence}")
    if not args.quiet:
        print(f"\nreport   {path}")


def settings_of(study: Study[Any, Any], args: argparse.Namespace) -> Any:
    """Return the preset of a study with the given options that the study has."""
    preset = chosen_preset(study.presets, args.preset)
    return dataclasses.replace(preset, **resolve_model_and_engine(study.options_type, study.options_for(_given(args))))


def command_line(study: Study[Any, Any], args: argparse.Namespace) -> str:
    """Return the command that computes this part alone."""
    words = ["nsa", study.name, "--preset", args.preset]
    for name, value in study.options_for(_given(args)).items():
        for each in value if name == "input" else (value,):
            words += [f"--{name}", show(each)]
    for plugin in args.plugin:
        words += ["--plugin", plugin]
    return shlex.join(words)


def _given(args: argparse.Namespace) -> Mapping[str, Any]:
    given = {name: getattr(args, name) for name in GIVEN if getattr(args, name) is not None}
    return given | read_given(GameSettings, args)


COMMAND = Command(EPILOG, add_arguments, run)
