"""One command for every study: its options come from the fields of its settings."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from experiments.core.errors import UserError, blame_user
from experiments.core.files import FORMATS, check_format, writable_folder, write_atomically
from experiments.core.nsa_agents import read_model_and_engine

if TYPE_CHECKING:
    from experiments.core.study import StudyResults


def command(study: ModuleType) -> argparse.Namespace:
    """What the ``nsa`` parser wants of a command, made from a study."""
    epilog = f"presets:\n{presets(study.PRESETS)}\n\nexamples:\n  nsa {study.NAME} --preset quick\n{study.EXAMPLES}"
    return argparse.Namespace(
        NAME=study.NAME,
        HELP=study.HELP,
        EPILOG=epilog,
        add_arguments=partial(add_arguments, study),
        run=partial(run, study),
    )


def add_arguments(study: ModuleType, parser: argparse.ArgumentParser) -> None:
    """Declare the common options, and one for each setting."""
    add = parser.add_argument
    add("--preset", metavar="NAME", default=next(iter(study.PRESETS)), help=_named_presets(study))
    for field in dataclasses.fields(study.Settings):
        if not field.init:  # it follows from others
            continue
        flag = "--" + field.name.replace("_", "-")
        add(flag, dest=f"set_{field.name}", metavar=field.metadata.get("metavar", "N"), help=field.metadata["help"])
    add("--workers", type=int, default=1, metavar="N", help="processes; they change the time only (default 1)")
    add("--out", metavar="DIR", default="nsa-results", help="where the files go (default nsa-results)")
    add("--from", dest="source", metavar="RESULTS", help="draw from a results file, without computing")
    add("--format", default="png", metavar="F", help=f"of the figure: {', '.join(FORMATS)} (default png)")
    add("--json", action="store_true", help="print one JSON object instead of the table")
    add("--quiet", action="store_true", help="no progress, no word about the files")


def _named_presets(study: ModuleType) -> str:
    first, *others = study.PRESETS
    return f"{first} (default), {', '.join(others)}"


def run(study: ModuleType, args: argparse.Namespace) -> None:
    """Compute or load, then draw and print."""
    if args.workers < 1:
        raise UserError(f"workers must be a whole number from 1 up, got {args.workers}")
    with blame_user():
        check_format(args.format)
        if args.source is None:
            settings = read_settings(study, args)
            cells = study.cells(settings)  # refuses what a bandit or an agent refuses
    out = writable_folder(args.out)

    from experiments.core import study as studies

    if args.source is not None:
        with blame_user():
            results, path = studies.load(args.source), Path(args.source)
            if results.study != study.NAME:
                raise ValueError(f"{args.source} holds results of nsa {results.study}, not of nsa {study.NAME}")
    else:
        results, path = compute(study, settings, cells, out, args.workers, args.quiet)
    files = {"results": str(path), **write_outputs(study, results, out, path.stem, args.format)}
    if args.json:
        outcome = {"settings": results.settings, "versions": results.versions, **study.summary(results)}
        print(json.dumps({**outcome, "files": files}, indent=1))
        return
    print("\n\n".join(table.text() for table in study.tables(results)))
    if not args.quiet:
        print("\n" + "\n".join(f"{kind:<9}{name}" for kind, name in files.items()))


def compute(study: ModuleType, settings: Any, cells: Any, out: Path, workers: int, quiet: bool) -> tuple[Any, Path]:
    """Run a study behind a progress bar."""
    from tqdm import tqdm

    from experiments.core import study as studies

    with tqdm(total=len(cells), disable=True if quiet else None, unit=" cells", desc=study.NAME) as bar:
        return studies.run(study.NAME, settings, cells, out, workers, bar.update)


def write_outputs(study: ModuleType, results: StudyResults, out: Path, stem: str, kind: str) -> dict[str, str]:
    """Write the figure and what other files a study makes of its results; their names by what they are."""
    figure = out / f"{stem}.{kind}"
    drawn = study.draw(results)
    write_atomically(figure, lambda file: drawn.savefig(file, format=kind, dpi=150))
    files = {"figure": str(figure)}
    for label, (suffix, text) in getattr(study, "exports", lambda results: {})(results).items():
        target = out / f"{stem}.{suffix}"
        write_atomically(target, lambda file, text=text: file.write(text.encode()))  # type: ignore[misc]
        files[label] = str(target)
    return files


def read_settings(study: ModuleType, args: argparse.Namespace) -> Any:
    """The preset with the options that were given."""
    if args.preset not in study.PRESETS:
        raise ValueError(f"unknown preset {args.preset!r}; known: {', '.join(study.PRESETS)}")
    given = read_given(study.Settings, args)
    return dataclasses.replace(study.PRESETS[args.preset], **with_engine(study.Settings, given))


def with_engine(settings: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """Given settings, the engine filled in where it follows from the model."""
    model, engine = read_model_and_engine(given.get("model"), given.get("engine"))
    has_engine = any(field.name == "engine" for field in dataclasses.fields(settings))
    if engine == "spiking" and not has_engine:
        raise ValueError("the spiking model is watched by nsa decision --model spiking")
    found = {name: value for name, value in given.items() if name not in ("model", "engine")}
    found |= {"model": model} if model else {}
    return found | ({"engine": engine} if engine and has_engine else {})


def read_given(settings: type, args: argparse.Namespace) -> dict[str, Any]:
    """The settings whose options were given."""
    texts = {field: getattr(args, f"set_{field.name}", None) for field in dataclasses.fields(settings)}
    return {field.name: _read(field, text) for field, text in texts.items() if text is not None}


def _read(field: dataclasses.Field[Any], text: str) -> Any:
    """An option's text as the type of its field."""
    kind = str(field.type)
    parts = [part.strip() for part in text.split(",") if part.strip()] if kind.startswith("tuple") else [text]
    reader = {"int": int, "float": float}.get(kind.removeprefix("tuple[").split(",")[0].strip("]"), str)
    name = field.name.replace("_", "-")
    try:
        values = tuple(reader(part) for part in parts)
    except ValueError:
        what = "whole numbers" if reader is int else "numbers"
        raise ValueError(f"--{name} takes {what}, got {text!r}") from None
    if not values:
        raise ValueError(f"--{name} names nothing")
    return values if kind.startswith("tuple") else values[0]


def presets(named: Mapping[str, Any]) -> str:
    """What presets there are, for a help text: the first in full, of the others what differs."""
    first, width = next(iter(named.values())), max(map(len, named))
    lines = []
    for name, preset in named.items():
        shown = {
            field.name: getattr(preset, field.name)
            for field in dataclasses.fields(preset)
            if field.init
            if preset is first or getattr(preset, field.name) != getattr(first, field.name)
        }
        text = ", ".join(f"{key} {show(value)}" for key, value in shown.items() if value not in ("", ()))
        lines.append(f"  {name:<{width}} {text}")
    return "\n".join(lines)


def show(value: Any) -> str:
    """A setting's value as its option takes it."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
