"""The fit of an agent to subjects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evolution.maximise import Found, maximise
from experiments.core.cells import Arrays
from experiments.core.errors import UserError
from experiments.studies.fit.batch import Batch
from experiments.studies.fit.candidates import Candidate, Values
from experiments.studies.fit.data import Subject
from nsa_brian.errors import printable


@dataclass(frozen=True)
class Effort:
    """How long to search.

    Attributes
    ----------
    screened, restarts, population, generations : int
        See :func:`evolution.maximise.maximise`.
    folds : int
        Parts of cross-validation; 0 for none.
    """

    screened: int = 1024
    restarts: int = 6
    population: int = 12
    generations: int = 60
    folds: int = 0

    @property
    def of_search(self) -> tuple[int, int, int, int]:
        """Arguments of a search."""
        return self.screened, self.restarts, self.population, self.generations


def best(
    agent: Candidate, batch: Batch, effort: Effort, seeds: Sequence[tuple[int, ...]], used: np.ndarray | None = None
) -> tuple[dict[str, np.ndarray], list[Found]]:
    """Return the values (subjects,) of highest posterior probability, or likelihood without priors.

    Parameters
    ----------
    agent : Candidate
    batch : Batch
        Subjects, on whose fits the others have no influence.
    effort : Effort
    seeds : sequence of tuple of int
        One for each subject.
    used : array of bool (games, trials), optional
        Trials whose choices count; the agent learns from all of them.
    """

    def objective(points: np.ndarray, which: np.ndarray) -> np.ndarray:
        values = agent.at(points)
        return batch.log_likelihood(agent, values, which, used) + agent.log_prior(values)

    found = maximise(objective, len(agent.genes), [np.random.default_rng(seed) for seed in seeds], *effort.of_search)
    return agent.at(np.array([each.point for each in found])), found


def fit_subjects(agent: Candidate, batch: Batch, effort: Effort, seeds: Sequence[tuple[int, ...]]) -> list[Arrays]:
    """Fit an agent to each of several subjects.

    Returns
    -------
    list of dict of arrays
        Of each subject: ``values`` (genes,), ``log_likelihood``, ``log_prior``, ``runs`` (restarts,): the best value of
        each run, ``evaluations``, ``probabilities`` (trials, arms), ``weights`` (trials, arms): weights or values
        before each choice, nan if there are none, and with cross-validation ``held_out``, the log-likelihood of the
        choices under parameters fitted to the others.
    """
    values, found = best(agent, batch, effort, seeds)
    arrays = []
    for i, subject in enumerate(batch.subjects):
        own = {name: value[i : i + 1] for name, value in values.items()}
        probable = agent.choice_probabilities(own, subject.games, batch.n_arms)[0]
        chosen = np.concatenate([game.arms for game in subject.games])
        with np.errstate(divide="ignore"):
            total = np.log(probable[np.arange(len(chosen)), chosen]).sum()
        if not np.isfinite(total):
            names = ",".join([*(gene.name for gene in agent.genes), "lapse"])
            raise UserError(
                f"agent {agent.name} gives some choice of subject {printable(subject.name)} the probability 0 whatever "
                f"its parameters are; let it lapse: --search {agent.name}={names}"
            )
        arrays.append(
            {
                "values": np.array([own[gene.name][0] for gene in agent.genes]),
                "log_likelihood": np.array(total),
                "log_prior": np.array(float(np.sum(agent.log_prior(own)))),
                "runs": found[i].runs,
                "evaluations": np.array(found[i].evaluations),
                "probabilities": probable,
                "weights": weights_of(agent, own, subject, batch.n_arms),
            }
        )
    if effort.folds:
        for each, total in zip(arrays, held_out(agent, batch, effort, seeds), strict=True):
            each["held_out"] = np.array(total)
    return arrays


def held_out(agent: Candidate, batch: Batch, effort: Effort, seeds: Sequence[tuple[int, ...]]) -> np.ndarray:
    """Return the log-likelihood (subjects,) of each fold's choices, with parameters fitted to the other folds."""
    fold = batch.spread([folds_of(subject, effort.folds) for subject in batch.subjects])
    everybody, total = np.arange(len(batch.subjects)), np.zeros(len(batch.subjects))
    for part in range(effort.folds):
        values, _ = best(agent, batch, effort, [(*seed, part + 1) for seed in seeds], batch.real & (fold != part))
        total += batch.log_likelihood(agent, values, everybody, batch.real & (fold == part))
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
