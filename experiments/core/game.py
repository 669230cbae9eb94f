"""The game loop, used by all commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from envs import Bandit
from envs.base import lay_out, pay, stretches
from experiments.core.agents import Agent
from nsa_brian.common.plugins import naming_plugins


@dataclass(frozen=True)
class Record:
    """Record of a batch of games; each array is (games, rounds).

    Attributes
    ----------
    arms : chosen arm
    rewards : reward, 0 or 1
    expected : reward probability of the chosen arm
    best_arm, best : the best arm and its probability p*
    chance : mean probability of the arms, the expected reward of a random choice
    agreed : whether U and V agreed; None for agents other than NSA, and in files of 0.2
    """

    arms: np.ndarray
    rewards: np.ndarray
    expected: np.ndarray
    best_arm: np.ndarray
    best: np.ndarray
    chance: np.ndarray
    agreed: np.ndarray | None = None

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays by name, without ``agreed`` if it is None."""
        return {name: array for name, array in vars(self).items() if array is not None}


def play(agent: Agent, bandit: Bandit, n_rounds: int, tick: Callable[[int], None] = lambda rounds: None) -> Record:
    """Play a batch of games with a bandit that was just reset.

    Parameters
    ----------
    agent, bandit
        Made for the same ``n_games``.
    n_rounds : int
    tick : callable
        Called with the number of rounds played since the last call, for a progress bar.
    """
    with naming_plugins(policy=agent, bandit=bandit):
        return _played(agent, bandit, n_rounds, tick)


def _played(agent: Any, bandit: Bandit, n_rounds: int, tick: Callable[[int], None]) -> Record:
    game = _Game(bandit, n_rounds, tick, one_by_one=not bandit.plays_ahead or hasattr(agent, "watch"))
    if hasattr(agent, "watch"):
        agent.watch(bandit)  # it reads the bandit before each round
    if getattr(agent, "plays_ahead", False) and bandit.plays_ahead:
        while game.left:
            arms, agreed = agent.play_ahead(game.probabilities, game.luck)
            game.agreed.append(agreed)
            game.played(arms)
    elif hasattr(agent, "play"):  # NSA on the Brian2 network plays all rounds in one run
        found = agent.play(game.pull, n_rounds)
        if isinstance(found, Mapping) and "agreed" in found:  # a user's agent may return something else
            game.agreed.append(found["agreed"])
    else:
        for _ in range(n_rounds):
            arms = agent.select_arm()
            agent.update(arms, game.pull(arms))
    return game.record()


class _Game:
    """The rounds of a bandit, computed ahead in stretches as they do not depend on the agent, and the record.

    Attributes
    ----------
    probabilities : array (rounds, games, arms)
    luck : array (rounds, games)
        Uniform random numbers of the current stretch.
    left : int
        Rounds left to play, including the current stretch.
    agreed : list of array (rounds, games)
        Whether U and V agreed, stretch by stretch; empty if the agent is not NSA.
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
        self.agreed: list[np.ndarray] = []
        self.left = n_rounds
        self._lay_out()

    def _lay_out(self) -> None:
        length = next(self._lengths)
        self.probabilities, self.luck = lay_out(self._bandit, length)
        size, self._t = (length, self._bandit.n_games), 0
        self._arms, self._rewards = np.empty(size, np.int32), np.empty(size, np.int8)

    def pull(self, arms: np.ndarray) -> np.ndarray:
        """Play the next round and return the rewards."""
        t = self._t
        rewards = self._bandit.pull(arms) if self._one_by_one else pay(self.probabilities[t], self.luck[t], arms)
        self._arms[t], self._rewards[t] = arms, rewards
        self._t += 1
        if self._t == len(self._arms):
            self.played(self._arms, self._rewards)
        return rewards

    def played(self, arms: np.ndarray, rewards: np.ndarray | None = None) -> None:
        """Record the current stretch, given the arms (rounds, games) that were pulled, and start the next."""
        found, p = self._found, self.probabilities
        start = len(found.arms) - self.left
        these = slice(start, start + len(arms))
        expected = np.take_along_axis(p, arms[:, :, None], axis=2)[:, :, 0]
        found.arms[these], found.expected[these] = arms, expected
        found.rewards[these] = self.luck < expected if rewards is None else rewards
        if p.strides[0] == 0:  # all rounds share one row
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
        """Return the record, with games as the first axis."""
        self._found.chance[:] /= self._bandit.n_arms
        agreed = np.concatenate(self.agreed).T.copy() if self.agreed else None
        return Record(**{name: array.T.copy() for name, array in self._found.arrays().items()}, agreed=agreed)
