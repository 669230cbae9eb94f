"""The page of a search: its champion, the champion's strategy in words, and all figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from evolution import AnySearch, Champion
from evolution.checkpoint import versions
from experiments.core.page import inline, render, shown
from experiments.evolve import folder as folders
from experiments.evolve.options import Sources, options_of, to_plain
from experiments.evolve.strategy import Strategy, games_of
from nsa_brian import NSAParameters
from nsa_brian.model.model import Model

PAGE = "search.html"

#: The columns of the report, by their names in it.
COLUMNS = {"reward": "mean reward", "regret": "regret", "regret_off": "regret, genes perturbed"}

#: Title and caption of each figure, in the order of the page.
CAPTIONS = {
    "look": (
        "Random search",
        "Left: the mean regret of every random set, best first, and that of the best ones on more games. Right: all "
        "sets in the two genes that matter most.",
    ),
    "sensitivity": (
        "Which genes matter",
        "Where the genes of the best random sets lie. A gene that is distributed as in all sets does not matter; one "
        "that clusters does.",
    ),
    "race": (
        "Successive halving",
        "CMA-ES runs from sets that choose differently, with steps of size σ. Those that are best on held-out games at "
        "the end of a rung continue. The lines are sets that come with the package, on the same held-out games.",
    ),
    "fitness": (
        "Generations",
        "Fitness in the leading run. Each generation plays new bandits, so the level varies with them.",
    ),
    "genome": ("The genome", "The better half of the last generation, each gene within its search range."),
    "functions": ("The model's functions", "Value, learning rate and responses of the better half."),
    "parameters": ("Parameters and fitness", "Every individual of the run, one panel for each gene."),
}


@dataclass(frozen=True)
class Figure:
    """A figure on the page."""

    name: str
    title: str
    text: str
    image: str


def page(
    folder: Path,
    sources: Sources,
    search: AnySearch,
    champion: Champion,
    strategy: Strategy,
    images: Mapping[str, bytes],
) -> str:
    """Return the page as HTML; images by their files' names."""
    model, settings = search.settings.model, to_plain(options_of(search.settings, sources))
    found = {Path(name).stem: image for name, image in images.items()}
    return render(
        "evolve",
        name=folder.resolve().name,
        model=model.name,
        genes=search.genome.size,
        how=folders.describe(sources, search),
        done=f"{search.generation} generations, {search.progress.game_rounds:,} game-rounds",
        champion=champion,
        report=report_table(champion.report),
        best=folder / folders.BEST,
        sentences=strategy.sentences(),
        measured=_measured(model),
        figures=[Figure(name, *CAPTIONS[name], inline(found[name])) for name in CAPTIONS if name in found],
        parameters=_rows(champion.parameters, search),
        command=f"nsa evolve --resume {quote(str(folder))}",
        settings={name: shown(value) for name, value in settings.items() if value not in (None, "", ())},
        versions=", ".join(f"{name} {version}" for name, version in versions().items()),
    )


def report_table(report: Mapping[str, Mapping[str, float]]) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of a champion's report."""
    columns = [key for key in COLUMNS if key in report["champion"]]
    rows = [[name, *(f"{row[key]:.4f}" for key in columns)] for name, row in report.items()]
    return ["", *(COLUMNS[key] for key in columns)], rows


def _measured(model: Model) -> str:
    """Return in which games the strategy was measured."""
    played = "{1} games of MAB-P with {0} arms, two trials of {2} rounds".format(*games_of(model))
    inputs = ", inputs at their defaults" if model.structure.inputs else ""
    return f"Measured in {played}, and with an arm that pays always or never{inputs}."


def _rows(parameters: NSAParameters, search: AnySearch) -> list[list[str]]:
    values, genes = parameters.to_dict(), {gene.name for gene in search.genome.genes}
    rows = []
    for name, info in search.settings.model.declared.items():
        low, high = map("{:g}".format, info.search) if name in genes and info.search else ("", "")
        rows.append([name, f"{values[name]:.6g}", info.unit, low, high, info.meaning])
    return rows
