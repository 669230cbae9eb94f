"""The interface of a search, which a single run and a staged search share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from deap import tools

from evolution.evaluation import Batch
from evolution.fitness import FitnessFunction, Scores
from evolution.genome import Genome
from evolution.requirements import Requirements
from evolution.settings import SearchSettings, StagedSettings
from evolution.workers import Workers
from nsa_brian.parameters import NSAParameters

if TYPE_CHECKING:
    from evolution.search import Search


@dataclass(frozen=True)
class Progress:
    """How far a search is.

    Attributes
    ----------
    done, total : float
        Work done, and in all, in the same unit.
    game_rounds : int
        Rounds played by all individuals and screened sets; held-out games are not counted.
    so_far : str
        How much is done, such as "generation 3 of 80".
    last : str
        What the last step did, as a line for a log.
    warning : str
        What is wrong with the search, if something is.
    """

    done: float
    total: float
    game_rounds: int
    so_far: str
    last: str
    warning: str = ""


class AnySearch(Protocol):
    """A search of either kind: ``tell(ask().evaluate(workers))`` until ``stop`` gives a reason."""

    fitness: FitnessFunction | None
    #: The name of the custom fitness; empty if there is none.
    custom_fitness: str
    genome: Genome
    #: What sets must meet.
    requirements: Requirements
    #: Plain values that were saved with the search, and the versions of the packages that saved it.
    extra: dict[str, Any]
    versions: dict[str, str]

    @property
    def settings(self) -> SearchSettings | StagedSettings:
        """Everything that the outcome depends on."""

    @property
    def generation(self) -> int:
        """Generations done, of all runs."""

    @property
    def logbook(self) -> tools.Logbook:
        """One record for each generation of the leading run."""

    @property
    def stop(self) -> str:
        """Why the search is over; empty if it is not."""

    @property
    def progress(self) -> Progress:
        """How far the search is."""

    @property
    def run_folders(self) -> dict[Path, Search]:
        """Runs with at least one generation, by their folders within the search's, the leading one first."""

    @property
    def start(self) -> NSAParameters | None:
        """The set that it was told to start at."""

    @property
    def description(self) -> str:
        """How the parameters were searched, in words."""

    def ask(self) -> Batch:
        """Return the sets to be evaluated next."""

    def tell(self, scores: Scores) -> None:
        """Continue with the scores of the sets that were asked for last."""

    def step(self, workers: Workers | None = None) -> None:
        """Ask, evaluate and tell once."""

    def candidates(self) -> dict[str, NSAParameters]:
        """Return the sets that the champion is chosen from, by name."""

    def summary(self) -> dict[str, Any]:
        """Return the outcome so far as plain values."""

    def save(self, folder: str | Path, extra: Mapping[str, Any] | None = None) -> None:
        """Write the search to its folder, atomically."""
