"""What is measured of a game. Arrays are (games, rounds); each measure returns one number a game unless it says so."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from scipy.special import stdtrit

from experiments.core.game import Record

ENTROPY_WINDOW = 20


def regret(record: Record) -> np.ndarray:
    """Eq. (1): mean over rounds of p* minus the expected reward of the chosen arm."""
    return (record.best - record.expected).mean(axis=1)


def published_regret(record: Record, trial_rounds: int) -> np.ndarray:
    """The measure behind the paper's table: the best probability at the very start, minus the mean reward of the
    last tenth of each trial. It can be negative where the bandit improves.
    """
    games, rounds = record.rewards.shape
    tail = max(1, trial_rounds // 10)
    late = record.rewards.reshape(games, rounds // trial_rounds, trial_rounds)[:, :, -tail:]
    return record.best[:, 0] - late.mean(axis=(1, 2))


def reward(record: Record) -> np.ndarray:
    """Mean reward."""
    return record.rewards.mean(axis=1)


def choice_entropy(arms: np.ndarray, window: int = ENTROPY_WINDOW) -> np.ndarray:
    """Entropy in nats, -sum p ln p, of the arms chosen in the last ``window`` rounds; an array (games, rounds).

    In the first rounds the window is as long as the game is old.
    """
    games, rounds = arms.shape
    counts = np.zeros((games, arms.max() + 1), dtype=np.intp)
    n = np.arange(window + 1)
    n_log_n = n * np.log(np.maximum(n, 1))
    total = np.zeros(games)  # sum over arms of n ln n, kept up to date as arms enter and leave the window
    entropy = np.empty(arms.shape)
    rows = np.arange(games)
    for t in range(rounds):
        if t >= window:
            left = rows, arms[:, t - window]
            total += n_log_n[counts[left] - 1] - n_log_n[counts[left]]
            counts[left] -= 1
        entered = rows, arms[:, t]
        total += n_log_n[counts[entered] + 1] - n_log_n[counts[entered]]
        counts[entered] += 1
        size = min(t + 1, window)
        entropy[:, t] = np.log(size) - total / size
    return np.maximum(entropy, 0)  # rounding can leave -1e-16


def distribution_entropy(p: np.ndarray) -> np.ndarray:
    """Entropy in nats of probabilities (games, arms), taken as a distribution over the arms."""
    share = p / p.sum(axis=1, keepdims=True)
    return -(share * np.log(np.where(share > 0, share, 1))).sum(axis=1)


def smooth(x: np.ndarray, window: int) -> np.ndarray:
    """Mean over the last ``window`` entries along the last axis; over fewer at the start."""
    sums = np.cumsum(np.concatenate([np.zeros((*x.shape[:-1], 1)), x], axis=-1), axis=-1)
    ends = np.arange(1, x.shape[-1] + 1)
    starts = np.maximum(ends - window, 0)
    return (sums[..., ends] - sums[..., starts]) / (ends - starts)


def fingerprint(record: Record) -> str:
    """A hash of arms and rewards, equal where two runs played the same."""
    digest = hashlib.sha256()
    digest.update(np.ascontiguousarray(record.arms, dtype="<i4").tobytes())
    digest.update(np.ascontiguousarray(record.rewards, dtype="<i1").tobytes())
    return digest.hexdigest()[:16]


def summary(values: np.ndarray) -> dict[str, Any]:
    """Mean, standard deviation and Student's 95% confidence interval of the mean; the last two need two games."""
    n, mean = len(values), float(values.mean())
    if n < 2:
        return {"mean": mean, "sd": None, "ci95": None}
    sd = float(values.std(ddof=1))
    half = float(stdtrit(n - 1, 0.975)) * sd / n**0.5
    return {"mean": mean, "sd": sd, "ci95": [mean - half, mean + half]}


def level_with_best(values: dict[str, np.ndarray], alpha: float = 0.05) -> tuple[str, list[str]]:
    """The agent with the lowest mean, and the list of it and those that a paired t-test cannot tell from it.

    Values are one a repetition, and all agents of a repetition met the same luck. With one repetition nobody can
    be told apart but by the mean.
    """
    best = min(values, key=lambda agent: float(values[agent].mean()))
    level = []
    for agent, found in values.items():
        difference = found - values[best]
        spread = difference.std(ddof=1) if len(difference) > 1 else 0.0
        if spread == 0:
            same = difference.mean() == 0
        else:
            same = difference.mean() / (spread / len(difference) ** 0.5) < stdtrit(len(difference) - 1, 1 - alpha / 2)
        if same:
            level.append(agent)
    return best, level


def mean_ranks(agents: list[str], values: np.ndarray, alpha: float = 0.05) -> dict[str, Any]:
    """Ranks of agents by some values (cells, agents), 1 for the lowest, averaged over the cells.

    Two mean ranks differ if they are further apart than Nemenyi's critical difference q sqrt(k (k + 1) / (6 n)) for k
    agents and n cells. Reference: Demšar (2006), Statistical Comparisons of Classifiers over Multiple Data Sets.

    Returns
    -------
    dict
        ``mean``, rank of each agent, best first; ``critical_difference``; ``p``, Friedman's test that all are equal.
    """
    from scipy.stats import friedmanchisquare, rankdata, studentized_range  # here: it takes half a second to import

    n, k = values.shape
    means = rankdata(values, axis=1).mean(axis=0)
    q = studentized_range.ppf(1 - alpha, k, np.inf) / np.sqrt(2)
    order = means.argsort(kind="stable")
    return {
        "mean": {agents[i]: float(means[i]) for i in order},
        "critical_difference": float(q * np.sqrt(k * (k + 1) / (6 * n))),
        "p": float(friedmanchisquare(*values.T).pvalue),
    }


def measures(record: Record, trial_rounds: int) -> dict[str, Any]:
    """All measures of one agent's games, ready for JSON."""
    published = summary(published_regret(record, trial_rounds))
    return {
        "regret": summary(regret(record)),
        "published_regret": {"mean": published["mean"], "sd": published["sd"]},
        "reward": float(reward(record).mean()),
        "entropy": float(choice_entropy(record.arms).mean()),
        "fingerprint": fingerprint(record),
    }
