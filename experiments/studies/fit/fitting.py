"""The fit of one agent to one subject."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from experiments.core.cells import Arrays
from experiments.core.errors import UserError
from experiments.studies.fit.candidates import Candidate, Values, n_sets_of
from experiments.studies.fit.data import Subject
from experiments.studies.fit.search import Found, maximise
from nsa_brian.errors import printable


@dataclass(frozen=True)
class Effort:
    """How long to search.

    Attributes
    ----------
    screened, restarts, population, generations : int
        See :func:`experiments.studies.fit.search.maximise`.
    folds : int
        Parts of cross-validation; 0 for none.
    """

    screened: int = 1024
    restarts: int = 8
    population: int = 12
    generations: int = 60
    folds: int = 0

    @property
    def of_search(self) -> tuple[int, int, int, int]:
        """Arguments of a search."""
        return self.screened, self.restarts, self.population, self.generations


#: Probabilities, one for each set, trial and arm, that are computed at once.
MOST_AT_ONCE = 2_000_000


def log_probabilities(agent: Candidate, values: Values, subject: Subject, n_arms: int) -> np.ndarray:
    """Return the log probability of each choice (sets, trials), game after game; minus infinity where it is 0."""
    chosen = np.concatenate([game.arms for game in subject.games])
    parts = []
    for part in _parts(values, len(chosen) * n_arms):
        found = agent.choice_probabilities({k: v[part] for k, v in values.items()}, subject.games, n_arms)
        with np.errstate(divide="ignore"):
            parts.append(np.log(found[:, np.arange(len(chosen)), chosen]))
    return np.concatenate(parts)


def _parts(values: Values, size: int) -> list[slice]:
    """Divide sets into parts that fit into memory, given the number of probabilities of one set."""
    at_once = max(1, MOST_AT_ONCE // size)
    return [slice(start, start + at_once) for start in range(0, n_sets_of(values), at_once)]


def best(
    agent: Candidate,
    subject: Subject,
    n_arms: int,
    effort: Effort,
    seed: tuple[int, ...],
    used: np.ndarray | None = None,
) -> tuple[Values, Found]:
    """Return the values (1,) of highest posterior probability, or likelihood without priors.

    Parameters
    ----------
    agent : Candidate
    subject : Subject
    n_arms : int
    effort : Effort
    seed : tuple of int
    used : array of bool (trials,), optional
        Trials whose choices count; the agent learns from all of them.
    """

    def objective(points: np.ndarray, _: np.ndarray) -> np.ndarray:
        values = agent.at(points)
        logs = log_probabilities(agent, values, subject, n_arms)
        return (logs if used is None else logs[:, used]).sum(axis=1) + agent.log_prior(values)

    (found,) = maximise(objective, len(agent.genes), [np.random.default_rng(seed)], *effort.of_search)
    return agent.at(found.point[None]), found


def best_of_many(
    agent: Candidate,
    arms: np.ndarray,
    rewards: np.ndarray,
    n_arms: int,
    effort: Effort,
    seeds: Sequence[tuple[int, ...]],
) -> tuple[Values, np.ndarray]:
    """Fit an agent to many subjects at once, each with one game of the same length.

    Parameters
    ----------
    agent : Candidate
    arms, rewards : array (subjects, trials)
    n_arms : int
    effort : Effort
    seeds : sequence of tuple of int
        One for each subject, on whose fit the others have no influence.

    Returns
    -------
    values : dict
        Values of the free parameters (subjects,) by name.
    log_likelihood : array (subjects,)
    """

    def objective(points: np.ndarray, which: np.ndarray) -> np.ndarray:
        values, totals = agent.at(points), np.zeros(len(points))
        for part in _parts(values, arms.shape[1] * n_arms):
            some, who = {k: v[part] for k, v in values.items()}, which[part]
            totals[part] = agent.choice_logs(some, arms[who], rewards[who], n_arms).sum(axis=1)
        return totals + agent.log_prior(values)

    found = maximise(objective, len(agent.genes), [np.random.default_rng(seed) for seed in seeds], *effort.of_search)
    values = agent.at(np.array([each.point for each in found]))
    return values, agent.choice_logs(values, arms, rewards, n_arms).sum(axis=1)


def fit_subject(agent: Candidate, subject: Subject, n_arms: int, effort: Effort, seed: tuple[int, ...]) -> Arrays:
    """Fit an agent to a subject.

    Returns
    -------
    dict of arrays
        ``values`` (genes,), ``log_likelihood``, ``log_prior``, ``runs`` (restarts,): the best value of each run,
        ``evaluations``, ``probabilities`` (trials, arms), ``weights`` (trials, arms): weights or values before each
        choice, nan if there are none, and with cross-validation ``held_out``, the log-likelihood of the choices under
        parameters fitted to the others.
    """
    values, found = best(agent, subject, n_arms, effort, seed)
    probable = agent.choice_probabilities(values, subject.games, n_arms)[0]
    chosen = np.concatenate([game.arms for game in subject.games])
    likely = probable[np.arange(len(chosen)), chosen]
    with np.errstate(divide="ignore"):
        total = np.log(likely).sum()
    if not np.isfinite(total):
        names = ",".join([*(gene.name for gene in agent.genes), "lapse"])
        raise UserError(
            f"agent {agent.name} gives some choice of subject {printable(subject.name)} the probability 0 whatever its "
            f"parameters are; let it lapse: --search {agent.name}={names}"
        )
    arrays = {
        "values": np.array([values[gene.name][0] for gene in agent.genes]),
        "log_likelihood": np.array(total),
        "log_prior": np.array(float(np.sum(agent.log_prior(values)))),
        "runs": found.runs,
        "evaluations": np.array(found.evaluations),
        "probabilities": probable,
        "weights": weights_of(agent, values, subject, n_arms),
    }
    if effort.folds:
        arrays["held_out"] = np.array(held_out(agent, subject, n_arms, effort, seed))
    return arrays


def held_out(agent: Candidate, subject: Subject, n_arms: int, effort: Effort, seed: tuple[int, ...]) -> float:
    """Return the log-likelihood of each fold's choices, with parameters fitted to the choices of the other folds."""
    fold, total = folds_of(subject, effort.folds), 0.0
    for part in range(effort.folds):
        values, _ = best(agent, subject, n_arms, effort, (*seed, part + 1), fold != part)
        logs = log_probabilities(agent, values, subject, n_arms)[0]
        total += float(logs[fold == part].sum())
    return total


def folds_of(subject: Subject, folds: int) -> np.ndarray:
    """Return the fold of each trial: whole games if there are enough, else contiguous parts of all trials."""
    sizes = [len(game) for game in subject.games]
    if len(sizes) >= folds:
        return np.repeat(np.arange(len(sizes)) % folds, sizes)
    return np.arange(sum(sizes)) * folds // sum(sizes)


def weights_of(agent: Candidate, values: Values, subject: Subject, n_arms: int) -> np.ndarray:
    """Return the weights or values of the arms (trials, arms) before each choice; nan if the agent has none."""
    found = []
    for game in subject.games:
        player = agent.player(values, n_arms, 1, np.random.default_rng(0))
        for arm, reward in zip(game.arms, game.rewards, strict=True):
            now = player.values
            found.append(np.full(n_arms, np.nan) if now is None else now[0])
            player.learn(np.array([arm]), np.array([reward]))
    return np.array(found)
