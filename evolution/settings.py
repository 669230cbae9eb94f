"""The settings of a search: everything that its outcome depends on, in plain values."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evolution.fitness import Games
from evolution.genome import Genome
from nsa_brian.common.checks import check_number, check_whole
from nsa_brian.common.texts import shown
from nsa_brian.model.timing import steps_of
from nsa_brian.parameters import NSAParameters

if TYPE_CHECKING:
    from nsa_brian.model.model import Model


#: Spread of the genes below which a search has shrunk to a point.
SMALLEST_STEP = 1e-6

#: Genes that are off by more than this say nothing of the place that they are off from.
MOST_INEXACT = 0.25


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """Everything that a search's outcome depends on.

    Attributes
    ----------
    games : Games
        What individuals are judged by, drawn anew for each generation, and the model that is searched.
    population, generations : int
    sigma : float
        First step size, in units of the unbounded genes.
    start : NSAParameters, optional
        The first centre; without it the middle of all ranges. Parameters of the model's own that it does not name
        have their defaults there.
    fixed : dict
        Parameters that are not searched, by name, with their values.
    stagnation : int
        A search that did not improve within so many generations over the same number before has stagnated, and
        stops or restarts; 0: it goes on.
    restarts : int
        Restarts after stagnation, from a random centre with twice the population each time (IPOP).
    inexact : float
        How far genes are off when individuals are judged: a standard deviation, as a part of each gene's range. The
        search then looks for broad places, where parameters need not be exact; 0: it takes any peak.
    seed : int
    """

    games: Games = field(default_factory=Games)
    population: int = 256
    generations: int = 80
    sigma: float = 0.8
    start: NSAParameters | None = None
    fixed: dict[str, float] = field(default_factory=dict)
    stagnation: int = 0
    restarts: int = 0
    inexact: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name, kind, called in (
            ("games", Games, "Games"),
            ("start", NSAParameters | None, "NSAParameters"),
            ("fixed", Mapping, "a mapping of names to numbers"),
        ):
            if not isinstance(getattr(self, name), kind):
                raise ValueError(f"{name} must be {called}, got {shown(getattr(self, name))}")
        for name, least in (("population", 4), ("generations", 1), ("stagnation", 0), ("restarts", 0)):
            check_whole(name, getattr(self, name), least)
        check_whole("seed", self.seed, 0, None)
        check_number("sigma", self.sigma, SMALLEST_STEP, 1 / SMALLEST_STEP)
        check_number("inexact", self.inexact, 0, MOST_INEXACT)
        if self.restarts and not self.stagnation:
            raise ValueError("restarts come after stagnation: say after how many generations (stagnation)")
        if self.start is not None:
            object.__setattr__(self, "start", self.model.complete(self.start))
            steps_of(self.start)  # the champion is compared with it at the end
        genome = self.genome  # refuses what it refuses
        for bound in (-math.pi, math.pi):  # all parameters at the low end of their ranges, then at the high one
            steps_of(genome.decode([bound] * genome.size))
        self.games.check_memory(self.population)

    @property
    def model(self) -> Model:
        """What is searched."""
        return self.games.model

    @property
    def genome(self) -> Genome:
        """The genes; parameters without a search range stay where the start has them."""
        given = {} if self.start is None else self.start.to_dict()
        unsearched = [name for name in self.model.declared if name not in self.model.searched]
        return Genome({**{name: given[name] for name in unsearched if name in given}, **self.fixed}, self.model)

    def to_dict(self) -> dict[str, Any]:
        """All of it in plain values, the model in full: so a search needs no file of the user's to go on."""
        plain = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        start = None if self.start is None else self.start.to_dict()
        return {**plain, "games": self.games.to_dict(), "start": start, "fixed": dict(self.fixed)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> SearchSettings:
        """What :meth:`to_dict` made."""
        games, start = Games.from_dict(values["games"]), values["start"]
        if start is not None:
            start = NSAParameters.from_dict(start, games.model.declared)
        return cls(**{**values, "games": games, "start": start})
