"""Games of several subjects side by side, so that one call evaluates parameter sets of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from experiments.studies.fit.candidates import Candidate, Values
from experiments.studies.fit.data import Subject

#: Probabilities, one for each game, trial and arm, that are computed at once.
MOST_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class Batch:
    """Subjects whose games are columns, padded to the same length.

    Attributes
    ----------
    subjects : sequence of Subject
    n_arms : int
    """

    subjects: Sequence[Subject]
    n_arms: int

    @cached_property
    def _games(self) -> list[np.ndarray]:
        """The columns of each subject."""
        counts = [len(subject.games) for subject in self.subjects]
        return np.split(np.arange(sum(counts)), np.cumsum(counts)[:-1])

    @cached_property
    def real(self) -> np.ndarray:
        """Which trials (games, trials) are not padded."""
        lengths = np.array([len(game) for subject in self.subjects for game in subject.games])
        return np.arange(lengths.max()) < lengths[:, None]

    @cached_property
    def _arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Arms and rewards (games, trials), and offered arms (games, trials, arms) unless that is always all."""
        games = [game for subject in self.subjects for game in subject.games]
        arms, rewards = np.zeros(self.real.shape, dtype=np.intp), np.zeros(self.real.shape)
        offered = np.ones((*self.real.shape, self.n_arms), dtype=bool)
        for i, game in enumerate(games):
            arms[i, : len(game)], rewards[i, : len(game)] = game.arms, game.rewards
            if game.offered is not None:
                offered[i, : len(game)] = game.offered
        return arms, rewards, None if offered.all() else offered

    def log_likelihood(
        self, agent: Candidate, values: Values, which: np.ndarray, used: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the log-likelihood (sets,) of values (sets,), each for a subject ``which`` (sets,).

        Parameters
        ----------
        agent : Candidate
        values : mapping
        which : array of int (sets,)
        used : array of bool (games, trials), optional
            Trials whose choices count, by default all that are real.
        """
        used = self.real if used is None else used
        total = np.zeros(len(which))
        at_once = max(1, MOST_AT_ONCE // (self.real.shape[1] * self.n_arms * max(map(len, self._games))))
        arms, rewards, offered = self._arrays
        for start in range(0, len(which), at_once):
            sets = np.arange(start, min(start + at_once, len(which)))
            own = [self._games[which[i]] for i in sets]
            games, owner = np.concatenate(own), sets.repeat([len(each) for each in own])
            some = {name: value[owner] for name, value in values.items()}
            shown = None if offered is None else offered[games]
            logs = agent.choice_logs(some, arms[games], rewards[games], self.n_arms, shown)
            # One trial after the other: the order of np.sum depends on the length, and so on the batch's longest game.
            of_game = np.where(used[games], logs, 0.0).cumsum(axis=1)[:, -1]
            np.add.at(total, owner, of_game)
        return total

    def spread(self, by_trial: Sequence[np.ndarray]) -> np.ndarray:
        """Return values of the trials of each subject, game after game, as an array (games, trials)."""
        found = np.zeros(self.real.shape, dtype=by_trial[0].dtype)
        found[self.real] = np.concatenate(by_trial)
        return found
