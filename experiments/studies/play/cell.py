"""Cells of ``nsa play``: the games of one agent, which can be divided among workers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from experiments.core.cells import Arrays, Cell, Progress, no_progress
from experiments.core.play import play_agent
from experiments.core.settings import PlaySettings


class PlayCell(Cell):
    """One agent in a batch of repetitions; returns the arrays of its record."""

    def __init__(self, settings: PlaySettings, agent: str, repetitions: range) -> None:
        self.settings, self.agent, self.repetitions = settings, agent, repetitions

    @property
    def work(self) -> int:
        """Rounds of all games."""
        return len(self.repetitions) * self.settings.n_rounds

    @property
    def memory(self) -> float:
        """Bytes needed at least."""
        return self.settings.memory * len(self.repetitions) / self.settings.repetitions

    def __call__(self, progress: Progress = no_progress) -> Arrays:
        """Play the games."""
        return play_agent(self.settings, self.agent, self.repetitions, progress).arrays()

    def split(self, n: int) -> Sequence[PlayCell]:
        """Divide the repetitions, which have separate random numbers."""
        games = len(self.repetitions)
        bounds = np.linspace(0, games, min(n, games) + 1).astype(int)
        return [
            PlayCell(self.settings, self.agent, self.repetitions[start:stop])
            for start, stop in itertools.pairwise(bounds)
        ]

    def join(self, parts: Sequence[Arrays]) -> Arrays:
        """Concatenate the repetitions."""
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
