"""A search that begins from nothing: look before you walk, let several walk, and go on with those that get far."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from deap import tools

from evolution.archive import Arrays, Form
from evolution.checkpoint import versions
from evolution.fitness import OwnFitness
from evolution.look import Look
from evolution.search import Search, evaluate, name_of
from evolution.stages import Rung, StagedSettings
from evolution.workers import Workers
from nsa_brian.parameters import NSAParameters

#: Streams of random numbers, apart from each other and from those of the runs.
LOOK, JUDGE = 10, 11
#: Games of each kind, or seeds of a fitness of the user's own, that runs are judged by at the end of a rung.
JUDGED_BY = 8

STAGES = "stages.npz"
STAGED = Form("nsa-staged-search", 2, "a search in stages")


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
    judged : list of dict
        Regrets of the runs' centres at the end of each rung, by number.
    """

    def __init__(self, settings: StagedSettings, fitness: OwnFitness | None = None) -> None:
        self.settings, self.fitness, self.genome = settings, fitness, settings.genome
        self.look = Look(settings.sets, settings.games, self.genome, (settings.seed, LOOK), fitness)
        self.runs: dict[int, Search] = {}
        self.judged: list[dict[int, float]] = []
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
    def leader(self) -> Search:
        """The run that was best when they were judged last."""
        last = self.judged[-1] if self.judged else dict.fromkeys(self.runs, 0.0)
        return self.runs[min(last, key=lambda number: last[number])]

    @property
    def stop(self) -> str:
        """Why the search is over; empty if it is not."""
        return "the race is over" if len(self.judged) == len(self.settings.rungs) else ""

    @property
    def generation(self) -> int:
        """Generations done, of all runs."""
        return sum(run.generation for run in self.runs.values())

    @property
    def logbook(self) -> tools.Logbook:
        """That of the leader."""
        return self.leader.logbook

    def step(self, workers: Workers | None = None) -> None:
        """A piece of work: some sets of the look, a generation of a run, or the judgement at the end of a rung."""
        if not self.look.done:
            self.look.step(workers)
        elif not self.runs:
            for number, chosen in enumerate(self.look.starts(self.settings.rungs[0].runs), start=1):
                self.runs[number] = Search(self.settings.run(number, self.look.parameters(chosen)), self.fitness)
            self._unsaved |= set(self.runs)
        else:
            self._race(self.settings.rungs[self.rung], workers)

    def _race(self, rung: Rung, workers: Workers | None) -> None:
        far = sum(each.generations for each in self.settings.rungs[: self.rung + 1])
        behind = [number for number in self.racing if self.runs[number].generation < far]
        if behind:
            self.runs[behind[0]].step(workers, dataclasses.replace(self.settings.games, iterations=rung.iterations))
            self._unsaved.add(behind[0])
            return
        racing = self.racing
        centres = [self.runs[number].centre for number in racing]
        if self.fitness is None:
            games = dataclasses.replace(self.settings.games, iterations=JUDGED_BY)
            found = evaluate(games, (self.settings.seed, JUDGE, self.rung), centres, workers).regret
        else:
            seeds = [(self.settings.seed, JUDGE, self.rung, i) for i in range(JUDGED_BY)]
            found = np.hstack([evaluate(self.fitness, seed, centres, workers).regret for seed in seeds])
        self.judged.append(dict(zip(racing, map(float, found.mean(axis=1)), strict=True)))

    def candidates(self) -> dict[str, NSAParameters]:
        """Who may become champion: those of the runs that raced last, and the mean of the leader's last centres."""
        found: dict[str, NSAParameters] = {}
        for number in self.judged[-1] if self.judged else self.runs:
            of_run = self.runs[number].candidates()
            found |= {f"run {number}, {name}": parameters for name, parameters in of_run.items()}
        mean = self.genome.decode(np.mean(self.leader.centres, axis=0).tolist())
        return {**found, "mean of the last centres": mean}

    def save(self, folder: str | Path, extra: Mapping[str, Any] | None = None) -> None:
        """Write what is new to the search's folder: the runs to folders of their own, then all else in one file.

        See :meth:`evolution.search.Search.save`.
        """
        folder = Path(folder)
        path, settings = folder / STAGES, self.settings.to_dict()
        if path.exists() and _read(path)[0]["settings"] != json.loads(json.dumps(settings)):
            raise ValueError(f"{folder} holds another search: save to a folder of its own")
        folder.mkdir(parents=True, exist_ok=True)
        for number in sorted(self._unsaved):
            self.runs[number].save(_run_folder(folder, number))
        self._unsaved = set()
        meta = {
            "settings": settings,
            "fitness": name_of(self.fitness),
            "extra": dict(extra or {}),
            "versions": versions(),
            "runs": list(self.runs),
            "judged": [list(map(list, regrets.items())) for regrets in self.judged],
        }
        STAGED.write(path, meta, self.look.state())

    @classmethod
    def load(cls, folder: str | Path, fitness: OwnFitness | None = None) -> StagedSearch:
        """The search of a folder, as it was when it was saved; a ValueError if there is none."""
        folder = Path(folder)
        meta, arrays = _read(folder / STAGES)
        if bool(meta["fitness"]) != (fitness is not None):
            raise ValueError(f"the search's own fitness is {meta['fitness'] or 'none'}: give that one")
        try:
            search = cls(StagedSettings.from_dict(meta["settings"]), fitness)
            search.look.restore(arrays)
            search.runs = {number: Search.load(_run_folder(folder, number), fitness) for number in meta["runs"]}
            search.judged = [{int(number): float(regret) for number, regret in regrets} for regrets in meta["judged"]]
        except (TypeError, KeyError, AttributeError, IndexError):  # entries that we never write
            raise ValueError(f"{folder / STAGES} is not {STAGED.called}") from None
        for number, run in search.runs.items():
            if run.settings != search.settings.run(number, run.settings.start):
                raise ValueError(f"{_run_folder(folder, number)} holds a run of another search")
        if any(not set(regrets) <= set(search.runs) for regrets in search.judged):
            raise ValueError(f"{folder / STAGES}: runs were judged that there are not")
        return search


def _run_folder(folder: Path, number: int) -> Path:
    return folder / f"run-{number}"


def _read(path: Path) -> tuple[dict[str, Any], Arrays]:
    if not path.is_file():
        raise ValueError(f"{path.parent} is not the folder of a search in stages: it has no {STAGES}")
    return STAGED.read(path, "settings", "fitness", "runs", "judged")
