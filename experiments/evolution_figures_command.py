"""``nsa evolution-figures``: the paper's figures of a search, drawn from its folder."""

from __future__ import annotations

import argparse
from pathlib import Path

from experiments.errors import blame_user
from experiments.files import FORMATS, check_format, writable_folder, write_atomically

NAME = "evolution-figures"
HELP = "draw the figures of a search from its folder"
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
    from experiments import evolution_folder

    with blame_user():
        check_format(args.format)
        if not evolution_folder.load(args.folder).search.generation:
            raise ValueError(f"the search in {args.folder} has no generation yet")
    out = writable_folder(args.out or args.folder)
    files = draw_all(Path(args.folder), out, args.format)
    print("\n".join(f"{kind:<11}{name}" for kind, name in files.items()))


def draw_all(folder: Path, out: Path, kind: str) -> dict[str, str]:
    """Draw all figures; their files by name."""
    from experiments import evolution_figure, evolution_folder

    search = evolution_folder.load(folder).search
    generations = [evolution_folder.read_generation(folder, 1 + i) for i in range(search.generation)]
    figures = {
        "fitness": evolution_figure.draw_fitness(list(search.logbook)),
        "genome": evolution_figure.draw_genome(generations[-1]),
        "functions": evolution_figure.draw_functions(generations[-1]),
        "parameters": evolution_figure.draw_parameters(generations),
    }
    files = {}
    for name, figure in figures.items():
        path = out / f"{name}.{kind}"
        write_atomically(path, lambda file, figure=figure: figure.savefig(file, format=kind, dpi=150))  # type: ignore[misc]
        files[name] = str(path)
    return files
