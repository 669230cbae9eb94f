"""Settings of a search: everything that its outcome depends on."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from evolution.checks import Subject
from evolution.games import FitnessGames
from evolution.genome import Genome
from evolution.requirements import Requirements
from nsa_brian.common.checks import check_number, check_whole
from nsa_brian.common.texts import shown
from nsa_brian.parameters import NSAParameters

if TYPE_CHECKING:
    from nsa_brian.model.model import Model


#: Spread of the genes below which the distribution has shrunk to a point.
SMALLEST_STEP = 1e-6

#: Largest standard deviation of a perturbation, as a fraction of a gene's range.
LARGEST_PERTURBATION = 0.25


@dataclass(frozen=True, kw_only=True)
class CommonSettings:
    """Settings of both kinds of search.

    Attributes
    ----------
    games : FitnessGames
        What individuals are scored on, drawn anew for each generation, and the model that is searched.
    population : int
        Individuals of a generation.
    fixed : dict
        Parameters that are not searched, by name, with their values.
    inexact : float
        Standard deviation of the perturbation of the genes when individuals are scored, as a fraction of each gene's
        range. The search then prefers robust parameters, whose neighbours play well too; 0: no perturbation.
    seed : int
    require : tuple of str
        Conditions that sets must meet, see :class:`evolution.requirements.Requirements`; by default none.
    """

    #: Defaults of the games, where they differ from those of :class:`evolution.games.FitnessGames`.
    default_games: ClassVar[Mapping[str, Any]] = {}

    games: FitnessGames = field(default_factory=FitnessGames)
    population: int = 256
    fixed: dict[str, float] = field(default_factory=dict)
    inexact: float = 0.0
    seed: int = 0
    require: tuple[str, ...] = ()

    @property
    def model(self) -> Model:
        """The model that is searched."""
        return self.games.model

    @property
    def genome(self) -> Genome:
        """The genes that are searched."""
        return Genome(self.fixed, self.model)

    @property
    def requirements(self) -> Requirements:
        """What sets must meet, for the checks that need no games."""
        return Requirements(self.require, Subject(self.model, self.genome, self.games.integration))

    def to_dict(self) -> dict[str, Any]:
        """Return all settings as plain values; the model is included, so a search can resume without its file."""
        plain = {f.name: _plain(getattr(self, f.name)) for f in dataclasses.fields(self)}
        if not self.require:  # unknown to earlier releases, whose search ids would change
            del plain["require"]
        return plain

    def _check_require(self) -> None:
        """Store the requirements as a tuple; raise a ValueError if one is invalid."""
        if not isinstance(self.require, list | tuple) or not all(isinstance(text, str) for text in self.require):
            raise ValueError(f"require must be a tuple of texts, got {shown(self.require)}")
        object.__setattr__(self, "require", tuple(self.require))
        _ = self.requirements


@dataclass(frozen=True, kw_only=True)
class SearchSettings(CommonSettings):
    """Settings of a single CMA-ES run, beside those of both kinds of search.

    Attributes
    ----------
    generations : int
    sigma : float
        Initial step size, in units of the unbounded genes.
    start : NSAParameters, optional
        The initial centre; by default the middle of all ranges. A model's own parameters that it does not name have
        their defaults there.
    stagnation : int
        Stop, or restart, if the last ``stagnation`` generations are not better than as many before; 0: never.
    restarts : int
        Restarts after stagnation, from a random centre with twice the population each time (IPOP).
    """

    generations: int = 80
    sigma: float = 0.8
    start: NSAParameters | None = None
    stagnation: int = 0
    restarts: int = 0

    def __post_init__(self) -> None:
        for name, kind, called in (
            ("games", FitnessGames, "FitnessGames"),
            ("start", NSAParameters | None, "NSAParameters"),
            ("fixed", Mapping, "a mapping of names to numbers"),
        ):
            if not isinstance(getattr(self, name), kind):
                raise ValueError(f"{name} must be {called}, got {shown(getattr(self, name))}")
        for name, least in (("population", 4), ("generations", 1), ("stagnation", 0), ("restarts", 0)):
            check_whole(name, getattr(self, name), least)
        check_whole("seed", self.seed, 0, None)
        check_number("sigma", self.sigma, SMALLEST_STEP, 1 / SMALLEST_STEP)
        check_number("inexact", self.inexact, 0, LARGEST_PERTURBATION)
        if self.restarts and not self.stagnation:
            raise ValueError("restarts need stagnation: the number of generations without improvement")
        if self.start is not None:
            object.__setattr__(self, "start", self.model.complete(self.start))
            self.games.check_steps(self.start)  # it plays beside the champion at the end
        genome = self.genome  # raises an error for illegal fixed values
        for bound in (-math.pi, math.pi):  # all parameters at their low bounds, then at their high ones
            self.games.check_steps(genome.decode([bound] * genome.size))
        self.games.check_memory(self.population)
        self._check_require()

    @property
    def genome(self) -> Genome:
        """The genes that are searched; parameters without a search range keep the start's values."""
        given = {} if self.start is None else self.start.to_dict()
        unsearched = [name for name in self.model.declared if name not in self.model.searched]
        return Genome({**{name: given[name] for name in unsearched if name in given}, **self.fixed}, self.model)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> SearchSettings:
        """Return the settings that :meth:`to_dict` described."""
        games, start = FitnessGames.from_dict(values["games"]), values["start"]
        if start is not None:
            start = NSAParameters.from_dict(start, games.model.declared)
        return cls(**{**values, "games": games, "start": start})


class Rung(NamedTuple):
    """A rung of the successive halving.

    Attributes
    ----------
    runs : int
        Runs that take part: those that were best on held-out games at the end of the previous rung.
    generations : int
        Generations of each run.
    iterations : int
        Games of each bandit and number of arms that individuals are scored on.
    """

    runs: int
    generations: int
    iterations: int = 1


@dataclass(frozen=True, kw_only=True)
class StagedSettings(CommonSettings):
    """Settings of a staged search, beside those of both kinds of search.

    Attributes
    ----------
    sets : int
        Random parameter sets that are screened first.
    rungs : tuple of Rung
        Successive halving, from many runs in the first rung to few in the last.
    sigmas : tuple of float
        Initial step sizes, in units of the unbounded genes: from every start a run begins with each of them. Some good
        regions are so narrow that with larger steps nearly all of the first generation lies outside and the run drifts
        off to a mediocre region; from other starts small steps make no progress. The halving decides between them.
    """

    default_games: ClassVar[Mapping[str, Any]] = {
        "envs": ("MAB-P", "MAB-D", "MAB-sin", "MAB-sinP"),
        "arms": (5, 40, 200),
        "iterations": 1,
        "rounds": 1000,
    }

    games: FitnessGames = field(default_factory=lambda: FitnessGames(**StagedSettings.default_games))
    population: int = 64
    sets: int = 4096
    rungs: tuple[Rung, ...] = (Rung(8, 15, 4), Rung(4, 20, 8), Rung(2, 30, 8), Rung(1, 80, 16))
    sigmas: tuple[float, ...] = (0.03, 0.25)

    def __post_init__(self) -> None:
        for name, kind, called in (("rungs", Rung, "Rungs"), ("sigmas", int | float, "numbers")):
            values = getattr(self, name)
            if not isinstance(values, list | tuple) or not all(isinstance(value, kind) for value in values):
                raise ValueError(f"{name} must be a tuple of {called}, got {shown(values)}")
            object.__setattr__(self, name, tuple(values))
        check_whole("seed", self.seed, 0, None)
        if not self.rungs:
            raise ValueError("rungs must have at least one rung, got none")
        for one, other in pairwise(self.rungs):
            if other.runs > one.runs:
                raise ValueError(
                    f"a rung cannot have more runs than the one before, got {shown(other.runs)} after {one.runs}"
                )
        for rung in self.rungs:
            for name, number in rung._asdict().items():
                check_whole(f"{name} of a rung", number, 1)
        check_whole("sets", self.sets, 1)
        self._check_require()
        if not self.sigmas or len(set(self.sigmas)) < len(self.sigmas):
            raise ValueError(f"sigmas must have at least one step size, each once, got {shown(self.sigmas)}")
        for number in range(1, len(self.sigmas) + 1):
            self.run(number, None)  # raises an error for what a single run cannot have
        if self.sets < self.starts:
            raise ValueError(f"sets must be at least the number of starts, {self.starts}, got {shown(self.sets)}")

    @property
    def generations(self) -> int:
        """Generations of a run that takes part in all rungs."""
        return sum(rung.generations for rung in self.rungs)

    @property
    def spans(self) -> list[tuple[int, int]]:
        """First and last generation, exclusive and inclusive, of each rung."""
        ends = list(accumulate((rung.generations for rung in self.rungs), initial=0))
        return list(pairwise(ends))

    @property
    def starts(self) -> int:
        """Number of sets that runs start at, from each with every step size."""
        return math.ceil(self.rungs[0].runs / len(self.sigmas))

    def run(self, number: int, start: NSAParameters | None) -> SearchSettings:
        """Return the settings of one run, numbered from 1; each run has its own random numbers."""
        return SearchSettings(
            games=self.games,
            population=self.population,
            generations=self.generations,
            sigma=self.sigmas[(number - 1) % len(self.sigmas)],
            start=start,
            fixed=self.fixed,
            inexact=self.inexact,
            seed=self.seed * 1000 + number,
            require=self.require,
        )

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> StagedSettings:
        """Return the settings that :meth:`to_dict` described."""
        rungs = tuple(Rung(*rung) for rung in values["rungs"])
        sigmas = tuple(values["sigmas"])
        return cls(**{**values, "games": FitnessGames.from_dict(values["games"]), "rungs": rungs, "sigmas": sigmas})


def _plain(value: Any) -> Any:
    """Convert a setting to values that JSON has."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return dict(value)
    return value.to_dict() if hasattr(value, "to_dict") else value
