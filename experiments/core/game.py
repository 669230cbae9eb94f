"""The game loop: one for everything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from envs import Bandit
from envs.base import lay_out, pay, stretches
from experiments.core.agents import Agent
from nsa_brian.common.plugins import naming_plugins


@dataclass(frozen=True)
class Record:
    """What happened in a batch of games, each array (games, rounds).

    Attributes
    ----------
    arms : chosen arm
    rewards : reward, 0 or 1
    expected : reward probability of the chosen arm
    best_arm, best : the best arm and its probability p*
    chance : the arms' mean probability, what a random choice is worth
    """

    arms: np.ndarray
    rewards: np.ndarray
    expected: np.ndarray
    best_arm: np.ndarray
    best: np.ndarray
    chance: np.ndarray


def play(agent: Agent, bandit: Bandit, n_rounds: int, tick: Callable[[int], None] = lambda rounds: None) -> Record:
    """Let an agent play a bandit that was just reset, in all its games at once.

    Parameters
    ----------
    agent, bandit
        Made for the same ``n_games``.
    n_rounds : int
    tick : callable
        Told how many rounds were played since it was last called, for a progress bar.
    """
    with naming_plugins(policy=agent, bandit=bandit):
        return _played(agent, bandit, n_rounds, tick)


def _played(agent: Any, bandit: Bandit, n_rounds: int, tick: Callable[[int], None]) -> Record:
    game = _Game(bandit, n_rounds, tick, one_by_one=not bandit.plays_ahead or hasattr(agent, "watch"))
    if hasattr(agent, "watch"):
        agent.watch(bandit)  # which shows the round that is to be played
    if getattr(agent, "plays_ahead", False) and bandit.plays_ahead:
        while game.left:
            game.played(agent.play_ahead(game.probabilities, game.luck)[0])
    elif hasattr(agent, "play"):  # NSA on the Brian2 network plays all rounds in one run, and asks when it is ready
        agent.play(game.pull, n_rounds)
    else:
        for _ in range(n_rounds):
            arms = agent.select_arm()
            agent.update(arms, game.pull(arms))
    return game.record()


class _Game:
    """The rounds of a bandit, laid out in stretches since nothing that an agent does changes them, and what came of it.

    Attributes
    ----------
    probabilities : array (rounds, games, arms)
    luck : array (rounds, games)
        Of the present stretch.
    left : int
        Rounds that are still to be played, those of the present stretch included.
    """

    def __init__(self, bandit: Bandit, n_rounds: int, tick: Callable[[int], None], one_by_one: bool) -> None:
        self._bandit, self._tick, self._one_by_one = bandit, tick, one_by_one
        lengths = stretches(n_rounds, bandit.n_games, bandit.n_arms)
        self._lengths = iter([1] * n_rounds if one_by_one else lengths)
        size = (n_rounds, bandit.n_games)
        self._found = Record(
            arms=np.empty(size, np.int32),
            rewards=np.empty(size, np.int8),
            expected=np.empty(size),
            best_arm=np.empty(size, np.int32),
            best=np.empty(size),
            chance=np.empty(size),
        )
        self.left = n_rounds
        self._lay_out()

    def _lay_out(self) -> None:
        length = next(self._lengths)
        self.probabilities, self.luck = lay_out(self._bandit, length)
        size, self._t = (length, self._bandit.n_games), 0
        self._arms, self._rewards = np.empty(size, np.int32), np.empty(size, np.int8)

    def pull(self, arms: np.ndarray) -> np.ndarray:
        """The rewards of the next round."""
        t = self._t
        rewards = self._bandit.pull(arms) if self._one_by_one else pay(self.probabilities[t], self.luck[t], arms)
        self._arms[t], self._rewards[t] = arms, rewards
        self._t += 1
        if self._t == len(self._arms):
            self.played(self._arms, self._rewards)
        return rewards

    def played(self, arms: np.ndarray, rewards: np.ndarray | None = None) -> None:
        """Write down the present stretch, in which these arms (rounds, games) were pulled, and go on to the next."""
        found, p = self._found, self.probabilities
        start = len(found.arms) - self.left
        these = slice(start, start + len(arms))
        expected = np.take_along_axis(p, arms[:, :, None], axis=2)[:, :, 0]
        found.arms[these], found.expected[these] = arms, expected
        found.rewards[these] = self.luck < expected if rewards is None else rewards
        if p.strides[0] == 0:  # one round stands for all
            p = p[:1]
        best_arm = p.argmax(axis=2)
        found.best_arm[these] = best_arm
        found.best[these] = np.take_along_axis(p, best_arm[:, :, None], axis=2)[:, :, 0]
        found.chance[these] = np.add.reduce(p, axis=2)
        self.left -= len(arms)
        self._tick(len(arms))
        if self.left:
            self._bandit.step()
            self._lay_out()

    def record(self) -> Record:
        """All of it, games first."""
        self._found.chance[:] /= self._bandit.n_arms
        return Record(**{name: array.T.copy() for name, array in vars(self._found).items()})
