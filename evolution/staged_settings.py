"""The settings of a search in stages: a first look, a race between runs, a last choice."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from evolution.fitness import Games
from evolution.genome import Genome
from evolution.settings import SearchSettings
from nsa_brian.common.checks import check_whole
from nsa_brian.common.texts import shown
from nsa_brian.parameters import NSAParameters

if TYPE_CHECKING:
    from nsa_brian.model.model import Model


class Rung(NamedTuple):
    """A part of the race.

    Attributes
    ----------
    runs : int
        Runs that take part: those that were best on held-out games at the end of the rung before.
    generations : int
        Generations of each.
    iterations : int
        Games of each kind that individuals are judged by.
    """

    runs: int
    generations: int
    iterations: int = 1


#: What individuals are judged by: games of all kinds, short enough to see many.
GAMES = {"envs": ("MAB-P", "MAB-D", "MAB-sin", "MAB-sinP"), "arms": (5, 40, 200), "iterations": 1, "rounds": 1000}


@dataclass(frozen=True, kw_only=True)
class StagedSettings:
    """Everything that a search in stages depends on.

    Attributes
    ----------
    games : Games
        What individuals are judged by, drawn anew for each generation, and the model that is searched.
    sets : int
        Random sets that are looked at first.
    rungs : tuple of Rung
        The race, from the many runs that begin it to the few that end it.
    population : int
        Individuals of a generation.
    sigmas : tuple of float
        First step sizes, in units of the unbounded genes: runs begin with each of them at every start. Some good places
        are so narrow that with wider steps nearly all of the first generation lies outside, and the run walks off to
        where much is mediocre; from others small steps lead nowhere. The race tells which is which.
    fixed : dict
        Parameters that are not searched, by name, with their values.
    inexact : float
        How far genes are off when sets are judged, see :class:`evolution.settings.SearchSettings`.
    seed : int
    """

    games: Games = field(default_factory=lambda: Games(**GAMES))  # type: ignore[arg-type]
    sets: int = 4096
    rungs: tuple[Rung, ...] = (Rung(8, 15, 4), Rung(4, 20, 8), Rung(2, 30, 8), Rung(1, 80, 16))
    population: int = 64
    sigmas: tuple[float, ...] = (0.03, 0.25)
    fixed: dict[str, float] = field(default_factory=dict)
    inexact: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name, kind, called in (("rungs", Rung, "Rungs"), ("sigmas", int | float, "numbers")):
            values = getattr(self, name)
            if not isinstance(values, list | tuple) or not all(isinstance(value, kind) for value in values):
                raise ValueError(f"{name} must be a tuple of {called}, got {shown(values)}")
            object.__setattr__(self, name, tuple(values))
        check_whole("seed", self.seed, 0, None)
        if not self.rungs:
            raise ValueError("rungs must name at least one part of the race")
        for one, other in pairwise(self.rungs):
            if other.runs > one.runs:
                raise ValueError(
                    f"a rung cannot have more runs than the one before, got {shown(other.runs)} after {one.runs}"
                )
        for rung in self.rungs:
            for name, number in rung._asdict().items():
                check_whole(f"{name} of a rung", number, 1)
        check_whole("sets", self.sets, 1)
        if not self.sigmas or len(set(self.sigmas)) < len(self.sigmas):
            raise ValueError(f"sigmas must name at least one step size, each once, got {shown(self.sigmas)}")
        for number in range(1, len(self.sigmas) + 1):
            self.run(number, None)  # refuses what a search refuses
        if self.sets < self.starts:
            raise ValueError(f"sets must be at least the {self.starts} that runs begin at, got {shown(self.sets)}")

    @property
    def model(self) -> Model:
        """What is searched."""
        return self.games.model

    @property
    def genome(self) -> Genome:
        """The genes."""
        return Genome(self.fixed, self.model)

    @property
    def generations(self) -> int:
        """Generations of a run that goes all the way."""
        return sum(rung.generations for rung in self.rungs)

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The generations of a run between which each rung lies."""
        ends = list(accumulate((rung.generations for rung in self.rungs), initial=0))
        return list(pairwise(ends))

    @property
    def starts(self) -> int:
        """Places that runs begin at, from each with every step size."""
        return math.ceil(self.rungs[0].runs / len(self.sigmas))

    def run(self, number: int, start: NSAParameters | None) -> SearchSettings:
        """The settings of one of the runs, numbered from 1, which have random numbers of their own."""
        return SearchSettings(
            games=self.games,
            population=self.population,
            generations=self.generations,
            sigma=self.sigmas[(number - 1) % len(self.sigmas)],
            start=start,
            fixed=self.fixed,
            inexact=self.inexact,
            seed=self.seed * 1000 + number,
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it in plain values, the model in full."""
        plain = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return {
            **plain,
            "games": self.games.to_dict(),
            "rungs": [list(r) for r in self.rungs],
            "sigmas": list(self.sigmas),
            "fixed": dict(self.fixed),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> StagedSettings:
        """What :meth:`to_dict` made."""
        rungs = tuple(Rung(*rung) for rung in values["rungs"])
        sigmas = tuple(values["sigmas"])
        return cls(**{**values, "games": Games.from_dict(values["games"]), "rungs": rungs, "sigmas": sigmas})
