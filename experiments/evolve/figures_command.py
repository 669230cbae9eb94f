"""``nsa evolution-figures``: the paper's figures of a search, drawn from its folder."""

from __future__ import annotations

import argparse
from pathlib import Path

from evolution import StagedSearch, checkpoint, staged
from experiments.core.command import Command
from experiments.core.errors import blame_file, blame_user
from experiments.core.figures import rendered
from experiments.core.files import FORMATS, check_format, writable_folder, write_bytes
from experiments.evolve import figure as evolution_figure
from experiments.evolve import folder as folders
from experiments.evolve import stages_figure
from experiments.evolve.folder import in_stages
from nsa_brian import load
from nsa_brian.common.archive import Arrays

#: Sets that come with the package, to compare with.
SHIPPED = ("evolved", "minbandit-38", "minbandit-29")

EPILOG = """figures, of a search in stages:
  look        regret of all random sets, and where runs began
  sensitivity which genes matter, by where those of the best sets lie
  race        the runs on held-out games, beside the sets that come with the package
and of a run, in stages of the one that leads:
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
    folder = Path(args.folder)
    with blame_user():
        check_format(args.format)
        check_readable(folder)
        if args.plugin:  # games are played by the sets that come with the package
            found = folders.load(folder)
            folders.check_inputs(folder, found.inputs, folders.inputs_of(found.settings))
    with blame_file(folder, "a search's folder"):
        images = drawn(folder, args.format)
    out = writable_folder(args.folder if args.out is None else args.out)
    print("\n".join(f"{kind:<12}{name}" for kind, name in write_all(images, out).items()))


def check_readable(folder: Path) -> None:
    """Refuse a folder whose figures cannot be drawn: that has no generation yet, or whose generations are no such."""
    if not in_stages(folder):
        _read(folder)
        return
    search = StagedSearch.load(folder)
    if not search.generation:
        raise ValueError(f"the search in {folder} is still looking: it has no generation yet")
    for number, run in search.runs.items():
        if run.generation:
            _read(staged.run_folder(folder, number))


def drawn(folder: Path, kind: str) -> dict[str, bytes]:
    """All figures by their files' names."""
    figures = {}
    if in_stages(folder):
        search = StagedSearch.load(folder)
        # Neurons that spike would take minutes to play the shipped sets.
        others = {} if search.settings.model.structure.spikes else _shipped(search)
        figures = {
            "look": stages_figure.draw_look(search),
            "sensitivity": stages_figure.draw_sensitivity(search),
            "race": stages_figure.draw_race(search, others),
        }
        folder = staged.run_folder(folder, search.leading)
    saved, generations = _read(folder)
    model, genome, logbook = saved.settings.model, saved.settings.genome, saved.state["logbook"]
    figures |= {
        "fitness": evolution_figure.draw_fitness(logbook, own=bool(saved.fitness)),
        "genome": evolution_figure.draw_genome(generations[-1], genome),
        "functions": evolution_figure.draw_functions(generations[-1], model),
        "parameters": evolution_figure.draw_parameters(generations, genome),
    }
    return {f"{name}.{kind}": rendered(figure, kind) for name, figure in figures.items()}


def _shipped(search: StagedSearch) -> dict[str, float]:
    """Regrets of the shipped sets on the games that the runs were judged by."""
    complete = search.settings.model.complete
    return dict(zip(SHIPPED, search.judge([complete(load(name).parameters) for name in SHIPPED]), strict=True))


def _read(folder: Path) -> tuple[checkpoint.Checkpoint, list[Arrays]]:
    """A run, and its generations, of which there must be one."""
    saved = checkpoint.read(folder)
    kept = checkpoint.kept_generations(folder, saved.state["generation"])
    if not kept:
        raise ValueError(f"the search in {folder} has no generation yet")
    generations = [checkpoint.read_generation(folder, i) for i in kept]
    if any(found["parameters"].shape[1] != len(saved.settings.model.declared) for found in generations):
        raise ValueError(f"the search in {folder} has generations of another model")
    return saved, generations


def write_all(images: dict[str, bytes], out: Path) -> dict[str, str]:
    """Write figures; their files by what they show."""
    for name, image in images.items():
        write_bytes(out / name, image)
    return {Path(name).stem: str(out / name) for name in images}


COMMAND = Command(EPILOG, add_arguments, run)
