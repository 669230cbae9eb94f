"""Choices and rewards of subjects."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

import numpy as np

from experiments.studies.fit.columns import BLOCK, CHOICE, OFFERED, REWARD, SUBJECT


@dataclass(frozen=True)
class Game:
    """Trials in which a subject learns without a restart: a block, or a condition with arms of its own.

    Attributes
    ----------
    label : str
        Block and condition; empty if the file has neither.
    arms : array of int (trials,)
    rewards : array (trials,)
        From 0 to 1.
    offered : array of bool (trials, arms), optional
        Arms that could be chosen; None means all.
    """

    label: str
    arms: np.ndarray
    rewards: np.ndarray
    offered: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.arms)

    def n_offered(self, n_arms: int) -> np.ndarray:
        """Return the number of arms offered in each trial."""
        return np.full(len(self), n_arms) if self.offered is None else self.offered.sum(axis=1)


@dataclass(frozen=True)
class Subject:
    """The games of a subject."""

    name: str
    games: tuple[Game, ...]

    @property
    def n_trials(self) -> int:
        """Number of choices."""
        return sum(map(len, self.games))


@dataclass(frozen=True)
class Behaviour:
    """Choices and rewards of subjects.

    Attributes
    ----------
    subjects : tuple of Subject
    n_arms : int
    labels : tuple of str
        The arms as the file calls them.
    n_missed : int
        Missed trials, which are left out: no model learns in them.
    """

    subjects: tuple[Subject, ...]
    n_arms: int
    labels: tuple[str, ...] = ()
    n_missed: int = 0

    @property
    def n_trials(self) -> int:
        """Number of choices of all subjects."""
        return sum(subject.n_trials for subject in self.subjects)

    def pooled(self) -> Behaviour:
        """Return all games as those of one subject, so that all subjects share parameters."""
        games = tuple(game for subject in self.subjects for game in subject.games)
        return Behaviour((Subject("all", games),), self.n_arms, self.labels, self.n_missed)


def to_csv(behaviour: Behaviour) -> str:
    """Return subjects as CSV text that :func:`experiments.studies.fit.reading.parse` reads."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    games = [(subject.name, game) for subject in behaviour.subjects for game in subject.games]
    blocks = any(game.label for _, game in games)
    chosen = {int(arm) for _, game in games for arm in game.arms}
    # Arms that nobody chose are known from the column of offered arms only.
    masks = len(chosen) < behaviour.n_arms or any(game.offered is not None for _, game in games)
    writer.writerow([SUBJECT, *([BLOCK] if blocks else []), CHOICE, REWARD, *([OFFERED] if masks else [])])
    for name, game in games:
        for t, (arm, reward) in enumerate(zip(game.arms.tolist(), game.rewards.tolist(), strict=True)):
            shown_arms = np.arange(behaviour.n_arms) if game.offered is None else np.flatnonzero(game.offered[t])
            mask = [" ".join(map(str, shown_arms))] if masks else []
            writer.writerow([name, *([game.label] if blocks else []), arm, repr(float(reward)), *mask])
    return out.getvalue()
