"""The fit of one agent to one subject."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from experiments.core.cells import Arrays
from experiments.studies.fit.candidates import Candidate, Values
from experiments.studies.fit.data import Subject
from experiments.studies.fit.search import Found, maximise


@dataclass(frozen=True)
class Effort:
    """How long to search.

    Attributes
    ----------
    restarts, population, generations : int
        See :func:`experiments.studies.fit.search.maximise`.
    folds : int
        Parts of cross-validation; 0 for none.
    """

    restarts: int = 3
    population: int = 12
    generations: int = 60
    folds: int = 0


def log_probabilities(agent: Candidate, values: Values, subject: Subject, n_arms: int) -> np.ndarray:
    """Return the log probability of each choice (sets, trials), game after game; minus infinity where it is 0."""
    parts = []
    for game in subject.games:
        found = agent.choice_probabilities(values, game, n_arms)
        with np.errstate(divide="ignore"):
            parts.append(np.log(found[:, np.arange(len(game)), game.arms]))
    return np.concatenate(parts, axis=1)


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

    def objective(points: np.ndarray) -> np.ndarray:
        values = agent.at(points)
        logs = log_probabilities(agent, values, subject, n_arms)
        return (logs if used is None else logs[:, used]).sum(axis=1) + agent.log_prior(values)

    rng = np.random.default_rng(seed)
    found = maximise(objective, len(agent.genes), rng, effort.restarts, effort.population, effort.generations)
    return agent.at(found.point[None]), found


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
    probable = np.concatenate([agent.choice_probabilities(values, game, n_arms)[0] for game in subject.games])
    chosen = np.concatenate([game.arms for game in subject.games])
    likely = probable[np.arange(len(chosen)), chosen]
    with np.errstate(divide="ignore"):
        total = np.log(likely).sum()
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
