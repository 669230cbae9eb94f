"""The search: DEAP's CMA-ES in its own words, generate, map, evaluate, update."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from deap import base, cma, tools

from evolution import checkpoint
from evolution.fitness import Games, OwnFitness
from evolution.judging import ONE_PAIR, Around, check_finite, evaluate_around
from evolution.settings import SMALLEST_STEP, SearchSettings
from evolution.state import COLUMNS, STRATEGY
from evolution.workers import Workers
from nsa_brian.common.texts import shown
from nsa_brian.parameters import NSAParameters

#: Generations with steps above :data:`WIDE_STEP` after which steps count as wide for good. A gene's range is 2 pi wide
#: and turns back at its bounds: such a distribution sees the same everywhere, and a noisy fitness does not shrink it.
WIDE = 40
WIDE_STEP = 1.0

#: Streams of random numbers of a search, apart from each other.
GAMES, STEPS, STARTS, SELECTION, REPORT = range(5)


class Fitness(base.Fitness):
    """DEAP's fitness of an individual: minus its mean regret, or what a fitness of the user's own says.

    Within a generation this ranks as the mean reward does, since all individuals meet the same bandits. Over
    generations, whose bandits differ, it compares the individuals and not their bandits.
    """

    weights = (1.0,)


class Individual(list[float]):
    """A vector of genes with its fitness; ``reward`` is its mean expected reward."""

    def __init__(self, genes: Sequence[float]) -> None:
        super().__init__(map(float, genes))
        self.fitness = Fitness()
        self.reward = np.nan

    def score(self, reward: float, regret: float) -> None:
        """Enter what was found."""
        self.fitness.values = (-regret,)
        self.reward = reward


class Search:
    """A search under way.

    Parameters
    ----------
    settings : SearchSettings
    fitness : callable, optional
        A fitness of your own in place of the games: ``fitness(parameters, seed)`` says what parameters are worth, the
        more the better. The seed, a tuple of int, is the same for all of a generation; random numbers drawn from it
        are common luck. It must be picklable where workers are other processes. Of ``settings.games`` then only the
        model counts.

    Attributes
    ----------
    generation : int
        Generations done.
    population : list of Individual
        The last generation, best first.
    hall_of_fame : deap.tools.HallOfFame
        Those of least regret on their own generation's games.
    logbook : deap.tools.Logbook
        One record a generation, of the rewards: best, mean, low and high (16th and 84th percentile); optimum, the
        best arm's reward; regret, the mean; sigma, restart, population. With a fitness of your own the rewards are
        its values, the optimum is 0 and the regret minus their mean.
    strategy : deap.cma.Strategy
    around : Around
        What counts as the same set where individuals are judged.
    centres : list of array
        The genes in the middle of the last generations' distributions, the present one last.
    """

    #: Individuals in the hall of fame.
    HALL = 10

    #: Centres kept.
    CENTRES = 20

    #: Largest standard deviation of a gene; its range is 2 pi wide.
    WIDEST = 1.2

    def __init__(self, settings: SearchSettings, fitness: OwnFitness | None = None) -> None:
        if fitness is not None and not callable(fitness):
            raise ValueError(f"fitness must be a function of parameters and seed, got {shown(fitness)}")
        if not isinstance(settings, SearchSettings):
            raise ValueError(f"settings must be SearchSettings, got {shown(settings)}")
        self.settings, self.fitness = settings, fitness
        self.genome = settings.genome
        self.around = Around(self.genome, settings.inexact, ONE_PAIR)
        self.generation = self.restart = 0
        self.population: list[Individual] = []
        self.centres: list[np.ndarray] = []
        self.hall_of_fame = tools.HallOfFame(self.HALL)
        self.logbook = tools.Logbook()
        self.logbook.header = list(COLUMNS)
        self._statistics = tools.Statistics(key=lambda individual: individual.reward)
        for name, function in (
            ("best", np.max),
            ("mean", np.mean),
            ("low", partial(np.percentile, q=16)),
            ("high", partial(np.percentile, q=84)),
        ):
            self._statistics.register(name, function)
        start = settings.start
        self._begin(np.zeros(self.genome.size) if start is None else self.genome.encode(start))

    def __repr__(self) -> str:
        found = ""
        if self.generation:
            best = self.hall_of_fame[0].fitness.values[0]
            found = f", lowest regret {-best:.4g}" if self.fitness is None else f", best fitness {best:.4g}"
        done = f"{self.generation} of {self.settings.generations} generations"
        return f"Search({self.genome.size} genes of model {self.settings.model.name!r}: {done}{found})"

    @property
    def centre(self) -> NSAParameters:
        """The parameters in the middle of the present distribution."""
        return self.genome.decode(self.strategy.centroid)

    @property
    def stop(self) -> str:
        """Why the search is over; empty if it is not."""
        if self.generation >= self.settings.generations:
            return f"{self.generation} generations"
        if self.restart >= self.settings.restarts:
            return self._stagnation
        return ""

    @property
    def wide(self) -> bool:
        """Whether the present run's steps have stayed so wide that it does not close in."""
        sigmas = [record["sigma"] for record in self.logbook if record["restart"] == self.restart]
        return len(sigmas) >= WIDE and min(sigmas[-WIDE:]) > WIDE_STEP

    def step(self, workers: Workers | None = None, games: Games | None = None) -> None:
        """One generation; by other games than the settings' if there are such."""
        if self._stagnation and self.restart < self.settings.restarts:
            self.restart += 1
            rng = np.random.default_rng([self.settings.seed, STARTS, self.restart])
            self._begin(rng.normal(0, 1.5, self.genome.size))
        toolbox = base.Toolbox()
        toolbox.register("generate", self.strategy.generate, Individual)
        toolbox.register("update", self.strategy.update)
        with _numpy_seeded(self.settings.seed, STEPS, self.generation):
            population = toolbox.generate()
        parameters = [self.genome.decode(individual) for individual in population]
        judge, seed = self.fitness or games or self.settings.games, (self.settings.seed, GAMES, self.generation)
        found = evaluate_around(judge, seed, parameters, workers, self.around)
        if self.generation == 0:
            check_finite(judge, parameters, workers)
        for individual, reward, regret in zip(
            population, found.reward.mean(axis=1), found.regret.mean(axis=1), strict=True
        ):
            individual.score(float(reward), float(regret))
        with np.errstate(invalid="ignore"):  # a distribution that has degenerated is told by _stagnation
            toolbox.update(population)  # sorts it, best first
            self._bound_steps()
        self.centres = [*self.centres[1 - self.CENTRES :], np.array(self.strategy.centroid)]
        self.hall_of_fame.update(population)
        self.population = population
        self.generation += 1
        regret = -float(np.mean([individual.fitness.values[0] for individual in population]))
        statistics = {name: float(value) for name, value in self._statistics.compile(population).items()}
        self.logbook.record(
            generation=self.generation,
            restart=self.restart,
            population=len(population),
            **statistics,
            optimum=statistics["mean"] + regret,
            regret=regret,
            sigma=float(self.strategy.sigma),
        )

    def candidates(self) -> dict[str, NSAParameters]:
        """Who may become champion: hall of fame, present centre, best of the last generation."""
        found = {f"hall of fame {i}": self.genome.decode(ind) for i, ind in enumerate(self.hall_of_fame, start=1)}
        return {**found, "centre": self.centre, "last best": self.genome.decode(self.population[0])}

    def state(self) -> dict[str, Any]:
        """All that a search needs to go on, in plain numbers; the random ones come from seed and generation."""
        strategy = {name: getattr(self.strategy, name) for name in STRATEGY}
        return {
            **{f"strategy_{name}": np.array(value) for name, value in strategy.items()},
            "hall_genes": np.array(list(self.hall_of_fame)),
            "hall_scores": np.array([(ind.reward, *ind.fitness.values) for ind in self.hall_of_fame]),
            "centres": np.array(self.centres),
            "population_genes": np.array(self.population),
            "population_scores": np.array([(ind.reward, *ind.fitness.values) for ind in self.population]),
            "logbook": list(self.logbook),
            "generation": self.generation,
            "restart": self.restart,
        }

    @classmethod
    def from_state(
        cls, settings: SearchSettings, state: Mapping[str, Any], fitness: OwnFitness | None = None
    ) -> Search:
        """A search as it was when ``state`` was taken of it."""
        search = cls(settings, fitness)
        search.generation, search.restart = state["generation"], state["restart"]
        search._begin(state["strategy_centroid"])
        for name in STRATEGY:
            value = state[f"strategy_{name}"]
            setattr(search.strategy, name, value if value.ndim else value.item())
        search.strategy.BD = search.strategy.B * search.strategy.diagD
        for individual in reversed(_individuals(state["hall_genes"], state["hall_scores"])):
            search.hall_of_fame.insert(individual)  # worst first: so equals come to stand in the same order again
        search.centres = list(state["centres"])
        search.population = _individuals(state["population_genes"], state["population_scores"])
        for record in state["logbook"]:
            search.logbook.record(**record)
        return search

    def save(self, folder: str | Path, extra: Mapping[str, Any] | None = None) -> None:
        """Write the search to its folder: the last generation, the checkpoint and the logbook.

        Written after each step, a folder has all generations. It is the folder of ``nsa evolve --out``: the command
        goes on with it and draws it.

        Parameters
        ----------
        folder : str or Path
            Made if need be. One that holds another search is refused.
        extra : mapping, optional
            Plain values to be kept beside, such as a command's options.
        """
        parameters = [self.genome.decode(individual) for individual in self.population]
        saved = checkpoint.Checkpoint(
            self.settings, self.state(), name_of(self.fitness), dict(extra or {}), checkpoint.versions()
        )
        checkpoint.write(Path(folder), saved, parameters)

    @classmethod
    def load(cls, folder: str | Path, fitness: OwnFitness | None = None, generations: int | None = None) -> Search:
        """The search of a folder, as it was when it was saved; a ValueError if there is none.

        Parameters
        ----------
        folder : str or Path
        fitness : callable, optional
            That of the search, if it has one of your own: a function is code, and is not saved.
        generations : int, optional
            How many there shall be, if not as many as before.
        """
        return cls.from_checkpoint(checkpoint.read(folder), fitness, generations)

    @classmethod
    def from_checkpoint(
        cls, saved: checkpoint.Checkpoint, fitness: OwnFitness | None = None, generations: int | None = None
    ) -> Search:
        """The same from what was read of a folder already."""
        check_fitness(saved.fitness, fitness)
        settings = saved.settings
        if generations is not None:
            settings = dataclasses.replace(settings, generations=generations)
        return cls.from_state(settings, saved.state, fitness)

    def _begin(self, centre: np.ndarray) -> None:
        size = self.settings.population * 2**self.restart
        self.strategy = cma.Strategy(centre, self.settings.sigma, lambda_=size)

    def _bound_steps(self) -> None:
        """Hold the spread of every gene below the width that its range has in the search's space.

        Beyond its bounds the genome turns back. A distribution much wider than that sees the same everywhere, and
        nothing would make it shrink.
        """
        widest = self.strategy.sigma * np.sqrt(np.diag(self.strategy.C).max())
        self.strategy.sigma *= min(1.0, self.WIDEST / widest)

    @property
    def _stagnation(self) -> str:
        """Whether and how the present run of the strategy has come to its end."""
        finite = all(np.isfinite(getattr(self.strategy, name)).all() for name in STRATEGY)
        if not finite or self.strategy.cond > 1e14:
            return "the distribution has degenerated"
        spread = self.strategy.sigma * self.strategy.diagD
        if spread.max() < SMALLEST_STEP:
            return "the distribution has shrunk to a point"
        n = self.settings.stagnation
        if n and self.wide:
            return f"steps stayed wide for {WIDE} generations"
        regrets = [record["regret"] for record in self.logbook if record["restart"] == self.restart]
        if n and len(regrets) >= 2 * n and np.median(regrets[-n:]) >= np.median(regrets[-2 * n : -n]):
            return f"no improvement within {n} generations"
        return ""


def name_of(fitness: OwnFitness | None) -> str:
    """What a fitness of the user's own is called."""
    return "" if fitness is None else str(getattr(fitness, "__qualname__", type(fitness).__name__))


def check_fitness(saved: str, fitness: OwnFitness | None) -> None:
    """Refuse to go on by a fitness where the search has none of its own, or without the one that it has."""
    if saved and fitness is None:
        raise ValueError(
            f"the search has a fitness of its own, {saved}: go on from Python, by load(folder, fitness=...)"
        )
    if fitness is not None and not saved:
        raise ValueError("the search is judged by games and has no fitness of its own")


def _individuals(genes: np.ndarray, found: np.ndarray) -> list[Individual]:
    individuals = [Individual(row) for row in genes]
    for individual, (reward, fitness) in zip(individuals, found, strict=True):
        individual.score(float(reward), -float(fitness))
    return individuals


@contextmanager
def _numpy_seeded(*seed: int) -> Iterator[None]:
    """Numpy's global random numbers, which DEAP's strategy draws from, seeded within and untouched without."""
    before = np.random.get_state()  # noqa: NPY002  # the fence around DEAP
    np.random.set_state(np.random.RandomState(np.random.MT19937(np.random.SeedSequence(seed))).get_state())  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002
