"""``nsa evolution-figures``: the paper's figures of a search, drawn from its folder."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from matplotlib.figure import Figure

from evolution import AnySearch, StagedSearch, checkpoint
from evolution.state import MET
from experiments.core.command import Command
from experiments.core.errors import blame_file, blame_user
from experiments.core.figures import rendered
from experiments.core.files import FORMATS, check_format, writable_folder, write_bytes
from experiments.core.outside import note
from experiments.evolve import figure as run_figure
from experiments.evolve import folder as folders
from experiments.evolve import stages_figure
from experiments.evolve.measured import Tell, shipped_regrets
from nsa_brian.common.archive import Arrays

EPILOG = """figures of a staged search:
  look        regret of all random sets, and where runs started
  sensitivity which genes matter, by where those of the best sets lie
  race        successive halving: the runs on held-out games, beside the sets that come with the package
and of a run, in a staged search of the leading one:
  fitness     best, mean and 16-84 percentile over generations
  genome      where in its range each parameter of the better half lies
  functions   Gaussian-sigmoids and neural responses of the better half
  parameters  each parameter against fitness

No games are played but by `race`, once: their results are stored in the folder of the search.

examples:
  nsa evolution-figures my-search
  nsa evolution-figures my-search --format pdf --out figures"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("folder", metavar="DIR", help="folder of a search (nsa evolve --out)")
    parser.add_argument("--out", metavar="DIR", help="where the figures go (default: the same folder)")
    parser.add_argument("--format", default="png", metavar="F", help=f"{', '.join(FORMATS)} (default png)")


def run(args: argparse.Namespace) -> None:
    """Draw the figures and print their paths."""
    folder = Path(args.folder)
    with blame_user():
        check_format(args.format)
        saved = folders.load(folder, read_only=True)
        check_generations(saved.search, folder)
        if not any(record.get(MET, record["population"]) for record in saved.search.logbook):
            raise ValueError(f"no individual of the search in {folder} meets its requirements yet")
        if args.plugin:  # the shipped sets may play its bandits
            folders.check_inputs(folder, saved.inputs, folders.inputs_of(saved.search.settings, saved.sources))
    with blame_file(folder, "a search's folder"):
        images = draw_figures(saved.search, folder, args.format, note)
    out = writable_folder(args.folder if args.out is None else args.out)
    print("\n".join(f"{kind:<12}{name}" for kind, name in write_all(images, out).items()))


def check_generations(search: AnySearch, folder: Path) -> None:
    """Raise an error if there is no generation yet, or if saved generations cannot be read."""
    if not search.run_folders:
        raise ValueError(f"the search in {folder} has no generation yet")
    for place in search.run_folders:
        _generations(search, folder, place)


def draw_figures(search: AnySearch, folder: Path, kind: str, tell: Tell) -> dict[str, bytes]:
    """Draw all figures of a search that has a generation; return them by their files' names."""
    place, run = next(iter(search.run_folders.items()))
    generations = [each for each in _generations(search, folder, place) if len(each["reward"])]
    genome = run.settings.genome
    figures = {
        **_STAGES.get(type(search), lambda *_: {})(search, folder, tell),
        "fitness": run_figure.draw_fitness(list(run.logbook), own=bool(search.custom_fitness)),
        "genome": run_figure.draw_genome(generations[-1], genome),
        "functions": run_figure.draw_functions(generations[-1], run.settings.model),
        "parameters": run_figure.draw_parameters(generations, genome),
    }
    return {f"{name}.{kind}": rendered(figure, kind) for name, figure in figures.items()}


def _draw_stages(search: StagedSearch, folder: Path, tell: Tell) -> dict[str, Figure]:
    return {
        "look": stages_figure.draw_screening(search),
        "sensitivity": stages_figure.draw_sensitivity(search),
        "race": stages_figure.draw_halving(search, shipped_regrets(search, folder, tell)),
    }


#: What draws the stages of a kind of search.
_STAGES: dict[type, Callable[..., dict[str, Figure]]] = {StagedSearch: _draw_stages}


def _generations(search: AnySearch, folder: Path, place: Path) -> list[Arrays]:
    """Read the saved generations of a run; there is at least one."""
    run, folder = search.run_folders[place], folder / place
    saved = checkpoint.kept_generations(folder, run.generation)
    if not saved:
        raise ValueError(f"the search in {folder} has no generation yet")
    generations = [checkpoint.read_generation(folder, i) for i in saved]
    if any(found["parameters"].shape[1] != len(run.settings.model.declared) for found in generations):
        raise ValueError(f"the search in {folder} has generations of another model")
    return generations


def write_all(images: dict[str, bytes], out: Path) -> dict[str, str]:
    """Write figures; return their paths by name."""
    for name, image in images.items():
        write_bytes(out / name, image)
    return {Path(name).stem: str(out / name) for name in images}


COMMAND = Command(EPILOG, add_arguments, run)
