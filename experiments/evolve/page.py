"""The page of a search: its champion, what the champion does in words, every stage in a picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

from evolution.champion import Champion
from evolution.checkpoint import versions
from evolution.staged import AnySearch
from experiments.core.page import inline, render, shown
from experiments.evolve import folder as folders
from experiments.evolve.progress import game_rounds
from experiments.evolve.settings import EvolutionSettings, inexactly, one_run
from experiments.evolve.strategy import games_of, strategy
from nsa_brian import NSAParameters
from nsa_brian.model.model import Model

PAGE = "search.html"

#: What is reported of sets, by its name in the report.
COLUMNS = {"reward": "mean reward", "regret": "regret", "regret_off": "regret, judged inexactly"}

#: What each figure is called, and what is to be seen in it, in the order of the page.
CAPTIONS = {
    "look": (
        "The first look",
        "Left: the mean regret of every random set, best first, and that of the best ones by more games. Right: all "
        "sets in the two genes that matter most.",
    ),
    "sensitivity": (
        "Which genes matter",
        "Where the genes of the best random sets lie. A gene that is spread as all sets are does not matter; one that "
        "crowds somewhere does.",
    ),
    "race": (
        "The race",
        "Runs that began at sets which choose differently, with steps of size σ. Those that do best on held-out games "
        "at the end of a rung go on. The lines are sets that come with the package, on the same held-out games.",
    ),
    "fitness": (
        "Generations",
        "Fitness in the run that won, or in the only one. Each generation meets new bandits, so the level wavers with "
        "them.",
    ),
    "genome": ("Where the genes went", "The better half of the last generation, each gene within its search range."),
    "functions": ("What the neurons compute", "Value, learning rate and responses of the better half."),
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
    folder: Path, settings: EvolutionSettings, search: AnySearch, champion: Champion, images: Mapping[str, bytes]
) -> str:
    """The whole page; images by their files' names."""
    model = search.settings.model
    found = {Path(name).stem: image for name, image in images.items()}
    return render(
        "evolve",
        name=folder.resolve().name,
        model=model.name,
        genes=search.genome.size,
        how=_how(settings),
        told=f"{search.generation} generations, {game_rounds(search):,} game-rounds",
        champion=champion,
        report=report_table(champion.report),
        best=folder / folders.BEST,
        sentences=strategy(champion.parameters, model, search.genome).sentences(),
        measured=_measured(model),
        figures=[Figure(name, *CAPTIONS[name], inline(found[name])) for name in CAPTIONS if name in found],
        parameters=_rows(champion.parameters, search),
        command=f"nsa evolve --resume {quote(str(folder))}",
        settings={name: shown(value) for name, value in settings.to_dict().items() if _is_given(value)},
        versions=", ".join(f"{name} {version}" for name, version in versions().items()),
    )


def report_table(report: Mapping[str, Mapping[str, float]]) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a champion's report."""
    columns = [key for key in COLUMNS if key in report["champion"]]
    rows = [[name, *(f"{row[key]:.4f}" for key in columns)] for name, row in report.items()]
    return ["", *(COLUMNS[key] for key in columns)], rows


def _measured(model: Model) -> str:
    """What the strategy was read from."""
    played = "{1} games of MAB-P with {0} arms, two trials of {2} rounds".format(*games_of(model))
    inputs = ", inputs at their defaults" if model.structure.inputs else ""
    return f"Measured in {played}, and with an arm that pays always or never{inputs}."


def _how(settings: EvolutionSettings) -> str:
    judged = inexactly(settings)
    if not settings.in_stages:
        return f"by one run of {one_run(settings)} with {settings.population} individuals{judged}"
    race = ", then ".join(rung.split("x")[0] for rung in settings.rungs)
    return f"in stages: a look at {settings.look} random sets, then a race of {race} runs of CMA-ES{judged}"


def _rows(parameters: NSAParameters, search: AnySearch) -> list[list[str]]:
    values, genes = parameters.to_dict(), {gene.name for gene in search.genome.genes}
    rows = []
    for name, info in search.settings.model.declared.items():
        low, high = map("{:g}".format, info.search) if name in genes and info.search else ("", "")
        rows.append([name, f"{values[name]:.6g}", info.unit, low, high, info.meaning])
    return rows


def _is_given(value: Any) -> bool:
    return value not in (None, "", ())
