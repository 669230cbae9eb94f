"""Maximisation by CMA-ES with restarts, all of which are evaluated in one call per generation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from deap import base, cma

#: Returns the values (n,) of points (n, dimensions) in the unit cube, each of a problem (n,); larger is better.
Objective = Callable[[np.ndarray, np.ndarray], np.ndarray]

#: Initial step size, and the one at which a run ends, in units in which a range is pi wide.
STEP, SMALLEST = 0.3, 1e-5
#: A run ends if its best value has not improved by more than this in so many generations.
IMPROVEMENT, PATIENCE = 1e-4, 15
#: A problem is solved if so many runs have ended with the best value of all, up to this difference.
AGREEING, SAME = 3, 1e-2
#: Lowest value, in place of minus infinity and of nan.
LOWEST = -1e300


@dataclass(frozen=True)
class Found:
    """Best point of a search.

    Attributes
    ----------
    point : array (dimensions,)
        In the unit cube.
    value : float
    evaluations : int
    runs : array (restarts,)
        Best value of each run; they agree if the maximum is well defined.
    """

    point: np.ndarray
    value: float
    evaluations: int
    runs: np.ndarray


def maximise(
    objective: Objective,
    dimensions: int,
    rngs: Sequence[np.random.Generator],
    screened: int = 1024,
    restarts: int = 6,
    population: int = 12,
    generations: int = 60,
) -> list[Found]:
    """Return the best point of each of several problems, by CMA-ES runs from the best points of a sample.

    All runs of all problems are evaluated in one call per generation. Problems do not depend on each other.

    Parameters
    ----------
    objective : callable
    dimensions : int
        With 0 the objective is evaluated once.
    rngs : sequence of numpy.random.Generator
        One for each problem.
    screened, restarts, population, generations : int
        Points of the sample, number of runs, points per generation of a run, largest number of generations.
    """
    problems = np.arange(len(rngs))
    if not dimensions:
        values = _finite(objective(np.zeros((len(rngs), 0)), problems))
        return [Found(np.zeros(0), float(value), 1, np.array([value])) for value in values]
    sampled = [latin_hypercube(screened, dimensions, rng) for rng in rngs]
    values = _finite(objective(np.concatenate(sampled), problems.repeat(screened))).reshape(len(rngs), -1)
    runs = []
    for problem in problems:
        order = values[problem].argsort(kind="stable")[::-1]
        runs.append([_Run(sampled[problem][i], values[problem, i], population) for i in order[:restarts]])
    for _ in range(generations):
        active = [(i, run) for i, each in enumerate(runs) if not _solved(each) for run in each if not run.over]
        if not active:
            break
        asked = [run.ask(rngs[problem]) for problem, run in active]
        which = np.array([problem for problem, _ in active]).repeat(population)
        found = _finite(objective(_to_cube(np.concatenate(asked)), which))
        for (_, run), part in zip(active, np.split(found, len(active)), strict=True):
            run.tell(part)
    return [_found(each, screened) for each in runs]


def _solved(runs: Sequence[_Run]) -> bool:
    """Return whether enough runs have ended at the best point of all."""
    top = max(run.best for run in runs)
    return sum(run.over and run.best >= top - SAME for run in runs) >= min(AGREEING, len(runs))


def _found(runs: Sequence[_Run], screened: int) -> Found:
    """Return the best of some runs."""
    top = max(runs, key=lambda run: run.best)
    evaluations = screened + sum(run.evaluations for run in runs)
    return Found(_to_cube(top.place), top.best, evaluations, np.array([run.best for run in runs]))


def latin_hypercube(n: int, dimensions: int, rng: np.random.Generator) -> np.ndarray:
    """Return points (n, dimensions) in the unit cube, one in each of n slices of every dimension."""
    slices = rng.permuted(np.tile(np.arange(n), (dimensions, 1)), axis=1).T
    return (slices + rng.random((n, dimensions))) / n


class _Fitness(base.Fitness):
    weights = (1.0,)


class _Individual(list[float]):
    def __init__(self, genes: Any) -> None:
        super().__init__(genes)
        self.fitness = _Fitness()


class _Run:
    """One CMA-ES run. Its random numbers are drawn here, since DEAP would use numpy's global generator."""

    def __init__(self, point: np.ndarray, value: float, population: int) -> None:
        self.best, self.place, self.evaluations = float(value), _from_cube(point), 0
        self.strategy = cma.Strategy(self.place, STEP, lambda_=population)
        self._asked = np.empty(0)
        self._since = 0

    @property
    def over(self) -> bool:
        """Whether it has converged or stagnated."""
        widest = self.strategy.sigma * self.strategy.diagD.max()
        return self._since >= PATIENCE or not SMALLEST < widest < 1e6

    def ask(self, rng: np.random.Generator) -> np.ndarray:
        """Return the next generation (population, dimensions)."""
        strategy = self.strategy
        normal = rng.standard_normal((strategy.lambda_, strategy.dim))
        self._asked = strategy.centroid + strategy.sigma * normal @ strategy.BD.T
        return self._asked

    def tell(self, values: np.ndarray) -> None:
        """Update the distribution."""
        self.evaluations += len(values)
        population = [_Individual(row) for row in self._asked]
        for individual, value in zip(population, values, strict=True):
            individual.fitness.values = (float(value),)
        self.strategy.update(population)
        self.strategy.sigma = min(self.strategy.sigma, 1.2)  # the cube folds back: wider steps sample the same
        top = int(values.argmax())
        self._since = 0 if values[top] > self.best + IMPROVEMENT else self._since + 1
        if values[top] > self.best:
            self.best, self.place = float(values[top]), self._asked[top]


def _to_cube(x: np.ndarray) -> np.ndarray:
    """Map unbounded vectors to the unit cube; a bound is reached in finite steps, and vectors fold back there."""
    return (1 + np.sin(x / 2)) / 2


def _from_cube(point: np.ndarray) -> np.ndarray:
    return 2 * np.arcsin(2 * point.clip(0, 1) - 1)


def _finite(values: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(values), values, LOWEST)
