"""``nsa report``: all studies on one page."""

from __future__ import annotations

import argparse
import dataclasses
import json
import shlex
from typing import Any

from experiments.core.command import compute, with_engine
from experiments.core.errors import UserError, blame_user
from experiments.core.files import writable_folder, write_atomically
from experiments.core.nsa_agents import MODEL_HELP
from experiments.studies.decision import study as decision_study
from experiments.studies.entropy import study as entropy_study
from experiments.studies.environments import study as environments_study
from experiments.studies.response import study as response_study
from experiments.studies.standings import study as standings_study
from experiments.studies.table import study as table_study
from experiments.studies.updates import study as updates_study

NAME = "report"
HELP = "run what is missing of all studies and write one page with every figure and table"
EPILOG = """examples:
  nsa report --preset quick
  nsa report --preset full --workers 2"""

STUDIES: tuple[Any, ...] = (
    environments_study,
    decision_study,
    response_study,
    table_study,
    standings_study,
    entropy_study,
    updates_study,
)


#: The options that studies take too.
GIVEN = ("parameters", "model", "seed")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("--preset", default="paper", metavar="NAME", help="of every study: paper, full, quick (default paper)")
    add("--parameters", metavar="SET", help="NSA's parameters in the games: a set's name or a file")
    add("--model", metavar="MODEL", help=MODEL_HELP)
    add("--seed", type=int, metavar="N", help="same seed, same games (default 0)")
    add("--workers", type=int, default=1, metavar="N", help="processes; they change the time only (default 1)")
    add("--out", metavar="DIR", default="nsa-results", help="where the files go (default nsa-results)")
    add("--json", action="store_true", help="print the claims and their verdicts as one JSON object")
    add("--quiet", action="store_true", help="no progress, no word about the files")


def run(args: argparse.Namespace) -> None:
    """Run or load every study, then write the page."""
    if args.workers < 1:
        raise UserError(f"workers must be a whole number from 1 up, got {args.workers}")
    with blame_user():
        chosen = [(study, settings_of(study, args)) for study in STUDIES]
        work = [(study, settings, study.cells(settings)) for study, settings in chosen]
    out = writable_folder(args.out)

    from experiments.core.claims import claims
    from experiments.report import page as report

    parts = []
    for study, settings, cells in work:
        results, _ = compute(study, settings, cells, out, args.workers, args.quiet)
        parts.append(report.Part(study, results, command_line(study, args)))
    judged = claims({part.study.NAME: part.study.summary(part.results) for part in parts})
    page = report.page(parts, judged, args.preset)
    path = out / f"report-{args.preset}.html"
    write_atomically(path, lambda file: file.write(page.encode()))
    if args.json:
        print(json.dumps({"claims": [dataclasses.asdict(claim) for claim in judged], "report": str(path)}, indent=1))
        return
    for claim in judged:
        print(f"{claim.verdict:<7} {claim.statement}\n        {claim.evidence}")
    if not args.quiet:
        print(f"\nreport   {path}")


def settings_of(study: Any, args: argparse.Namespace) -> Any:
    """The study's preset, with the parameters, the model and the seed where they were given and it has them."""
    if args.preset not in study.PRESETS:
        raise ValueError(f"unknown preset {args.preset!r}; known: {', '.join(study.PRESETS)}")
    settings = study.PRESETS[args.preset]
    known = {field.name for field in dataclasses.fields(settings)}
    given = {name: getattr(args, name) for name in GIVEN if getattr(args, name) is not None and name in known}
    if study is response_study:
        if "parameters" in given:
            given["parameters"] = (given["parameters"],)
        if given.get("model") == "spiking":  # what rates compute is what the spikes follow
            del given["model"]
    return dataclasses.replace(settings, **with_engine(study.Settings, given))


def command_line(study: Any, args: argparse.Namespace) -> str:
    """The command that makes this part alone."""
    words = ["nsa", study.NAME, "--preset", args.preset]
    known = {field.name for field in dataclasses.fields(study.Settings)}
    for name in GIVEN:
        value = getattr(args, name)
        if value is not None and name in known and (study is not response_study or value != "spiking"):
            words += [f"--{name}", str(value)]
    for plugin in args.plugin:
        words += ["--plugin", plugin]
    return shlex.join(words)
