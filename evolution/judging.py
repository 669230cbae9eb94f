"""Judging sets of parameters: by games or by a fitness of one's own, with their genes as they are or a little off."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from deap import base

from evolution.fitness import Games, OwnFitness, Scores, any_finite, own_scores, scores
from evolution.genome import Genome
from evolution.workers import Serial, Workers
from nsa_brian.errors import RunawayError
from nsa_brian.parameters import NSAParameters

#: The stream of random numbers that say how genes are off, apart from those of the games under the same seed.
OFF = 100
#: Pairs of sets that play for an individual of a generation, of which there are many, and for one of few.
ONE_PAIR, PAIRS = 1, 4
#: Rates that differ by less are equal to one of each pair. A search by exact rates alone finds sets that decide by
#: differences which no noisy neuron could read.
BLUNT = 0.01


@dataclass(frozen=True)
class Around:
    """What counts as the same set when sets are judged.

    Attributes
    ----------
    genome : Genome
    inexact : float
        Standard deviation of what genes are off by, as a part of each one's range; 0: genes are exact.
    pairs : int
        Of sets near by that play for one: to each way of being off the opposite one.
    """

    genome: Genome
    inexact: float
    pairs: int = PAIRS

    @property
    def players(self) -> int:
        """Sets that play for one."""
        return 2 * self.pairs if self.inexact else 1

    @property
    def at_once(self) -> int:
        """How many of them do so at the same time."""
        return self.pairs if self.inexact else 1


def evaluate(
    judge: Games | OwnFitness,
    seed: tuple[int, ...],
    parameters: Sequence[NSAParameters],
    workers: Workers | None = None,
) -> Scores:
    """Scores of many individuals by games or by a fitness of one's own, spread over the workers.

    How they are spread does not change them.
    """
    workers = workers or Serial()
    toolbox = base.Toolbox()
    toolbox.register("map", workers.map)
    toolbox.register("evaluate", scores if isinstance(judge, Games) else own_scores, judge, seed)
    chunks = np.array_split(np.arange(len(parameters)), min(workers.width, len(parameters)))
    found = toolbox.map(toolbox.evaluate, [[parameters[i] for i in chunk] for chunk in chunks])
    return Scores(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def check_finite(judge: Games | OwnFitness, parameters: Sequence[NSAParameters], workers: Workers | None) -> None:
    """Raise a RunawayError if activities are finite with none of the parameters."""
    if isinstance(judge, Games) and not (workers or Serial()).map(partial(any_finite, judge), [parameters])[0]:
        raise RunawayError(
            f"model {judge.model.name}: activities are not finite with any of the first {len(parameters)} parameter "
            "sets of the search; bound its equations, or narrow the search ranges of its parameters"
        )


def evaluate_around(
    judge: Games | OwnFitness,
    seed: tuple[int, ...],
    parameters: Sequence[NSAParameters],
    workers: Workers | None,
    around: Around,
) -> Scores:
    """The same where nothing is exact: means over sets near by, off in the same ways for all.

    Of each pair one reads rates exactly, and to the other those that differ by less than :data:`BLUNT` are equal.
    """
    if not around.inexact:
        return evaluate(judge, seed, parameters, workers)
    genome, pairs = around.genome, around.pairs
    by = np.random.default_rng([*seed, OFF]).normal(0, around.inexact, (pairs, genome.size))
    halves = [
        evaluate(half, seed, [genome.near(each, off) for each in parameters for off in ways], workers)
        for half, ways in ((judge, by), (_blunt(judge), -by))
    ]
    shape = (len(parameters), pairs, -1)
    return Scores(*(sum(half.reshape(shape).mean(axis=1) for half in both) / 2 for both in zip(*halves, strict=True)))


def evaluate_much(
    judge: Games | OwnFitness,
    seed: tuple[int, ...],
    parameters: Sequence[NSAParameters],
    workers: Workers | None,
    around: Around,
    iterations: int,
) -> Scores:
    """The same by so many games of each kind, or by a fitness of one's own under so many seeds."""
    if isinstance(judge, Games):
        return evaluate_around(dataclasses.replace(judge, iterations=iterations), seed, parameters, workers, around)
    found = [evaluate_around(judge, (*seed, i), parameters, workers, around) for i in range(iterations)]
    return Scores(*(np.hstack(parts) for parts in zip(*found, strict=True)))


def _blunt(judge: Games | OwnFitness) -> Games | OwnFitness:
    """Games in which small differences of rates cannot be read; counts of spikes have a larger tolerance anyway."""
    if not isinstance(judge, Games) or judge.model.tolerance >= BLUNT:
        return judge
    return dataclasses.replace(judge, tolerance=max(BLUNT, judge.tolerance or 0.0))
