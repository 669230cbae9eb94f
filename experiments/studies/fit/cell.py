"""Cell of ``nsa fit``: one agent, fitted to subjects."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from experiments.core.cells import Arrays, Cell, Progress, no_progress
from experiments.studies.fit.batch import Batch
from experiments.studies.fit.candidates import Candidate
from experiments.studies.fit.data import Subject
from experiments.studies.fit.fitting import Effort, fit_subjects
from experiments.studies.fit.predictive import of_agent, of_subject

#: Subjects that are fitted together, between two reports of progress.
TOGETHER = 14


class FitCell(Cell):
    """Fits of an agent to subjects; a fit depends on neither other subjects nor other agents.

    The arrays of subject i are named ``i:NAME``; ``subjects`` holds their names.
    """

    def __init__(
        self, agent: Candidate, subjects: Sequence[Subject], n_arms: int, effort: Effort, predictive: int, seed: int
    ) -> None:
        self.agent, self.subjects, self.n_arms = agent, subjects, n_arms
        self.effort, self.predictive, self.seed = effort, predictive, seed

    @property
    def work(self) -> int:
        """Number of fits."""
        return len(self.subjects)

    @property
    def memory(self) -> float:
        """Bytes needed at least."""
        return 0.0

    def __call__(self, progress: Progress = no_progress) -> Arrays:
        """Fit all subjects."""
        found: list[Arrays] = []
        for start in range(0, len(self.subjects), TOGETHER):
            some = self.subjects[start : start + TOGETHER]
            found += self._fit(some)
            progress(len(some))
        return _arrays([subject.name for subject in self.subjects], found)

    def split(self, n: int) -> Sequence[FitCell]:
        """Divide the subjects."""
        bounds = np.linspace(0, len(self.subjects), min(n, len(self.subjects)) + 1).astype(int)
        how = (self.n_arms, self.effort, self.predictive, self.seed)
        return [FitCell(self.agent, self.subjects[a:b], *how) for a, b in itertools.pairwise(bounds)]

    def join(self, parts: Sequence[Arrays]) -> Arrays:
        """Join the subjects of the parts."""
        each = [by_subject(part) for part in parts]
        return _arrays([name for part in each for name in part], [found for part in each for found in part.values()])

    def _fit(self, subjects: Sequence[Subject]) -> list[Arrays]:
        streams = [self._stream(subject) for subject in subjects]
        fits = fit_subjects(self.agent, Batch(subjects, self.n_arms), self.effort, streams)
        for stream, subject, found in zip(streams, subjects, fits, strict=True):
            found["arms"] = np.concatenate([game.arms for game in subject.games])
            found["rewards"] = np.concatenate([game.rewards for game in subject.games])
            found["game"] = np.repeat(np.arange(len(subject.games)), [len(game) for game in subject.games])
            found["n_offered"] = np.concatenate([game.n_offered(self.n_arms) for game in subject.games])
            if self.predictive:
                values = {gene.name: found["values"][i : i + 1] for i, gene in enumerate(self.agent.genes)}
                rng = np.random.default_rng((*stream, 0))
                found["simulated"] = of_agent(self.agent, values, subject, self.n_arms, self.predictive, rng)
                found["observed"] = of_subject(subject)
        return fits

    def _stream(self, subject: Subject) -> tuple[int, ...]:
        """Return the seed of a subject's fit."""
        return self.seed, int.from_bytes(f"{self.agent.name}|{subject.name}".encode(), "big")


def _arrays(names: Sequence[str], found: Sequence[Arrays]) -> Arrays:
    arrays = {f"{i}:{name}": array for i, each in enumerate(found) for name, array in each.items()}
    return {"subjects": np.array(names, dtype=str), **arrays}


def by_subject(cell: Arrays) -> dict[str, Arrays]:
    """Return the arrays of each subject by its name."""
    found: list[Arrays] = [{} for _ in cell["subjects"]]
    for key, array in cell.items():
        place, _, name = key.partition(":")
        if name:
            found[int(place)][name] = array
    return dict(zip(cell["subjects"].tolist(), found, strict=True))
