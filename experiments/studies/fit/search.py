"""Maximisation by CMA-ES with restarts, all of which are evaluated in one call per generation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from deap import base, cma

#: Returns the values (n,) of points (n, dimensions) in the unit cube; larger is better.
Objective = Callable[[np.ndarray], np.ndarray]

#: Points of the first, space-filling sample.
SCREENED = 96
#: Initial step size, and the one at which a run ends, in units in which a range is pi wide.
STEP, SMALLEST = 0.35, 1e-5
#: A run ends if its best value has not improved by more than this in so many generations.
IMPROVEMENT, PATIENCE = 1e-7, 15
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
    rng: np.random.Generator,
    restarts: int = 3,
    population: int = 12,
    generations: int = 60,
    start: np.ndarray | None = None,
) -> Found:
    """Return the best point of several CMA-ES runs, which start at the best points of a space-filling sample.

    Parameters
    ----------
    objective : callable
    dimensions : int
        With 0 the objective is evaluated once.
    rng : numpy.random.Generator
    restarts, population, generations : int
        Number of runs, points per generation of a run, largest number of generations.
    start : array (dimensions,), optional
        A point that is tried first.
    """
    if not dimensions:
        value = float(_finite(objective(np.zeros((1, 0))))[0])
        return Found(np.zeros(0), value, 1, np.array([value]))
    points = latin_hypercube(SCREENED, dimensions, rng)
    if start is not None:
        points[0] = start
    values = _finite(objective(points))
    best = points[values.argsort(kind="stable")[::-1]]
    runs = [_Run(_from_cube(point), population) for point in best[:restarts]]
    done, evaluations = [], SCREENED
    for _ in range(generations):
        active = [run for run in runs if not run.over]
        if not active:
            break
        asked = [run.ask(rng) for run in active]
        found = _finite(objective(_to_cube(np.concatenate(asked))))
        evaluations += len(found)
        for run, part in zip(active, np.split(found, len(active)), strict=True):
            run.tell(part)
    done = sorted(runs, key=lambda run: -run.best)
    top = done[0]
    if values.max() > top.best:
        return Found(best[0], float(values.max()), evaluations, np.array([run.best for run in runs]))
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

    def __init__(self, centre: np.ndarray, population: int) -> None:
        self.strategy = cma.Strategy(centre, STEP, lambda_=population)
        self.best, self.place = LOWEST, np.array(centre)
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
