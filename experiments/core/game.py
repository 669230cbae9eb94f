"""The game loop: one for everything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from envs import Bandit
from experiments.core.agents import Agent


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


def play(agent: Agent, bandit: Bandit, n_rounds: int, tick: Callable[[], None] = lambda: None) -> Record:
    """Let an agent play a bandit that was just reset, in all its games at once.

    Parameters
    ----------
    agent, bandit
        Made for the same ``n_games``.
    n_rounds : int
    tick : callable
        Called after each round, for a progress bar.
    """
    size = (n_rounds, bandit.n_games)
    record = Record(
        arms=np.empty(size, np.int32),
        rewards=np.empty(size, np.int8),
        expected=np.empty(size),
        best_arm=np.empty(size, np.int32),
        best=np.empty(size),
        chance=np.empty(size),
    )
    games = np.arange(bandit.n_games)
    t = 0

    def pull(arms: np.ndarray) -> np.ndarray:
        """One round of the bandit, written down."""
        nonlocal t
        rewards = bandit.pull(arms)
        p, best_arm = bandit.probabilities, bandit.best_arm
        record.arms[t], record.rewards[t], record.expected[t] = arms, rewards, p[games, arms]
        record.best_arm[t], record.best[t], record.chance[t] = best_arm, p[games, best_arm], np.add.reduce(p, axis=1)
        t += 1
        tick()
        if t < n_rounds:
            bandit.step()  # now, so that whoever watches it sees the round that is to be played
        return rewards

    if hasattr(agent, "watch"):
        agent.watch(bandit)
    if hasattr(agent, "play"):  # NSA on the Brian2 network plays all rounds in one run, and asks when it is ready
        agent.play(pull, n_rounds)
    else:
        for _ in range(n_rounds):
            arms = agent.select_arm()
            agent.update(arms, pull(arms))
    record.chance[:] /= bandit.n_arms
    return Record(**{name: array.T.copy() for name, array in vars(record).items()})
