"""The games of ``nsa entropy``: part (a) over time, part (b) against the uncertainty of the rewards."""

from __future__ import annotations

import numpy as np

from experiments.core import metrics
from experiments.core.cells import Arrays
from experiments.core.play import make_bandit, play_agent
from experiments.core.settings import PlaySettings


def over_time_cell(agent: str) -> str:
    """The name of a cell of part (a)."""
    return f"a/{agent}"


def peaked_cell(beta: float, agent: str) -> str:
    """The name of a cell of part (b)."""
    return f"b/{beta:g}/{agent}"


def play_over_time(games: PlaySettings, agent: str) -> Arrays:
    """Part (a): choices of the first game, entropy and reward over the rounds, mean over games."""
    record = play_agent(games, agent, range(games.repetitions))
    entropy = metrics.choice_entropy(record.arms)
    return {
        "arms": record.arms[0],
        "best_arm": record.best_arm[0],
        "entropy": entropy.mean(axis=0),
        "mean_entropy": entropy.mean(axis=1),
        "total_reward": record.rewards.sum(axis=1),
    }


def play_trials(games: PlaySettings, agent: str) -> Arrays:
    """Part (b): reward, regret and choice entropy in each trial of each game, and the rewards' own entropy."""
    repetitions = range(games.repetitions)
    record = play_agent(games, agent, repetitions)

    def by_trial(x: np.ndarray) -> np.ndarray:
        return x.reshape(len(x), games.trials, games.rounds).mean(axis=2)

    return {
        "reward": by_trial(record.rewards),
        "regret": by_trial(record.best - record.expected),
        "entropy": by_trial(metrics.choice_entropy(record.arms)),
        "reward_entropy": metrics.distribution_entropy(make_bandit(games, repetitions).probabilities),
    }
