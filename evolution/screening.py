"""Random search: many random sets on few games, then the best of them on more games, and so on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from evolution.evaluation import Batch, Perturbation
from evolution.fitness import FitnessFunction, Scores, choices
from evolution.games import FitnessGames
from evolution.genome import Genome
from evolution.requirements import RequirementError, Requirements
from evolution.workers import Workers
from nsa_brian.parameters import NSAParameters

#: One in ``KEEP`` sets of a round is screened again, on ``MORE`` times as many games.
KEEP, MORE = 8, 4
#: Screening rounds.
SCREENINGS = 3
#: Most rounds of a game; few are enough to tell good sets from bad ones.
ROUNDS = 1000
#: Players of a batch; a search can be stopped between two batches.
BATCH = 512
#: The same with requirements, whose sets take time to find.
SOME = 64
#: Random sets that are drawn at once to find those that meet the requirements, and their stream of random numbers.
DRAWN, REQUIRED = 2048, 20
#: The search gives up if fewer than one in so many random sets meet the requirements.
RARE = 20_000
#: Sets whose activities are checked at the start; if none of them stays finite, the search ends with an error.
CHECKED = 64
#: Fraction of choices in which two sets must differ to count as two strategies.
DIFFERENT = 0.1


class Screening:
    """Screening of sets that are drawn uniformly in the genome's space.

    Parameters
    ----------
    n_sets : int
        Sets in the first round.
    n_starts : int
        Number of sets to find; the last round has at least twice as many, if there are so many.
    games : FitnessGames
        What sets are scored on; in the first rounds with a single trial and few games of each kind.
    genome : Genome
    seed : tuple of int
    fitness : callable, optional
        A custom fitness in place of the games.
    inexact : float
        Standard deviation of the perturbation, except in the first round, whose sets are random anyway.
    requirements : Requirements, optional
        What sets must meet: random sets that do not are replaced by others.

    Attributes
    ----------
    screened : list of array of int
        The sets of each round, by their numbers.
    regrets : list of array
        Their regrets, as far as they are known.
    """

    def __init__(
        self,
        n_sets: int,
        n_starts: int,
        games: FitnessGames,
        genome: Genome,
        seed: tuple[int, ...],
        fitness: FitnessFunction | None = None,
        inexact: float = 0.0,
        requirements: Requirements | None = None,
    ) -> None:
        self.n_sets, self.n_starts, self._requirements = n_sets, n_starts, requirements
        self._genome, self._seed, self._fitness = genome, seed, fitness
        #: Perturbation in each round.
        self.perturbations = [Perturbation(genome, 0.0)] + [Perturbation(genome, inexact)] * (SCREENINGS - 1)
        rounds = min(games.rounds, ROUNDS)
        trials = [1] * (SCREENINGS - 1) + [games.trials]
        #: Games of each round.
        self.games = [replace(games, iterations=MORE**i, trials=n, rounds=rounds) for i, n in enumerate(trials)]
        for played, size, perturbation in zip(self.games, self.sizes, self.perturbations, strict=True):
            played.check_memory(min(size, BATCH // perturbation.players) * perturbation.at_once)
        self.screened = [np.arange(n_sets)]
        self.regrets = [np.empty(0)]
        #: Random sets that were drawn to find those that meet the requirements.
        self.drawn = 0

    @cached_property
    def vectors(self) -> np.ndarray:
        """The genes (sets, genes) of all sets; with requirements, of those that were needed so far."""
        if self._requirements:
            return np.empty((0, self._genome.size))
        return np.random.default_rng(self._seed).uniform(-math.pi, math.pi, (self.n_sets, self._genome.size))

    def _draw(self, n_sets: int) -> None:
        """Draw random sets until there are so many that meet the requirements."""
        while self._requirements and len(self.vectors) < n_sets:
            rng = np.random.default_rng([*self._seed, REQUIRED, self.drawn])
            some = rng.uniform(-math.pi, math.pi, (DRAWN, self._genome.size))
            met = self._requirements.violations([self._genome.decode(each.tolist()) for each in some]) == 0
            self.vectors = np.concatenate([self.vectors, some[met]])[: self.n_sets]
            self.drawn += DRAWN
            if self.drawn >= RARE * (1 + len(self.vectors)):
                raise RequirementError(
                    f"{len(self.vectors)} of {self.drawn} random sets meet the requirements; fewer than one in {RARE} "
                    "are too few: start a single run at a set that meets them (--start), or require less"
                )

    @property
    def done(self) -> bool:
        """Whether all rounds are done."""
        return len(self.screened) == SCREENINGS and len(self.regrets[-1]) == len(self.screened[-1])

    @property
    def sizes(self) -> list[int]:
        """Number of sets in each round."""
        fewest = min(2 * self.n_starts, self.n_sets)
        return [max(fewest, self.n_sets // KEEP**i) for i in range(SCREENINGS)]

    @property
    def best(self) -> tuple[int, np.ndarray]:
        """The last round with known regrets, from 0, and its sets so far, best first."""
        last = max(i for i, regrets in enumerate(self.regrets) if len(regrets) or not i)
        return last, self.screened[last][np.argsort(self.regrets[last], kind="stable")]

    def ask(self) -> Batch:
        """Return the next sets to be scored."""
        i = len(self.screened) - 1
        perturbation, known = self.perturbations[i], len(self.regrets[i])
        some = self.screened[i][known : known + (SOME if self._requirements else BATCH) // perturbation.players]
        self._draw(int(some.max()) + 1)
        parameters, fitness = [self.parameters(number) for number in some], self._fitness or self.games[i]
        first = i == 0 and not known
        return Batch(parameters, fitness, (*self._seed, i), perturbation, n_checked=CHECKED if first else 0)

    def tell(self, scores: Scores) -> None:
        """Record the scores of the sets asked for; after the last of a round, select the sets of the next."""
        i = len(self.screened) - 1
        self.regrets[i] = np.concatenate([self.regrets[i], scores.regret.mean(axis=1)])
        if len(self.regrets[i]) == len(self.screened[i]) and i + 1 < SCREENINGS:
            self.screened.append(self.best[1][: self.sizes[i + 1]])
            self.regrets.append(np.empty(0))

    def step(self, workers: Workers | None = None) -> None:
        """Score the next sets."""
        self.tell(self.ask().evaluate(workers))

    def parameters(self, number: int) -> NSAParameters:
        """Return a set by its number."""
        return self._genome.decode(self.vectors[number].tolist())

    def starts(self) -> list[int]:
        """Return the numbers of the best sets of the last round, best first, that choose differently.

        Many genes stand for the same strategy, mostly win-stay-lose-shift. Sets that choose alike on the same games
        count once; where there are too few others, the best of the rest follow.
        """
        order = self.best[1]
        if self._fitness is not None:  # there are no choices to compare
            return [int(number) for number in order[: self.n_starts]]
        done = choices(self.games[0], (*self._seed, SCREENINGS), [self.parameters(number) for number in order])
        chosen: list[int] = []
        for i in range(len(order)):
            if len(chosen) < self.n_starts and all((done[i] != done[j]).mean() >= DIFFERENT for j in chosen):
                chosen.append(i)
        rest = [i for i in range(len(order)) if i not in chosen]
        return [int(order[i]) for i in (chosen + rest)[: self.n_starts]]

    def state(self) -> dict[str, Any]:
        """Return the results so far, as arrays by name."""
        found: dict[str, Any] = {f"look_{i}_sets": sets for i, sets in enumerate(self.screened)}
        found |= {f"look_{i}_regrets": regrets for i, regrets in enumerate(self.regrets)}
        if self.drawn:
            found |= {"screening_vectors": self.vectors, "screening_drawn": np.array(self.drawn)}
        return found

    def restore(self, state: Mapping[str, Any]) -> None:
        """Resume from what :meth:`state` returned; a ValueError if it is something else."""
        rounds = range(sum(name.endswith("_sets") for name in state))
        screened = [state[f"look_{i}_sets"] for i in rounds]
        regrets = [state[f"look_{i}_regrets"] for i in rounds]
        for sets, known in zip(screened, regrets, strict=True):
            if sets.ndim != 1 or known.ndim != 1 or sets.dtype.kind != "i" or known.dtype.kind != "f":
                raise ValueError("a screening round must have one row of set numbers and one of regrets")
            if not len(sets) or len(known) > len(sets) or sets.min() < 0 or sets.max() >= self.n_sets:
                raise ValueError(f"a screening round must have some of the {self.n_sets} sets, at most one regret each")
        if not 1 <= len(screened) <= SCREENINGS or len(screened[0]) != self.n_sets:
            raise ValueError(f"there must be 1 to {SCREENINGS} screening rounds, the first of all {self.n_sets} sets")
        if self._requirements and "screening_vectors" in state:
            vectors, drawn = state["screening_vectors"], state["screening_drawn"]
            if vectors.shape[1:] != (self._genome.size,) or vectors.dtype.kind != "f" or drawn.dtype.kind != "i":
                raise ValueError("the random sets that meet the requirements must have a row of genes each")
            self.vectors, self.drawn = vectors, int(drawn)
        self.screened, self.regrets = screened, regrets
