"""The work of ``nsa play``: one agent's games, which can be divided among workers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from experiments.core.cells import Arrays, Cell, Progress, no_progress
from experiments.core.play import play_agent
from experiments.core.settings import PlaySettings


class PlayCell(Cell):
    """One agent in some repetitions, all at once: the arrays of its record."""

    def __init__(self, settings: PlaySettings, agent: str, repetitions: range) -> None:
        self.settings, self.agent, self.repetitions = settings, agent, repetitions

    @property
    def work(self) -> int:
        """Rounds of all games."""
        return len(self.repetitions) * self.settings.n_rounds

    @property
    def memory(self) -> float:
        """Its share of what all repetitions take."""
        return self.settings.memory * len(self.repetitions) / self.settings.repetitions

    def __call__(self, progress: Progress = no_progress) -> Arrays:
        """Play."""
        return dict(vars(play_agent(self.settings, self.agent, self.repetitions, progress)))

    def split(self, n: int) -> Sequence[PlayCell]:
        """Each repetition has its own random numbers, so they can be played apart."""
        games = len(self.repetitions)
        bounds = np.linspace(0, games, min(n, games) + 1).astype(int)
        return [
            PlayCell(self.settings, self.agent, self.repetitions[start:stop])
            for start, stop in itertools.pairwise(bounds)
        ]

    def join(self, parts: Sequence[Arrays]) -> Arrays:
        """All repetitions below each other."""
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
