"""A single run of CMA-ES, by DEAP's strategy: ask, evaluate, tell."""

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
from evolution.evaluation import ONE_PAIR, Batch, Perturbation
from evolution.fitness import FitnessFunction, Scores
from evolution.games import FitnessGames
from evolution.protocol import Progress
from evolution.settings import SMALLEST_STEP, SearchSettings
from evolution.state import MET, STRATEGY, columns_of
from evolution.workers import Workers
from nsa_brian.common.texts import shown
from nsa_brian.parameters import NSAParameters

#: Generations with steps above :data:`WIDE_STEP` after which a run counts as not converging. A gene's range is 2 pi
#: wide and folds back at its bounds: so wide a distribution samples the same everywhere, and a noisy fitness does not
#: shrink it.
WIDE = 40
WIDE_STEP = 1.0

#: Independent streams of random numbers of a search.
GAMES, STEPS, STARTS, SELECTION, REPORT, REQUIRED = range(6)


class Fitness(base.Fitness):
    """DEAP's fitness of an individual: minus its mean regret, or the value of a custom fitness.

    Within a generation this ranks as the mean reward does, since all individuals play the same bandits. Across
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
        """Set the fitness and the reward."""
        self.fitness.values = (-regret,)
        self.reward = reward


class Search:
    """A single run of CMA-ES.

    Parameters
    ----------
    settings : SearchSettings
    fitness : callable, optional
        A custom fitness in place of the games: ``fitness(parameters, seed)`` returns the value of parameters, larger is
        better. If it is :func:`evolution.batched`, ``fitness(list of parameters, seed)`` returns an array of the values
        of a whole generation. All individuals of a generation have the same seed, a tuple of int, and should draw their
        random numbers from it. It must be picklable if workers are other processes. Of ``settings.games`` only the
        model is used then.

    Attributes
    ----------
    generation : int
        Generations done.
    population : list of Individual
        The last generation, best first; without individuals that violate a requirement, which do not play.
    hall_of_fame : deap.tools.HallOfFame
        The individuals of least regret on their own generation's games.
    logbook : deap.tools.Logbook
        One record a generation, of the rewards: best, mean, low and high (16th and 84th percentile); optimum, the
        best arm's reward; regret, the mean; sigma, restart, population. With a custom fitness, of its values, without
        optimum and regret. With requirements also met, the individuals that meet
        them; if none does, the rewards and regrets of a generation are NaN.
    strategy : deap.cma.Strategy
    perturbation : Perturbation
        How genes are perturbed when individuals are scored.
    centres : list of array
        The centres of the last generations' distributions, the present one last.
    custom_fitness : str
        The name of the custom fitness; empty if there is none.
    extra, versions : dict
        Plain values that were saved with the search, and the versions of the packages that saved it.
    """

    #: Size of the hall of fame.
    HALL = 10

    #: Number of centres that are stored.
    CENTRES = 20

    #: Largest standard deviation of a gene; its range is 2 pi wide.
    WIDEST = 1.2

    def __init__(self, settings: SearchSettings, fitness: FitnessFunction | None = None) -> None:
        if fitness is not None and not callable(fitness):
            raise ValueError(f"fitness must be a function of parameters and seed, got {shown(fitness)}")
        if not isinstance(settings, SearchSettings):
            raise ValueError(f"settings must be SearchSettings, got {shown(settings)}")
        self.settings, self.fitness = settings, fitness
        self.genome, self.requirements = settings.genome, settings.requirements
        self.perturbation = Perturbation(self.genome, settings.inexact, ONE_PAIR)
        self.custom_fitness = name_of(fitness)
        self.extra: dict[str, Any] = {}
        self.versions = checkpoint.versions()
        self.generation = self.restart = 0
        self.population: list[Individual] = []
        self._asked: list[Individual] = []
        self._violations = np.empty(0)
        self.centres: list[np.ndarray] = []
        self.hall_of_fame = tools.HallOfFame(self.HALL)
        self.logbook = tools.Logbook()
        self.logbook.header = list(columns_of(settings, self.custom_fitness))
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
        if len(self.hall_of_fame):
            best = self.hall_of_fame[0].fitness.values[0]
            found = f", lowest regret {-best:.4g}" if self.fitness is None else f", best fitness {best:.4g}"
        done = f"{self.generation} of {self.settings.generations} generations"
        return f"Search({self.genome.size} genes of model {self.settings.model.name!r}: {done}{found})"

    @property
    def centre(self) -> NSAParameters:
        """The parameters at the centre of the present distribution."""
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
        """Whether the steps have stayed so wide that the search does not converge."""
        sigmas = [record["sigma"] for record in self.logbook if record["restart"] == self.restart]
        return len(sigmas) >= WIDE and min(sigmas[-WIDE:]) > WIDE_STEP

    @property
    def progress(self) -> Progress:
        """How far the search is."""
        total, last = self.settings.generations, ""
        if self.logbook:
            record = self.logbook[-1]
            last = (
                f"generation {self.generation:{len(str(total))}}/{total}  best {record['best']:.4f}"
                f"  mean {record['mean']:.4f}  16-84% {record['low']:.4f} to {record['high']:.4f}"
                f"{self.last_regret}  sigma {record['sigma']:.3f}"
            )
            if self.requirements:
                last += f"  {record[MET]} of {record['population']} meet the requirements"
        played = self.settings.games.game_rounds * self.perturbation.players
        return Progress(
            done=self.generation,
            total=total,
            game_rounds=played * sum(record.get(MET, record["population"]) for record in self.logbook),
            so_far=f"generation {self.generation} of {total}",
            last=last,
            warning=f"the step size has been above {WIDE_STEP:g} for {WIDE} generations" if self.wide else "",
        )

    @property
    def last_regret(self) -> str:
        """The mean regret of the last generation as part of a line; empty with a custom fitness."""
        return "" if self.custom_fitness else f"  regret {self.logbook[-1]['regret']:.4f}"

    @property
    def run_folders(self) -> dict[Path, Search]:
        """The search itself, in its own folder; empty before its first generation."""
        return {Path(): self} if self.generation else {}

    @property
    def start(self) -> NSAParameters | None:
        """The set that it was told to start at."""
        return self.settings.start

    @property
    def description(self) -> str:
        """How the parameters were searched, in words."""
        return (
            f"CMA-ES with {self.settings.population} individuals, {self.generation} generations, "
            f"{self.settings.games.iterations} games of each kind"
        )

    def summary(self) -> dict[str, Any]:
        """Return the outcome so far as plain values."""
        return {
            "genes": self.genome.size,
            "generations": self.generation,
            "game_rounds": self.progress.game_rounds,
            "stopped": self.stop or "time limit",
        }

    def step(self, workers: Workers | None = None) -> None:
        """Run one generation."""
        self.tell(self.ask().evaluate(workers))

    def ask(self, games: FitnessGames | None = None) -> Batch:
        """Return the next generation, to be scored on the settings' games or on others."""
        if self._stagnation and self.restart < self.settings.restarts:
            self.restart += 1
            rng = np.random.default_rng([self.settings.seed, STARTS, self.restart])
            self._begin(rng.normal(0, 1.5, self.genome.size))
        with _numpy_seeded(self.settings.seed, STEPS, self.generation):
            self._asked = self.strategy.generate(Individual)
        sets = [self.genome.decode(individual) for individual in self._asked]
        self._violations = self.requirements.violations(sets)
        return Batch(
            parameters=[each for each, violation in zip(sets, self._violations, strict=True) if not violation],
            fitness=self.fitness or games or self.settings.games,
            seed=(self.settings.seed, GAMES, self.generation),
            perturbation=self.perturbation,
            n_checked=0 if self.generation else len(sets),
        )

    def tell(self, scores: Scores) -> None:
        """Update the distribution with the scores of the generation that was asked for last."""
        n_asked = int((self._violations == 0).sum()) if self._asked else 0
        if n_asked != len(scores.reward):
            raise ValueError(f"tell needs the scores of the {n_asked} sets asked for, got {len(scores.reward)}")
        individuals, self._asked = self._asked, []
        population = [each for each, violation in zip(individuals, self._violations, strict=True) if not violation]
        for individual, reward, regret in zip(
            population, scores.reward.mean(axis=1), scores.regret.mean(axis=1), strict=True
        ):
            individual.score(float(reward), float(regret))
        # Behind all that played, by how far they are from meeting the requirements.
        worst = max((-individual.fitness.values[0] for individual in population), default=0.0)
        for individual, violation in zip(individuals, self._violations, strict=True):
            if violation:
                individual.score(-worst - violation, worst + violation)
        with np.errstate(invalid="ignore"):  # _stagnation finds a distribution that has degenerated
            self.strategy.update(individuals)
            self._bound_steps()
        self.centres = [*self.centres[1 - self.CENTRES :], np.array(self.strategy.centroid)]
        population.sort(key=lambda individual: individual.fitness, reverse=True)
        self.hall_of_fame.update(population)
        self.population = population
        self.generation += 1
        regret, statistics = np.nan, dict.fromkeys(("best", "mean", "low", "high"), np.nan)
        if population:
            regret = -float(np.mean([individual.fitness.values[0] for individual in population]))
            statistics = {name: float(value) for name, value in self._statistics.compile(population).items()}
        record = {
            "generation": self.generation,
            "restart": self.restart,
            "population": len(individuals),
            **statistics,
            "optimum": statistics["mean"] + regret,
            "regret": regret,
            "sigma": float(self.strategy.sigma),
            MET: len(population),
        }
        self.logbook.record(**{name: record[name] for name in columns_of(self.settings, self.custom_fitness)})

    def candidates(self) -> dict[str, NSAParameters]:
        """Return what the champion is chosen from: hall of fame, present centre, best of the last generation."""
        found = {f"hall of fame {i}": self.genome.decode(ind) for i, ind in enumerate(self.hall_of_fame, start=1)}
        last = {"last best": self.genome.decode(self.population[0])} if self.population else {}
        return {**found, "centre": self.centre, **last}

    def state(self) -> dict[str, Any]:
        """Return all that is needed to resume; random numbers follow from seed and generation."""
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
        cls, settings: SearchSettings, state: Mapping[str, Any], fitness: FitnessFunction | None = None
    ) -> Search:
        """Return the search that had this state."""
        search = cls(settings, fitness)
        search.generation, search.restart = state["generation"], state["restart"]
        search._begin(state["strategy_centroid"])
        for name in STRATEGY:
            value = state[f"strategy_{name}"]
            setattr(search.strategy, name, value if value.ndim else value.item())
        search.strategy.BD = search.strategy.B * search.strategy.diagD
        for individual in reversed(_individuals(state["hall_genes"], state["hall_scores"])):
            search.hall_of_fame.insert(individual)  # worst first, so that ties keep their order
        search.centres = list(state["centres"])
        search.population = _individuals(state["population_genes"], state["population_scores"])
        for record in state["logbook"]:
            search.logbook.record(**record)
        return search

    def save(self, folder: str | Path, extra: Mapping[str, Any] | None = None) -> None:
        """Write the last generation, the checkpoint and the logbook to the search's folder, atomically.

        Saved after each step, the folder has all generations. ``nsa evolve --resume`` resumes it, and
        ``nsa evolution-figures`` draws it.

        Parameters
        ----------
        folder : str or Path
            Created if it does not exist; an error if it holds another search.
        extra : mapping, optional
            Plain values to be saved with the search, such as a command's options.
        """
        parameters = [self.genome.decode(individual) for individual in self.population]
        saved = checkpoint.Checkpoint(
            self.settings, self.state(), name_of(self.fitness), dict(extra or {}), checkpoint.versions()
        )
        checkpoint.write(Path(folder), saved, parameters)

    @classmethod
    def load(
        cls,
        folder: str | Path,
        fitness: FitnessFunction | None = None,
        generations: int | None = None,
        read_only: bool = False,
    ) -> Search:
        """Load the search of a folder as it was when it was saved; a ValueError if there is none.

        Parameters
        ----------
        folder : str or Path
        fitness : callable, optional
            The search's custom fitness, if it has one: a function is code, and is not saved.
        generations : int, optional
            A new number of generations.
        read_only : bool
            Whether the search is only to be looked at, which needs no fitness.
        """
        saved = checkpoint.read(folder)
        if not read_only:
            check_fitness(saved.fitness, fitness)
        settings = saved.settings
        if generations is not None:
            settings = dataclasses.replace(settings, generations=generations)
        search = cls.from_state(settings, saved.state, fitness)
        search.custom_fitness, search.extra, search.versions = saved.fitness, saved.extra, saved.versions
        return search

    def _begin(self, centre: np.ndarray) -> None:
        size = self.settings.population * 2**self.restart
        self.strategy = cma.Strategy(centre, self.settings.sigma, lambda_=size)

    def _bound_steps(self) -> None:
        """Limit the standard deviation of every gene.

        The genome folds back at its bounds. A distribution much wider than a gene's range samples the same everywhere,
        and nothing would make it shrink.
        """
        widest = self.strategy.sigma * np.sqrt(np.diag(self.strategy.C).max())
        self.strategy.sigma *= min(1.0, self.WIDEST / widest)

    @property
    def _stagnation(self) -> str:
        """Why the strategy cannot improve any more; empty if it can."""
        finite = all(np.isfinite(getattr(self.strategy, name)).all() for name in STRATEGY)
        if not finite or self.strategy.cond > 1e14:
            return "the distribution has degenerated"
        spread = self.strategy.sigma * self.strategy.diagD
        if spread.max() < SMALLEST_STEP:
            return "the distribution has shrunk to a point"
        n = self.settings.stagnation
        if n and self.wide:
            return f"steps stayed wide for {WIDE} generations"
        logged = [
            record["regret"] if "regret" in record else -record["mean"]
            for record in self.logbook
            if record["restart"] == self.restart
        ]
        # A generation in which no individual meets the requirements has a regret of NaN and counts as the worst.
        regrets = np.where(np.isnan(logged), np.inf, logged)
        if n and len(regrets) >= 2 * n and np.median(regrets[-n:]) >= np.median(regrets[-2 * n : -n]):
            return f"no improvement within {n} generations"
        return ""


def name_of(fitness: FitnessFunction | None) -> str:
    """Return the name of a custom fitness; empty if there is none."""
    return "" if fitness is None else str(getattr(fitness, "__qualname__", type(fitness).__name__))


def check_fitness(saved: str, fitness: FitnessFunction | None) -> None:
    """Raise an error if a search with a custom fitness is to be resumed without it, or one without with another."""
    if saved and fitness is None:
        raise ValueError(f"the search has a custom fitness, {saved}: resume it in Python, by load(folder, fitness=...)")
    if fitness is not None and not saved:
        raise ValueError("the search is scored on games and has no custom fitness")


def _individuals(genes: np.ndarray, found: np.ndarray) -> list[Individual]:
    individuals = [Individual(row) for row in genes]
    for individual, (reward, fitness) in zip(individuals, found, strict=True):
        individual.score(float(reward), -float(fitness))
    return individuals


@contextmanager
def _numpy_seeded(*seed: int) -> Iterator[None]:
    """Seed numpy's global generator, which DEAP's strategy uses, and restore its state at the end."""
    before = np.random.get_state()  # noqa: NPY002  # DEAP has no other generator
    np.random.set_state(np.random.RandomState(np.random.MT19937(np.random.SeedSequence(seed))).get_state())  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002
