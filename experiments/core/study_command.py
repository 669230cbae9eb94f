"""One command for every study: its options come from the fields of its settings."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from experiments.core.cells import Cell
from experiments.core.command import Command, add_out, add_workers
from experiments.core.errors import blame_user
from experiments.core.files import FORMATS, check_format, writable_folder, write_figure, write_text
from experiments.core.named import read_model_and_engine
from experiments.core.options import add_options, chosen_preset, presets_told, read_given
from experiments.core.results import F, Results, S
from experiments.core.study import Study
from experiments.core.workers import check_workers


def command_of(study: Study[Any, Any]) -> Command:
    """The command of a study: its options come from the fields of its settings."""
    epilog = (
        f"presets:\n{presets_told(study.presets)}\n\nexamples:\n  nsa {study.name} --preset quick\n{study.examples}"
    )
    return Command(epilog, partial(add_arguments, study), partial(run, study))


def add_arguments(study: Study[Any, Any], parser: argparse.ArgumentParser) -> None:
    """Declare the common options, and one for each setting."""
    add = parser.add_argument
    first, *others = study.presets
    add("--preset", metavar="NAME", default=first, help=f"{first} (default), {', '.join(others)}")
    add_options(parser, study.kind)
    add_workers(parser)
    add_out(parser)
    add("--from", dest="source", metavar="RESULTS", help="draw from a results file, without computing")
    add("--format", default="png", metavar="F", help=f"of the figure: {', '.join(FORMATS)} (default png)")
    add("--json", action="store_true", help="print one JSON object instead of the table")
    add("--quiet", action="store_true", help="no progress, no word about the files")


def run(study: Study[S, F], args: argparse.Namespace) -> None:
    """Compute or load, then draw and print."""
    with blame_user():
        check_workers(args.workers)
        check_format(args.format)
        if args.source is None:
            settings = read_settings(study, args)
            cells = study.cells(settings)
    out = writable_folder(args.out)
    if args.source is None:
        results, path = compute(study, settings, cells, out, args.workers, args.quiet)
    else:
        with blame_user():
            results, path = study.load(args.source), Path(args.source)
    files = {"results": str(path), **write_outputs(results, out, path.stem, args.format)}
    if args.json:
        outcome = {"settings": results.told, "versions": results.versions, **plain(results.summary), "files": files}
        print(json.dumps(outcome, indent=1))
        return
    bold = sys.stdout is not None and sys.stdout.isatty()
    print("\n\n".join(table.text(bold) for table in results.tables))
    if not args.quiet:
        print("\n" + "\n".join(f"{kind:<9}{name}" for kind, name in files.items()))


def compute(
    study: Study[S, F], settings: S, cells: Mapping[str, Cell], out: Path, workers: int, quiet: bool
) -> tuple[Results[S, F], Path]:
    """Run a study behind a progress bar on the terminal's error stream; none where that is a file."""
    total = sum(cell.work for cell in cells.values())
    with tqdm(
        total=total, disable=True if quiet else None, unit=f" {study.unit}", unit_scale=total > 9999, desc=study.name
    ) as bar:
        return study.run(settings, out, workers, lambda done: bar.update(done) and None, cells)


def write_outputs(results: Results[S, F], out: Path, stem: str, kind: str) -> dict[str, str]:
    """Write the figure and what other files a study makes of its results; their names by what they are."""
    figure = out / f"{stem}.{kind}"
    write_figure(figure, results.study.draw(results))
    files = {"figure": str(figure)}
    for export in results.study.exports(results):
        target = out / f"{stem}.{export.suffix}"
        write_text(target, export.text)
        files[export.label] = str(target)
    return files


def read_settings(study: Study[S, F], args: argparse.Namespace) -> S:
    """The preset with the options that were given."""
    preset = chosen_preset(study.presets, args.preset)
    return study.settled(dataclasses.replace(preset, **with_engine(study.kind, read_given(study.kind, args))))


def with_engine(settings: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """Given settings, the engine filled in where it follows from the model."""
    model, engine = read_model_and_engine(given.get("model"), given.get("engine"))
    has_engine = any(field.name == "engine" for field in dataclasses.fields(settings))
    found = {name: value for name, value in given.items() if name not in ("model", "engine")}
    found |= {"model": model} if model else {}
    return found | ({"engine": engine} if engine and has_engine else {})


def plain(summary: Any) -> dict[str, Any]:
    """A summary ready for JSON."""
    return summary.to_json() if hasattr(summary, "to_json") else dataclasses.asdict(summary)
