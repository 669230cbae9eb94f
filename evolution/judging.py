"""Judging sets of parameters: by games or by a fitness of one's own, with their genes as they are or a little off."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from deap import base

from evolution.fitness import Games, OwnFitness, Scores, own_scores, scores
from evolution.genome import Genome
from evolution.workers import Serial, Workers
from nsa_brian.parameters import NSAParameters

#: The stream of random numbers that say how genes are off, apart from those of the games under the same seed.
OFF = 100
#: Where genes count as inexact, the sets that play for one: a pair for an individual of a generation, so that many can
#: be seen; more where few sets are left to choose from.
PAIR, MANY = 2, 8
#: Rates that differ by less are equal to half of them. A search by exact rates alone finds sets that decide by
#: differences which no noisy neuron could read.
BLUNT = 0.01


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


def players_of(inexact: float, players: int = MANY) -> int:
    """Sets that play for one."""
    return players if inexact else 1


def evaluate_around(
    judge: Games | OwnFitness,
    seed: tuple[int, ...],
    parameters: Sequence[NSAParameters],
    workers: Workers | None,
    genome: Genome,
    inexact: float,
    players: int = MANY,
) -> Scores:
    """The same where nothing is exact: means over sets near by that play for each, off in the same ways for all.

    ``inexact`` is the standard deviation of what genes are off by, as a part of each one's range. With each way of
    being off goes its opposite, so that on a slope it makes no difference. To those in opposite ways, rates that differ
    by less than :data:`BLUNT` are equal.
    """
    if not inexact:
        return evaluate(judge, seed, parameters, workers)
    by = np.random.default_rng([*seed, OFF]).normal(0, inexact, (players // 2, genome.size))
    halves = [
        evaluate(judges, seed, [genome.near(each, off) for each in parameters for off in ways], workers)
        for judges, ways in ((judge, by), (_blunt(judge), -by))
    ]
    shape = (len(parameters), players // 2, -1)
    return Scores(*(sum(half.reshape(shape).mean(axis=1) for half in both) / 2 for both in zip(*halves, strict=True)))


def _blunt(judge: Games | OwnFitness) -> Games | OwnFitness:
    """Games in which small differences of activity cannot be read; spikes are counted, and have a tolerance anyway."""
    if not isinstance(judge, Games) or judge.model.kind == "spiking":
        return judge
    return dataclasses.replace(judge, tolerance=BLUNT)
