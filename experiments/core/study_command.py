"""The command of a study, with options made from the fields of its settings."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from evolution.workers import Workers
from experiments.core.cells import Cell, check_fit
from experiments.core.command import Command, add_no_figures, add_out
from experiments.core.errors import blame_file, blame_user
from experiments.core.files import FORMATS, check_format, writable_folder, write_bytes, write_text
from experiments.core.json_text import json_text
from experiments.core.named import read_model_and_engine
from experiments.core.options import add_options, chosen_preset, presets_help, read_given
from experiments.core.results import RESULTS, F, Results, S
from experiments.core.study import Study
from experiments.core.workers import add_workers, check_workers, cluster_or_processes, given_workers


def command_of(study: Study[Any, Any]) -> Command:
    """Return the command of a study."""
    epilog = (
        f"presets:\n{presets_help(study.presets)}\n\nexamples:\n  nsa {study.name} --preset quick\n{study.examples}"
    )
    return Command(epilog, partial(add_arguments, study), partial(run, study))


def add_arguments(study: Study[Any, Any], parser: argparse.ArgumentParser) -> None:
    """Add the common options, and one for each setting."""
    add = parser.add_argument
    first, *others = study.presets
    add("--preset", metavar="NAME", help=f"{first} (default), {', '.join(others)}")
    add_options(parser, study.options_type)
    add_workers(parser)
    add_out(parser)
    add("--from", dest="source", metavar="RESULTS", help="draw and print a results file without computing")
    add("--format", default="png", metavar="F", help=f"format of the figure: {', '.join(FORMATS)} (default png)")
    add_no_figures(parser, "--from draws them later")
    add("--json", action="store_true", help="print one JSON object instead of the table")
    add("--quiet", action="store_true", help="print neither progress nor file names")


def run(
    study: Study[S, F],
    args: argparse.Namespace,
    more_files: Callable[[Results[S, F]], dict[str, str]] = lambda results: {},
) -> None:
    """Compute or load results, draw and print them; ``more_files`` writes others and returns their names by label."""
    with blame_user():
        check_workers(args)
        check_format(args.format)
        if args.source is None:
            settings = read_settings(study, args)
            cells = study.cells(settings)
            check_fit(cells, args.workers)
        else:
            check_nothing_else(study, args)
            results, path = study.load(args.source), Path(args.source)
    kind = args.format if args.figures else ""
    if args.source is None:
        with cluster_or_processes(args) as workers:
            out = writable_folder(args.out)
            results, path = compute(study, settings, cells, out, workers, args.quiet)
        output = CommandOutput(results, path, kind)
    else:
        with blame_file(path, RESULTS.called):
            output = CommandOutput(results, path, kind)
        out = writable_folder(args.out)
    files = {"results": str(path), **output.write(out), **more_files(results)}
    if args.json:
        print(json_text({**output.outcome, "files": files}))
        return
    print(output.text)
    if not args.quiet:
        print("\n" + "\n".join(f"{kind:<9}{name}" for kind, name in files.items()))


class CommandOutput:
    """Output of a command, made in full before anything is written; without a figure if ``kind`` is empty."""

    def __init__(self, results: Results[S, F], path: Path, kind: str) -> None:
        self._stem, self._kind = path.stem, kind
        self._figure = results.study.image(results, kind) if kind else b""
        self._exports = results.study.exports(results)
        self.outcome = {"settings": results.settings_dict, "versions": results.versions, **plain(results.summary)}
        self.text = "\n\n".join(table.text(sys.stdout.isatty()) for table in results.tables)

    def write(self, out: Path) -> dict[str, str]:
        """Write the figure and the exports; return the file names by label."""
        files = {}
        if self._figure:
            figure = out / f"{self._stem}.{self._kind}"
            write_bytes(figure, self._figure)
            files["figure"] = str(figure)
        for export in self._exports:
            target = out / f"{self._stem}.{export.suffix}"
            write_text(target, export.text)
            files[export.label] = str(target)
        return files


def check_nothing_else(study: Study[S, F], args: argparse.Namespace) -> None:
    """Raise a ValueError for options that cannot be combined with ``--from``."""
    given = [
        *read_given(study.options_type, args),
        *["preset"] * (args.preset is not None),
        *given_workers(args),
    ]
    if given:
        raise ValueError(f"--from reads computed results and cannot be combined with --{given[0].replace('_', '-')}")


def compute(
    study: Study[S, F], settings: S, cells: Mapping[str, Cell], out: Path, workers: int | Workers, quiet: bool
) -> tuple[Results[S, F], Path]:
    """Run a study with a progress bar on stderr, if that is a terminal."""
    total = sum(cell.work for cell in cells.values())
    with tqdm(
        total=total, disable=True if quiet else None, unit=f" {study.unit}", unit_scale=total > 9999, desc=study.name
    ) as bar:
        return study.run(settings, out, workers, lambda done: bar.update(done) and None, cells)


def read_settings(study: Study[S, F], args: argparse.Namespace) -> S:
    """Return the preset with the given options."""
    preset = chosen_preset(study.presets, next(iter(study.presets)) if args.preset is None else args.preset)
    given = resolve_model_and_engine(study.options_type, read_given(study.options_type, args))
    return study.settings_of(dataclasses.replace(preset, **given))


def resolve_model_and_engine(settings: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given settings with model and engine resolved."""
    model, engine = read_model_and_engine(given.get("model"), given.get("engine"))
    has_engine = any(field.name == "engine" for field in dataclasses.fields(settings))
    found = {name: value for name, value in given.items() if name not in ("model", "engine")}
    found |= {"model": model} if model else {}
    return found | ({"engine": engine} if engine and has_engine else {})


def plain(summary: Any) -> dict[str, Any]:
    """Convert a summary to plain data."""
    return summary.to_json() if hasattr(summary, "to_json") else dataclasses.asdict(summary)
