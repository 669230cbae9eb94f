"""Measures of games. Arrays are (games, rounds); measures return one number per game unless stated otherwise."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # submodules are imported on first use

from experiments.core.game import Record

ENTROPY_WINDOW = 20
#: Games whose entropy is computed at once.
GAMES_AT_ONCE = 8


def regret(record: Record) -> np.ndarray:
    """Return the regret of eq. (1): mean over rounds of p* minus the expected reward of the chosen arm."""
    return (record.best - record.expected).mean(axis=1)


def published_regret(record: Record, trial_rounds: int) -> np.ndarray:
    """Return the regret of the paper's table: best probability in the first round minus late mean reward.

    Late is the last tenth of each trial. The result can be negative if the bandit improves.
    """
    games, rounds = record.rewards.shape
    tail = max(1, trial_rounds // 10)
    late = record.rewards.reshape(games, rounds // trial_rounds, trial_rounds)[:, :, -tail:]
    return record.best[:, 0] - late.mean(axis=(1, 2))


def reward(record: Record) -> np.ndarray:
    """Return the mean reward."""
    return record.rewards.mean(axis=1)


def choice_entropy(arms: np.ndarray, window: int = ENTROPY_WINDOW) -> np.ndarray:
    """Return the entropy in nats, -sum p ln p, of the last ``window`` choices; an array (games, rounds).

    In the first rounds the window is shorter.
    """
    games, rounds = arms.shape
    n = np.arange(window + 1)
    n_log_n = n * np.log(np.maximum(n, 1))
    sizes = np.minimum(np.arange(1, rounds + 1), window)
    logs = np.array([np.log(size) for size in range(1, window + 1)])[sizes - 1]
    entropy = np.empty(arms.shape)
    for start in range(0, games, GAMES_AT_ONCE):
        part = slice(start, start + GAMES_AT_ONCE)
        entropy[part] = logs - _window_sums(arms[part], n_log_n) / sizes
    return np.maximum(entropy, 0)  # rounding can give -1e-16


def _window_sums(arms: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the sum over arms of ``values[n]``, n being an arm's number of choices in the window up to each round.

    The window has ``len(values) - 1`` rounds. Sums are accumulated as arms leave and enter the window.
    """
    games, rounds = arms.shape
    window = len(values) - 1
    before = np.zeros(arms.shape, np.int32)  # choices of the same arm in the window - 1 rounds before
    after = np.zeros(arms.shape, np.int32)  # and in those after
    for lag in range(1, min(window, rounds)):
        same = arms[:, lag:] == arms[:, :-lag]
        before[:, lag:] += same
        after[:, :-lag] += same
    changes = np.zeros((games, rounds, 2))
    changes[:, window:, 0] = (values[:-1] - values[1:])[after[:, : max(0, rounds - window)]]
    changes[:, :, 1] = (values[1:] - values[:-1])[before]
    return np.cumsum(changes.reshape(games, -1), axis=1)[:, 1::2]


def distribution_entropy(p: np.ndarray) -> np.ndarray:
    """Return the entropy in nats of probabilities (games, arms), normalised to a distribution over the arms."""
    share = p / p.sum(axis=1, keepdims=True)
    return -(share * np.log(np.where(share > 0, share, 1))).sum(axis=1)


def smooth(x: np.ndarray, window: int) -> np.ndarray:
    """Return the moving average over the last ``window`` entries along the last axis; over fewer at the start."""
    sums = np.cumsum(np.concatenate([np.zeros((*x.shape[:-1], 1)), x], axis=-1), axis=-1)
    ends = np.arange(1, x.shape[-1] + 1)
    starts = np.maximum(ends - window, 0)
    return (sums[..., ends] - sums[..., starts]) / (ends - starts)


def fingerprint(record: Record) -> str:
    """Return a hash of arms and rewards, to compare runs."""
    digest = hashlib.sha256()
    digest.update(np.ascontiguousarray(record.arms, dtype="<i4").tobytes())
    digest.update(np.ascontiguousarray(record.rewards, dtype="<i1").tobytes())
    return digest.hexdigest()[:16]


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation (None with one game)."""

    mean: float
    sd: float | None


@dataclass(frozen=True)
class Estimate(Spread):
    """Mean, standard deviation and Student's 95% confidence interval of the mean (the last two None with one game)."""

    ci95: tuple[float, float] | None

    @property
    def text(self) -> str:
        """Mean ± half of its confidence interval."""
        half = f" ±{self.ci95[1] - self.mean:.3f}" if self.ci95 else ""
        return f"{self.mean:.3f}{half}"


@dataclass(frozen=True)
class Measures:
    """All measures of one agent's games."""

    regret: Estimate
    published_regret: Spread
    reward: float
    entropy: float
    fingerprint: str


@dataclass(frozen=True)
class Ranks:
    """Mean ranks of agents and their statistics.

    Attributes
    ----------
    mean : dict
        Mean rank of each agent, best first.
    critical_difference : float
        Smallest significant difference of two mean ranks (Nemenyi).
    p : float
        p-value of Friedman's test.
    """

    mean: dict[str, float]
    critical_difference: float
    p: float


def estimate(values: np.ndarray) -> Estimate:
    """Return mean, standard deviation and confidence interval of one value per game."""
    n, mean = len(values), float(values.mean())
    if n < 2:
        return Estimate(mean, None, None)
    sd = float(values.std(ddof=1))
    half = float(scipy.special.stdtrit(n - 1, 0.975)) * sd / n**0.5
    return Estimate(mean, sd, (mean - half, mean + half))


def spread(values: np.ndarray) -> Spread:
    """Return mean and standard deviation of one value per game."""
    return Spread(float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else None)


def measures(record: Record, trial_rounds: int) -> Measures:
    """Return all measures of one agent's games."""
    return Measures(
        regret=estimate(regret(record)),
        published_regret=spread(published_regret(record, trial_rounds)),
        reward=float(reward(record).mean()),
        entropy=float(choice_entropy(record.arms).mean()),
        fingerprint=fingerprint(record),
    )


def level_with_best(values: Mapping[str, np.ndarray], alpha: float = 0.05) -> tuple[str, list[str]]:
    """Return the agent with the lowest mean, and all agents not significantly different from it (paired t-test).

    There is one value per repetition, in which all agents play the same bandit. With one repetition, means are
    compared.
    """
    best = min(values, key=lambda agent: float(values[agent].mean()))
    return best, [agent for agent, found in values.items() if _level(found, values[best], alpha)]


def _level(values: np.ndarray, best: np.ndarray, alpha: float) -> bool:
    difference = values - best
    if len(difference) < 2 or difference.std(ddof=1) == 0:  # the t-test is undefined
        return bool(difference.mean() == 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # nearly equal values
        return bool(scipy.stats.ttest_rel(values, best).pvalue > alpha)


def mean_ranks(agents: Sequence[str], values: np.ndarray, alpha: float = 0.05) -> Ranks:
    """Rank agents by values (cells, agents), 1 for the lowest, and average over the cells.

    Two mean ranks differ if they are further apart than Nemenyi's critical difference q sqrt(k (k + 1) / (6 n)) for k
    agents and n cells. Reference: Demšar (2006), Statistical Comparisons of Classifiers over Multiple Data Sets.
    """
    n, k = values.shape
    means = scipy.stats.rankdata(values, axis=1).mean(axis=0)
    q = scipy.stats.studentized_range.ppf(1 - alpha, k, np.inf) / np.sqrt(2)
    return Ranks(
        mean={agents[i]: float(means[i]) for i in means.argsort(kind="stable")},
        critical_difference=float(q * np.sqrt(k * (k + 1) / (6 * n))),
        p=float(scipy.stats.friedmanchisquare(*values.T).pvalue),
    )
