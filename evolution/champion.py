"""The champion of a search, chosen and reported on held-out games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evolution.evaluation import Perturbation, evaluate_held_out
from evolution.fitness import Scores
from evolution.protocol import AnySearch
from evolution.search import REPORT, SELECTION
from evolution.workers import Workers
from nsa_brian.parameters import NSAParameters


@dataclass(frozen=True)
class Champion:
    """The winner among a search's candidates.

    Attributes
    ----------
    parameters : NSAParameters
    origin : str
        Which candidate it was, such as one of the hall of fame.
    training : float or None
        The highest fitness of any individual in the leading run, on its own generation's games, which is biased
        upwards; None if there was no generation yet.
    selection : dict
        Mean reward of every candidate on the held-out games that the champion was chosen on, with genes perturbed as
        in the search.
    report : dict
        Mean reward and regret of the champion and of others on further held-out games, which are unbiased. In a search
        with perturbed genes also "regret_off", the mean regret as the search evaluates it.

    With a custom fitness, "reward" is its value and "regret" minus that.
    """

    parameters: NSAParameters
    origin: str
    training: float | None
    selection: dict[str, float]
    report: dict[str, dict[str, float]]


def choose_champion(
    search: AnySearch,
    workers: Workers | None = None,
    iterations: int = 20,
    others: Mapping[str, NSAParameters] | None = None,
) -> Champion:
    """Choose the best of a search's candidates on held-out games, and report it on further ones.

    With a custom fitness the mean over held-out seeds takes the place of the games.

    Parameters
    ----------
    search : Search or StagedSearch
        With at least one generation, or some screened sets.
    workers : Workers, optional
    iterations : int
        Games of each bandit and number of arms, for choosing and again for reporting; or seeds of a custom fitness.
    others : mapping, optional
        Parameters that are reported beside the champion, by name; a model's own parameters that they do not name have
        their defaults.
    """
    complete, candidates, settings = search.settings.model.complete, search.candidates(), search.settings
    fitness = search.fitness or settings.games
    inexact, exact = Perturbation(search.genome, settings.inexact), Perturbation(search.genome, 0.0)

    def held_out(purpose: int, sets: Mapping[str, NSAParameters], perturbation: Perturbation) -> Scores:
        seed = (settings.seed, purpose)
        return evaluate_held_out(fitness, seed, list(sets.values()), workers, perturbation, iterations)

    rewards = dict(zip(candidates, _means(held_out(SELECTION, candidates, inexact).reward), strict=True))
    origin = max(rewards, key=lambda name: rewards[name])
    reported = {"champion": candidates[origin], **{name: complete(p) for name, p in (others or {}).items()}}
    found = held_out(REPORT, reported, exact)
    columns = {"reward": _means(found.reward), "regret": _means(found.regret)}
    if settings.inexact:
        columns["regret_off"] = _means(held_out(REPORT, reported, inexact).regret)
    return Champion(
        parameters=candidates[origin],
        origin=origin,
        training=max((record["best"] for record in search.logbook), default=None),
        selection=rewards,
        report={name: {key: column[i] for key, column in columns.items()} for i, name in enumerate(reported)},
    )


def _means(found: np.ndarray) -> list[float]:
    """Return the means over cells or seeds."""
    means: list[float] = found.mean(axis=1).tolist()
    return means
