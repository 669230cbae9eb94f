"""Games of ``nsa entropy``: part (a) over time, part (b) against the uncertainty of the rewards."""

from __future__ import annotations

import numpy as np

from experiments.core import metrics
from experiments.core.cells import Arrays
from experiments.core.play import make_bandit, play_agent
from experiments.core.settings import PlaySettings


def over_time_cell(agent: str) -> str:
    """Return the name of a cell of part (a)."""
    return f"a/{agent}"


def peaked_cell(beta: float, agent: str) -> str:
    """Return the name of a cell of part (b)."""
    return f"b/{beta:g}/{agent}"


def play_over_time(games: PlaySettings, agent: str) -> Arrays:
    """Play part (a): choices of all games, best arm of the first, mean entropy and total reward of each game."""
    record = play_agent(games, agent, range(games.repetitions))
    return {
        "arms": record.arms.astype(np.min_scalar_type(games.arms - 1)),
        "best_arm": record.best_arm[0],
        "mean_entropy": metrics.choice_entropy(record.arms).mean(axis=1),
        "total_reward": record.rewards.sum(axis=1),
    }


def first_choices(found: Arrays) -> np.ndarray:
    """Return the arms chosen in the first game of part (a), the only one in files of release 0.2."""
    return found["arms"] if found["arms"].ndim == 1 else found["arms"][0]


def entropy_over_time(found: Arrays) -> np.ndarray:
    """Return the entropy of the last choices in each round of part (a), mean over games; stored by release 0.2."""
    if found["arms"].ndim == 1:
        return found["entropy"]
    return metrics.choice_entropy(found["arms"].astype(np.intp)).mean(axis=0)


def play_trials(games: PlaySettings, agent: str) -> Arrays:
    """Play part (b): reward, regret and choice entropy in each trial of each game, and entropy of the rewards."""
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
