"""``nsa evolution-figures``: the paper's figures of a search, drawn from its folder."""

from __future__ import annotations

import argparse
from pathlib import Path

from evolution import checkpoint
from experiments.core.command import Command
from experiments.core.errors import blame_user
from experiments.core.files import FORMATS, check_format, writable_folder, write_figure
from experiments.evolve import figure as evolution_figure

EPILOG = """figures:
  fitness     best, mean and 16-84 percentile over generations
  genome      where in its range each parameter of the better half lies
  functions   Gaussian-sigmoids and neural responses of the better half
  parameters  each parameter against fitness

examples:
  nsa evolution-figures my-search
  nsa evolution-figures my-search --format pdf --out figures"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("folder", metavar="DIR", help="folder of a search (nsa evolve --out)")
    parser.add_argument("--out", metavar="DIR", help="where the figures go (default: the same folder)")
    parser.add_argument("--format", default="png", metavar="F", help=f"{', '.join(FORMATS)} (default png)")


def run(args: argparse.Namespace) -> None:
    """Draw and name the files."""
    with blame_user():
        check_format(args.format)
        if not checkpoint.read(args.folder).state["generation"]:
            raise ValueError(f"the search in {args.folder} has no generation yet")
    out = writable_folder(args.out or args.folder)
    files = draw_all(Path(args.folder), out, args.format)
    print("\n".join(f"{kind:<11}{name}" for kind, name in files.items()))


def draw_all(folder: Path, out: Path, kind: str) -> dict[str, str]:
    """Draw all figures; their files by name."""
    saved = checkpoint.read(folder)
    model, logbook = saved.settings.model, saved.state["logbook"]
    kept = checkpoint.kept_generations(folder, saved.state["generation"])
    generations = [checkpoint.read_generation(folder, i) for i in kept]
    figures = {
        "fitness": evolution_figure.draw_fitness(logbook, own=bool(saved.fitness)),
        "genome": evolution_figure.draw_genome(generations[-1], model),
        "functions": evolution_figure.draw_functions(generations[-1], model),
        "parameters": evolution_figure.draw_parameters(generations, model),
    }
    files = {}
    for name, figure in figures.items():
        path = out / f"{name}.{kind}"
        write_figure(path, figure)
        files[name] = str(path)
    return files


COMMAND = Command(EPILOG, add_arguments, run)
