"""Evaluation of parameter sets by games or by a custom fitness, with exact or perturbed genes."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from deap import base

from evolution.fitness import FitnessFunction, Scores, any_finite, function_scores, is_batched, scores
from evolution.games import FitnessGames
from evolution.genome import Genome
from evolution.workers import Serial, Workers
from nsa_brian.errors import RunawayError
from nsa_brian.parameters import NSAParameters

#: Stream of the random perturbations, apart from those of the games under the same seed.
PERTURBATIONS = 100
#: Pairs of perturbed sets that play for an individual of a generation, of which there are many, and for one of few.
ONE_PAIR, PAIRS = 1, 4
#: Rates that differ by less are equal for one set of each pair. A search by exact rates alone finds sets that decide by
#: differences that no noisy neuron could read.
COARSE = 0.01


@dataclass(frozen=True)
class Perturbation:
    """How the genes of sets are perturbed when they are evaluated.

    Attributes
    ----------
    genome : Genome
    sd : float
        Standard deviation, as a fraction of each gene's range; 0: no perturbation.
    pairs : int
        Pairs of perturbed sets that play for one set; the two of a pair are perturbed in opposite directions.
    """

    genome: Genome
    sd: float
    pairs: int = PAIRS

    @property
    def players(self) -> int:
        """Number of perturbed sets that play for one set."""
        return 2 * self.pairs if self.sd else 1

    @property
    def at_once(self) -> int:
        """Number of them that play at the same time."""
        return self.pairs if self.sd else 1


@dataclass(frozen=True)
class Batch:
    """Parameter sets that a search asks to be evaluated together.

    Attributes
    ----------
    parameters : list of NSAParameters
    fitness : FitnessGames or callable
    seed : tuple of int
    perturbation : Perturbation
    iterations : int
        Games of each bandit and number of arms, or seeds of a custom fitness; 0: as the fitness says, under one seed.
    n_checked : int
        An error is raised if the activities of none of the first ``n_checked`` sets stay finite.
    """

    parameters: list[NSAParameters]
    fitness: FitnessGames | FitnessFunction
    seed: tuple[int, ...]
    perturbation: Perturbation
    iterations: int = 0
    n_checked: int = 0

    def evaluate(self, workers: Workers | None = None) -> Scores:
        """Return the scores, to be passed to the search's ``tell``."""
        if not self.parameters:  # none meets the requirements
            return Scores(np.empty((0, 1)), np.empty((0, 1)))
        arguments = self.fitness, self.seed, self.parameters, workers, self.perturbation
        found = evaluate_held_out(*arguments, self.iterations) if self.iterations else evaluate_perturbed(*arguments)
        if self.n_checked:
            check_finite(self.fitness, self.parameters[: self.n_checked], workers)
        return found


def evaluate(
    fitness: FitnessGames | FitnessFunction,
    seed: tuple[int, ...],
    parameters: Sequence[NSAParameters],
    workers: Workers | None = None,
) -> Scores:
    """Return the scores of parameter sets, computed on the workers; their number does not change the scores."""
    workers = workers or Serial()
    toolbox = base.Toolbox()
    toolbox.register("map", workers.map)
    toolbox.register("evaluate", scores if isinstance(fitness, FitnessGames) else function_scores, fitness, seed)
    width = 1 if is_batched(fitness) else workers.width
    chunks = np.array_split(np.arange(len(parameters)), min(width, len(parameters)))
    found = toolbox.map(toolbox.evaluate, [[parameters[i] for i in chunk] for chunk in chunks])
    return Scores(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def check_finite(
    fitness: FitnessGames | FitnessFunction, parameters: Sequence[NSAParameters], workers: Workers | None
) -> None:
    """Raise a RunawayError if activities are finite with none of the parameters."""
    if (
        isinstance(fitness, FitnessGames)
        and not (workers or Serial()).map(partial(any_finite, fitness), [parameters])[0]
    ):
        raise RunawayError(
            f"model {fitness.model.name}: activities are not finite with any of the first {len(parameters)} parameter "
            "sets of the search; bound its equations, or narrow the search ranges of its parameters"
        )


def evaluate_perturbed(
    fitness: FitnessGames | FitnessFunction,
    seed: tuple[int, ...],
    parameters: Sequence[NSAParameters],
    workers: Workers | None,
    perturbation: Perturbation,
) -> Scores:
    """Return mean scores over perturbed copies of each set; all sets are perturbed in the same directions.

    One set of each pair reads rates exactly; for the other, rates that differ by less than :data:`COARSE` are equal.
    """
    if not perturbation.sd:
        return evaluate(fitness, seed, parameters, workers)
    genome, pairs = perturbation.genome, perturbation.pairs
    by = np.random.default_rng([*seed, PERTURBATIONS]).normal(0, perturbation.sd, (pairs, genome.size))
    halves = [
        evaluate(half, seed, [genome.perturb(each, off) for each in parameters for off in directions], workers)
        for half, directions in ((fitness, by), (_coarse(fitness), -by))
    ]
    shape = (len(parameters), pairs, -1)
    return Scores(*(sum(half.reshape(shape).mean(axis=1) for half in both) / 2 for both in zip(*halves, strict=True)))


def evaluate_held_out(
    fitness: FitnessGames | FitnessFunction,
    seed: tuple[int, ...],
    parameters: Sequence[NSAParameters],
    workers: Workers | None,
    perturbation: Perturbation,
    iterations: int,
) -> Scores:
    """Return scores on ``iterations`` games of each kind, or by a custom fitness under as many seeds."""
    if isinstance(fitness, FitnessGames):
        games = dataclasses.replace(fitness, iterations=iterations)
        return evaluate_perturbed(games, seed, parameters, workers, perturbation)
    found = [evaluate_perturbed(fitness, (*seed, i), parameters, workers, perturbation) for i in range(iterations)]
    return Scores(*(np.hstack(parts) for parts in zip(*found, strict=True)))


def _coarse(fitness: FitnessGames | FitnessFunction) -> FitnessGames | FitnessFunction:
    """Return games in which small differences of rates are ties; spike counts have a larger tolerance anyway."""
    if not isinstance(fitness, FitnessGames) or fitness.model.tolerance >= COARSE:
        return fitness
    return dataclasses.replace(fitness, tolerance=max(COARSE, fitness.tolerance or 0.0))
