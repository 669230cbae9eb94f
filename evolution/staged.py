"""Staged search: random search, then successive halving of CMA-ES runs."""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
from deap import tools

from evolution.checkpoint import CHECKPOINT, identity, versions
from evolution.evaluation import ONE_PAIR, Batch, Perturbation
from evolution.fitness import FitnessFunction, Scores
from evolution.games import FitnessGames
from evolution.protocol import AnySearch, Progress
from evolution.screening import Screening
from evolution.search import Search, check_fitness, name_of
from evolution.settings import SearchSettings, StagedSettings
from evolution.state import MET
from evolution.workers import Workers
from nsa_brian.common.archive import ArchiveFormat, Arrays
from nsa_brian.parameters import NSAParameters

#: Streams of random numbers, apart from each other and from those of the runs.
SCREENING, HELD_OUT = 10, 11
#: Held-out games of each kind, or seeds of a custom fitness, that runs are compared on at the end of a rung: the same
#: in all rungs, so that a run can be followed. The champion is chosen and reported on others.
HELD_OUT_GAMES = 16

#: Building an individual's response table takes about as long as playing so many game-rounds with it.
TABLE = 250_000

STAGES = "stages.npz"
STAGED = ArchiveFormat("nsa-staged-search", 4, "a staged search")

#: Attributes that had other names in 0.2.
_RENAMED = {
    "look": "screening",
    "began": "start_regrets",
    "judged": "rung_regrets",
    "judge": "held_out_regrets",
    "racing": "active",
    "game_rounds": "progress.game_rounds",
}


class StagedSearch:
    """A search that needs no starting point.

    First a random search screens many sets. CMA-ES runs start at the best sets that choose differently. At the end of
    each rung the centres of the runs are compared on held-out games, and only the best runs continue (successive
    halving).

    Parameters
    ----------
    settings : StagedSettings
    fitness : callable, optional
        See :class:`evolution.search.Search`.

    Attributes
    ----------
    screening : Screening
    runs : dict of Search
        By number, once the screening is done.
    start_regrets : dict
        Regrets on held-out games of the sets that the runs started at, by the run's number.
    rung_regrets : list of dict
        Regrets of the runs' centres at the end of each rung, on the same games.
    stepped : int or None
        The run that the last step was a generation of.
    custom_fitness : str
        The name of the custom fitness; empty if there is none.
    extra, versions : dict
        Plain values that were saved with the search, and the versions of the packages that saved it.
    """

    def __init__(self, settings: StagedSettings, fitness: FitnessFunction | None = None) -> None:
        self.settings, self.fitness, self.genome = settings, fitness, settings.genome
        self.custom_fitness = name_of(fitness)
        self.extra: dict[str, Any] = {}
        self.versions = versions()
        seed, sd = (settings.seed, SCREENING), settings.inexact
        self.requirements = settings.requirements
        self.screening = Screening(
            settings.sets, settings.starts, settings.games, self.genome, seed, fitness, sd, self.requirements
        )
        # Created once: games create their bandits to check them.
        self._games = [dataclasses.replace(settings.games, iterations=rung.iterations) for rung in settings.rungs]
        for games in self._games:
            games.check_memory(settings.population)
        self.runs: dict[int, Search] = {}
        self.start_regrets: dict[int, float] = {}
        self.rung_regrets: list[dict[int, float]] = []
        self.stepped: int | None = None
        self._unsaved: set[int] = set()
        self._starts: list[NSAParameters] = []

    def __getattr__(self, name: str) -> Any:
        if name not in _RENAMED:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        new = _RENAMED[name]
        warnings.warn(f"StagedSearch.{name} is now StagedSearch.{new}", DeprecationWarning, stacklevel=2)
        return attrgetter(new)(self)

    @property
    def rung(self) -> int:
        """The present rung, from 0."""
        return min(len(self.rung_regrets), len(self.settings.rungs) - 1)

    @property
    def active(self) -> list[int]:
        """The runs of the present rung, best first."""
        if not self.rung_regrets:
            return list(self.runs)
        last = self.rung_regrets[min(self.rung, len(self.rung_regrets)) - 1]
        return sorted(last, key=lambda number: last[number])[: self.settings.rungs[self.rung].runs]

    @property
    def leading(self) -> int:
        """The number of the run that was best at the end of the last rung; before that, the first run."""
        last = self.rung_regrets[-1] if self.rung_regrets else dict.fromkeys(self.runs, 0.0)
        return min(last, key=lambda number: last[number])

    @property
    def leader(self) -> Search:
        """The leading run."""
        return self.runs[self.leading]

    @property
    def run_folders(self) -> dict[Path, Search]:
        """Runs with at least one generation, by their folders within the search's, the leading one first."""
        started = [number for number, run in self.runs.items() if run.generation]
        started.sort(key=lambda number: number != self.leading)
        return {run_folder(Path(), number): self.runs[number] for number in started}

    @property
    def start(self) -> None:
        """None: it needs no start."""

    @property
    def description(self) -> str:
        """How the parameters were searched, in words."""
        rungs = ", then ".join(
            f"{_count(runs, 'run')} of {_count(generations, 'generation')} on {_count(games, 'game')} of each kind"
            for runs, generations, games in self.settings.rungs
        )
        return (
            f"random search over {self.settings.sets} sets, then successive halving of CMA-ES runs with "
            f"{self.settings.population} individuals: {rungs}"
        )

    @property
    def best(self) -> float:
        """The least regret on held-out games so far; NaN before there are runs."""
        known = (self.start_regrets, *self.rung_regrets)
        return min((regret for regrets in known for regret in regrets.values()), default=math.nan)

    @property
    def stop(self) -> str:
        """Why the search is over; empty if it is not."""
        return "the race has been run" if len(self.rung_regrets) == len(self.settings.rungs) else ""

    @property
    def generation(self) -> int:
        """Generations done, of all runs."""
        return sum(run.generation for run in self.runs.values())

    @property
    def logbook(self) -> tools.Logbook:
        """The leader's; empty while there are no runs."""
        return self.leader.logbook if self.runs else tools.Logbook()

    @property
    def progress(self) -> Progress:
        """How far the search is; work is counted in game-rounds, building a response table included."""
        plan = self._plan()
        done, total = (sum(n * cost(games) for n, games in part) for part in zip(*plan, strict=True))
        return Progress(
            done=done,
            total=total,
            game_rounds=sum(done * games.game_rounds for (done, games), _ in plan) - self._not_played(),
            so_far=self._so_far(),
            last=self._last(),
        )

    def _plan(self) -> list[tuple[tuple[int, FitnessGames], tuple[int, FitnessGames]]]:
        """Return, for each screening round and each rung, the sets that have played and all that will, with games."""
        screening, settings, plan = self.screening, self.settings, []
        for i, size in enumerate(screening.sizes):
            done = len(screening.regrets[i]) if i < len(screening.regrets) else 0
            players = screening.perturbations[i].players
            plan.append(((done * players, screening.games[i]), (size * players, screening.games[i])))
        individuals = settings.population * Perturbation(self.genome, settings.inexact, ONE_PAIR).players
        for rung, (begin, end), games in zip(settings.rungs, settings.spans, self._games, strict=True):
            done = sum(min(max(run.generation, begin), end) - begin for run in self.runs.values())
            all_ = rung.runs * rung.generations
            plan.append(((individuals * done, games), (individuals * all_, games)))
        return plan

    def _not_played(self) -> int:
        """Return the game-rounds of the plan that individuals which violate a requirement did not play."""
        players, total = Perturbation(self.genome, self.settings.inexact, ONE_PAIR).players, 0
        for (begin, end), games in zip(self.settings.spans, self._games, strict=True):
            records = [r for run in self.runs.values() for r in run.logbook if begin < r["generation"] <= end]
            missing = sum(record["population"] - record.get(MET, record["population"]) for record in records)
            total += missing * players * games.game_rounds
        return total

    def _so_far(self) -> str:
        if not self.runs:
            done = zip(self.screening.regrets, self.screening.sizes, strict=False)
            return f"{', then '.join(f'{len(regrets)} of {n}' for regrets, n in done)} sets screened"
        total = sum(rung.runs * rung.generations for rung in self.settings.rungs)
        return f"generation {self.generation} of {total} in all runs, in rung {self.rung + 1}"

    def _last(self) -> str:
        screening, settings = self.screening, self.settings
        if not self.runs:
            i, _ = screening.best
            regrets, sizes = screening.regrets[i], screening.sizes
            best = f"  best regret {regrets.min():.4f}" if len(regrets) else ""
            return f"screening {i + 1}/{len(sizes)}  {len(regrets)}/{sizes[i]} sets{best}"
        if self.stepped is not None:
            run, rung = self.runs[self.stepped], settings.rungs[self.rung]
            begin, _ = settings.spans[self.rung]
            record = run.logbook[-1]
            scored = f"  mean fitness {record['mean']:.4f}" if self.custom_fitness else run.last_regret
            return (
                f"rung {self.rung + 1}/{len(settings.rungs)}  run {self.stepped} of {len(self.runs)}"
                f"  generation {run.generation - begin}/{rung.generations}{scored}"
                f"  sigma {record['sigma']:.3f}  best on held-out games {self.best:.4f}"
            )
        if not self.rung_regrets:
            return f"{_count(len(self.runs), 'run')} from {_count(settings.starts, 'set')} that choose differently"
        last = self.rung_regrets[-1]
        ranking = ", ".join(f"run {number} {last[number]:.4f}" for number in sorted(last, key=lambda n: last[n]))
        on = "" if self.stop else f"; {len(self.active)} of {len(last)} continue"
        return f"rung {len(self.rung_regrets)}/{len(settings.rungs)} is over, on held-out games: {ranking}{on}"

    def summary(self) -> dict[str, Any]:
        """Return the outcome so far as plain values."""
        return {
            "genes": self.genome.size,
            "generations": self.generation,
            "game_rounds": self.progress.game_rounds,
            "judged": self.rung_regrets,
            "stopped": self.stop or "time limit",
        }

    def step(self, workers: Workers | None = None) -> None:
        """Screen some sets, run a generation of one run, or compare the runs at the end of a rung."""
        self.tell(self.ask().evaluate(workers))

    def ask(self) -> Batch:
        """Return the sets to be evaluated next."""
        if not self.screening.done:
            return self.screening.ask()
        if not self.runs:
            self._starts = [self.screening.parameters(number) for number in self.screening.starts()]
            return self._held_out(self._starts)
        behind = self._behind()
        if behind is not None:
            return self.runs[behind].ask(self._games[self.rung])
        return self._held_out([self.runs[number].centre for number in self.active])

    def tell(self, scores: Scores) -> None:
        """Continue with the scores of the sets that were asked for last."""
        self.stepped = None
        behind = self._behind()
        if not self.screening.done:
            self.screening.tell(scores)
        elif not self.runs:
            self._start_runs(_mean_regrets(scores))
        elif behind is not None:
            self.runs[behind].tell(scores)
            self._unsaved.add(behind)
            self.stepped = behind
        else:
            self.rung_regrets.append(dict(zip(self.active, _mean_regrets(scores), strict=True)))

    def _behind(self) -> int | None:
        """Return the first run that has not reached the end of the rung."""
        _, end = self.settings.spans[self.rung]
        return next((number for number in self.active if self.runs[number].generation < end), None)

    def _start_runs(self, regrets: list[float]) -> None:
        """Start runs with each step size at the best start, then at the next, and so on."""
        for number in range(1, self.settings.rungs[0].runs + 1):
            place = (number - 1) // len(self.settings.sigmas)
            self.runs[number] = Search(self.settings.run(number, self._starts[place]), self.fitness)
            self.start_regrets[number] = regrets[place]
        self._unsaved |= set(self.runs)

    def _held_out(self, parameters: Sequence[NSAParameters]) -> Batch:
        fitness, perturbation = self.fitness or self.settings.games, Perturbation(self.genome, self.settings.inexact)
        return Batch(list(parameters), fitness, (self.settings.seed, HELD_OUT), perturbation, HELD_OUT_GAMES)

    def held_out_regrets(self, parameters: Sequence[NSAParameters], workers: Workers | None = None) -> list[float]:
        """Return mean regrets on the held-out games that the runs are compared on."""
        return _mean_regrets(self._held_out(parameters).evaluate(workers))

    def candidates(self) -> dict[str, NSAParameters]:
        """Return what the champion is chosen from: starts, candidates of the last runs, the leader's mean centre.

        Before there is a generation, the best screened sets.
        """
        if not self.generation:
            _, best = self.screening.best
            return {f"look, best {i}": self.screening.parameters(n) for i, n in enumerate(best[: Search.HALL], 1)}
        starts = dict.fromkeys(run.settings.start for run in self.runs.values())
        found = {f"start {i}": start for i, start in enumerate(starts, 1) if start is not None}
        for number in self.rung_regrets[-1] if self.rung_regrets else self.runs:
            of_run = self.runs[number].candidates() if self.runs[number].generation else {}
            found |= {f"run {number}, {name}": parameters for name, parameters in of_run.items()}
        if self.leader.centres:
            found["mean of the last centres"] = self.genome.decode(np.mean(self.leader.centres, axis=0).tolist())
        return found

    def save(self, folder: str | Path, extra: Mapping[str, Any] | None = None) -> None:
        """Write what is new to the search's folder: the runs to folders in it, then all else to one file.

        See :meth:`evolution.search.Search.save`.
        """
        folder = Path(folder)
        path, settings = folder / STAGES, self.settings.to_dict()
        if path.exists() and identity(STAGED.read_meta(path, "settings")["settings"]) != identity(settings):
            raise ValueError(f"{folder} holds another search: save to another folder")
        folder.mkdir(parents=True, exist_ok=True)
        for number in sorted(self._unsaved):
            self.runs[number].save(run_folder(folder, number))
        self._unsaved = set()
        meta = {
            "settings": settings,
            "fitness": name_of(self.fitness),
            "extra": dict(extra or {}),
            "versions": versions(),
            "runs": list(self.runs),
            "judged": [list(map(list, regrets.items())) for regrets in (self.start_regrets, *self.rung_regrets)],
        }
        STAGED.write(path, meta, self.screening.state())

    @classmethod
    def load(cls, folder: str | Path, fitness: FitnessFunction | None = None, read_only: bool = False) -> StagedSearch:
        """Load the search of a folder as it was when it was saved; see :meth:`evolution.search.Search.load`."""
        folder = Path(folder)
        path, (meta, arrays) = folder / STAGES, read(folder)
        if not read_only:
            check_fitness(meta["fitness"], fitness)
        try:
            search = cls(StagedSettings.from_dict(meta["settings"]), fitness)
            search.screening.restore(arrays)
            numbers = [int(number) for number in meta["runs"]]
            search.start_regrets, *search.rung_regrets = (
                {int(number): float(regret) for number, regret in regrets} for regrets in meta["judged"]
            )
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
        except (TypeError, KeyError, AttributeError, IndexError):  # entries of the wrong type
            raise ValueError(f"{path} is not {STAGED.called}") from None
        search.custom_fitness, search.extra, search.versions = meta["fitness"], meta["extra"], meta["versions"]
        search.runs = {
            number: Search.load(run_folder(folder, number), fitness, read_only=read_only) for number in numbers
        }
        for number, run in search.runs.items():
            if run.settings != search.settings.run(number, run.settings.start):
                raise ValueError(f"{run_folder(folder, number)} holds a run of another search")
        known = set(search.runs)
        if set(search.start_regrets) != known or any(not set(regrets) <= known for regrets in search.rung_regrets):
            raise ValueError(f"{path}: results refer to missing runs")
        if len(search.rung_regrets) > len(search.settings.rungs):
            raise ValueError(f"{path}: there are results of more rungs than the search has")
        return search


def new_search(settings: SearchSettings | StagedSettings) -> AnySearch:
    """Return a new search of the kind that the settings are for."""
    kinds: dict[type, Any] = {SearchSettings: Search, StagedSettings: StagedSearch}
    return kinds[type(settings)](settings)


def has_search(folder: Path) -> bool:
    """Return whether a folder has a search of either kind."""
    return (folder / STAGES).exists() or (folder / CHECKPOINT).exists()


def load_search(folder: Path, generations: int | None = None, read_only: bool = False) -> AnySearch:
    """Load a search of either kind; ``generations`` is a new number of them for a single run."""
    if (folder / STAGES).exists():
        return StagedSearch.load(folder, read_only=read_only)
    return Search.load(folder, generations=generations, read_only=read_only)


def cost(games: FitnessGames) -> int:
    """Return the work that an individual takes, in game-rounds."""
    return games.game_rounds + (TABLE if games.played_by == "table" else 0)


def run_folder(folder: Path, number: int) -> Path:
    """Return the folder of one of the runs."""
    return folder / f"run-{number}"


def read(folder: Path) -> tuple[dict[str, Any], Arrays]:
    """Read the file of a staged search; a ValueError if there is none."""
    path = folder / STAGES
    if not path.is_file():
        raise ValueError(f"{folder} is not the folder of a staged search: it has no {STAGES}")
    meta, arrays = STAGED.read(path, "settings", "fitness", "extra", "versions", "runs", "judged")
    if not isinstance(meta["extra"], dict) or not isinstance(meta["versions"], dict):
        raise ValueError(f"{path} is not {STAGED.called}")
    return meta, arrays


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _mean_regrets(scores: Scores) -> list[float]:
    return [float(regret) for regret in scores.regret.mean(axis=1)]
