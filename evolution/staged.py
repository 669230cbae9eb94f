"""A search that begins from nothing: look before you walk, let several walk, and go on with those that get far."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from deap import tools

from evolution.checkpoint import identity, versions
from evolution.fitness import Games, OwnFitness
from evolution.judging import ONE_PAIR, Around, evaluate_much
from evolution.look import Look
from evolution.search import Search, check_fitness, name_of
from evolution.staged_settings import StagedSettings
from evolution.workers import Workers
from nsa_brian.common.archive import ArchiveFormat, Arrays
from nsa_brian.parameters import NSAParameters

#: Streams of random numbers, apart from each other and from those of the runs.
LOOK, JUDGE = 10, 11
#: Games of each kind, or seeds of a fitness of the user's own, that runs are judged by at the end of a rung: the same
#: ones each time, so that a run can be followed over the rungs. The champion is chosen and reported on others.
JUDGED_BY = 16

#: Making the table that answers for an individual takes about as long as playing so many game-rounds with it.
TABLE = 250_000

STAGES = "stages.npz"
STAGED = ArchiveFormat("nsa-staged-search", 4, "a search in stages")


class StagedSearch:
    """A search in stages under way.

    A first look at many random sets finds places worth beginning at; runs of CMA-ES with small steps begin at the best
    that differ in what they do; at the end of each rung of their race the centres of the runs are judged on games that
    nobody has seen, and only the best go on.

    Parameters
    ----------
    settings : StagedSettings
    fitness : callable, optional
        See :class:`evolution.search.Search`.

    Attributes
    ----------
    look : Look
    runs : dict of Search
        By number, once the look is over.
    began : dict
        Regrets on held-out games of the sets that the runs began at, by the run's number.
    judged : list of dict
        Regrets of the runs' centres at the end of each rung, on the same games.
    stepped : int or None
        The run that the last step was a generation of.
    """

    def __init__(self, settings: StagedSettings, fitness: OwnFitness | None = None) -> None:
        self.settings, self.fitness, self.genome = settings, fitness, settings.genome
        seed, inexact = (settings.seed, LOOK), settings.inexact
        self.look = Look(settings.sets, settings.starts, settings.games, self.genome, seed, fitness, inexact)
        # Made once: games make their bandits, to see whether they can.
        self._games = [dataclasses.replace(settings.games, iterations=rung.iterations) for rung in settings.rungs]
        for games in self._games:
            games.check_memory(settings.population)
        self.runs: dict[int, Search] = {}
        self.began: dict[int, float] = {}
        self.judged: list[dict[int, float]] = []
        self.stepped: int | None = None
        self._unsaved: set[int] = set()

    @property
    def rung(self) -> int:
        """The present part of the race, from 0."""
        return min(len(self.judged), len(self.settings.rungs) - 1)

    @property
    def racing(self) -> list[int]:
        """The runs that take part in it, best first."""
        if not self.judged:
            return list(self.runs)
        last = self.judged[min(self.rung, len(self.judged)) - 1]
        return sorted(last, key=lambda number: last[number])[: self.settings.rungs[self.rung].runs]

    @property
    def leading(self) -> int:
        """The number of the run that was best when they were judged last; before that, the one that steps first."""
        last = self.judged[-1] if self.judged else dict.fromkeys(self.runs, 0.0)
        return min(last, key=lambda number: last[number])

    @property
    def leader(self) -> Search:
        """That run."""
        return self.runs[self.leading]

    @property
    def best(self) -> float:
        """The least regret on held-out games so far; NaN before there are runs."""
        return min((regret for regrets in (self.began, *self.judged) for regret in regrets.values()), default=math.nan)

    @property
    def stop(self) -> str:
        """Why the search is over; empty if it is not."""
        return "the race has been run" if len(self.judged) == len(self.settings.rungs) else ""

    @property
    def generation(self) -> int:
        """Generations done, of all runs."""
        return sum(run.generation for run in self.runs.values())

    @property
    def work(self) -> tuple[float, float]:
        """Work done, and in all, in game-rounds; making an individual's table counts as some of them."""
        done, total = (sum(n * cost(games) for n, games in part) for part in zip(*self._plan(), strict=True))
        return done, total

    @property
    def game_rounds(self) -> int:
        """Game-rounds that were played, but for those that runs were judged by."""
        return sum(done * games.game_rounds for (done, games), _ in self._plan())

    def _plan(self) -> list[tuple[tuple[int, Games], tuple[int, Games]]]:
        """For each look and each rung, the sets that have played and all that will, with their games."""
        look, settings, plan = self.look, self.settings, []
        for i, size in enumerate(look.sizes):
            done = len(look.regrets[i]) if i < len(look.regrets) else 0
            players = look.around[i].players
            plan.append(((done * players, look.games[i]), (size * players, look.games[i])))
        individuals = settings.population * Around(self.genome, settings.inexact, ONE_PAIR).players
        for rung, (begin, end), games in zip(settings.rungs, settings.spans, self._games, strict=True):
            done = sum(min(max(run.generation, begin), end) - begin for run in self.runs.values())
            all_ = rung.runs * rung.generations
            plan.append(((individuals * done, games), (individuals * all_, games)))
        return plan

    @property
    def logbook(self) -> tools.Logbook:
        """That of the leader; empty while there are no runs."""
        return self.leader.logbook if self.runs else tools.Logbook()

    def step(self, workers: Workers | None = None) -> None:
        """A piece of work: some sets of the look, a generation of a run, or the judgement at the end of a rung."""
        self.stepped = None
        if not self.look.done:
            self.look.step(workers)
        elif not self.runs:
            self._begin(workers)
        else:
            self._race(workers)

    def _begin(self, workers: Workers | None) -> None:
        """Begin the race: runs with each step size at the best start, then at the next, and so on."""
        starts = [self.look.parameters(number) for number in self.look.starts()]
        regrets = self.judge(starts, workers)
        for number in range(1, self.settings.rungs[0].runs + 1):
            place = (number - 1) // len(self.settings.sigmas)
            self.runs[number] = Search(self.settings.run(number, starts[place]), self.fitness)
            self.began[number] = regrets[place]
        self._unsaved |= set(self.runs)

    def _race(self, workers: Workers | None) -> None:
        _, far = self.settings.spans[self.rung]
        behind = [number for number in self.racing if self.runs[number].generation < far]
        if behind:
            self.runs[behind[0]].step(workers, self._games[self.rung])
            self._unsaved.add(behind[0])
            self.stepped = behind[0]
            return
        racing = self.racing
        found = self.judge([self.runs[number].centre for number in racing], workers)
        self.judged.append(dict(zip(racing, found, strict=True)))

    def judge(self, parameters: Sequence[NSAParameters], workers: Workers | None = None) -> list[float]:
        """Mean regrets on the games that the runs are judged by."""
        judge, around = self.fitness or self.settings.games, Around(self.genome, self.settings.inexact)
        found = evaluate_much(judge, (self.settings.seed, JUDGE), parameters, workers, around, JUDGED_BY)
        return [float(regret) for regret in found.regret.mean(axis=1)]

    def candidates(self) -> dict[str, NSAParameters]:
        """Who may become champion: the sets that runs began at, who came far in the last, the leader's mean centre.

        Before there is a generation, the best sets of the look.
        """
        if not self.generation:
            known = next(i for i in reversed(range(len(self.look.regrets))) if len(self.look.regrets[i]))
            best = np.argsort(self.look.regrets[known], kind="stable")[: Search.HALL]
            return {
                f"look, best {i}": self.look.parameters(self.look.looked_at[known][n]) for i, n in enumerate(best, 1)
            }
        starts = dict.fromkeys(run.settings.start for run in self.runs.values())
        found = {f"start {i}": start for i, start in enumerate(starts, 1) if start is not None}
        for number in self.judged[-1] if self.judged else self.runs:
            of_run = self.runs[number].candidates() if self.runs[number].generation else {}
            found |= {f"run {number}, {name}": parameters for name, parameters in of_run.items()}
        if self.leader.centres:
            found["mean of the last centres"] = self.genome.decode(np.mean(self.leader.centres, axis=0).tolist())
        return found

    def save(self, folder: str | Path, extra: Mapping[str, Any] | None = None) -> None:
        """Write what is new to the search's folder: the runs to folders of their own, then all else in one file.

        See :meth:`evolution.search.Search.save`.
        """
        folder = Path(folder)
        path, settings = folder / STAGES, self.settings.to_dict()
        if path.exists() and identity(STAGED.read_meta(path, "settings")["settings"]) != identity(settings):
            raise ValueError(f"{folder} holds another search: save to a folder of its own")
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
            "judged": [list(map(list, regrets.items())) for regrets in (self.began, *self.judged)],
        }
        STAGED.write(path, meta, self.look.state())

    @classmethod
    def load(cls, folder: str | Path, fitness: OwnFitness | None = None) -> StagedSearch:
        """The search of a folder, as it was when it was saved; a ValueError if there is none."""
        folder = Path(folder)
        path, (meta, arrays) = folder / STAGES, read(folder)
        check_fitness(meta["fitness"], fitness)
        try:
            search = cls(StagedSettings.from_dict(meta["settings"]), fitness)
            search.look.restore(arrays)
            numbers = [int(number) for number in meta["runs"]]
            search.began, *search.judged = (
                {int(number): float(regret) for number, regret in regrets} for regrets in meta["judged"]
            )
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
        except (TypeError, KeyError, AttributeError, IndexError):  # entries that we never write
            raise ValueError(f"{path} is not {STAGED.called}") from None
        search.runs = {number: Search.load(run_folder(folder, number), fitness) for number in numbers}
        for number, run in search.runs.items():
            if run.settings != search.settings.run(number, run.settings.start):
                raise ValueError(f"{run_folder(folder, number)} holds a run of another search")
        if set(search.began) != set(search.runs) or any(not set(r) <= set(search.runs) for r in search.judged):
            raise ValueError(f"{path}: runs were judged that there are not")
        if len(search.judged) > len(search.settings.rungs):
            raise ValueError(f"{path}: runs were judged after the last rung")
        return search


#: A search of either kind.
AnySearch = Search | StagedSearch


def cost(games: Games) -> int:
    """Work that an individual makes, in game-rounds."""
    return games.game_rounds + (TABLE if games.played_by == "table" else 0)


def run_folder(folder: Path, number: int) -> Path:
    """Where one of the runs is kept."""
    return folder / f"run-{number}"


def read(folder: Path) -> tuple[dict[str, Any], Arrays]:
    """What the file of a search in stages holds; a ValueError if there is none."""
    path = folder / STAGES
    if not path.is_file():
        raise ValueError(f"{folder} is not the folder of a search in stages: it has no {STAGES}")
    meta, arrays = STAGED.read(path, "settings", "fitness", "extra", "versions", "runs", "judged")
    if not isinstance(meta["extra"], dict) or not isinstance(meta["versions"], dict):
        raise ValueError(f"{path} is not {STAGED.called}")
    return meta, arrays
