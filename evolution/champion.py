"""The champion of a search: chosen and reported on games that the search never saw."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evolution.fitness import Scores
from evolution.search import REPORT, SELECTION, evaluate
from evolution.staged import AnySearch
from evolution.workers import Workers
from nsa_brian.parameters import NSAParameters


@dataclass(frozen=True)
class Champion:
    """The winner among a search's candidates.

    Attributes
    ----------
    parameters : NSAParameters
    origin : str
        Which candidate it was: of the hall of fame, the last centre, the best of the last generation.
    training : float or None
        The highest fitness that any individual reached in the run that leads, on its own generation's games: a lucky
        score; None if there was no generation yet.
    selection : dict
        Mean reward of every candidate on the games that the champion was chosen by.
    report : dict
        Mean reward and regret of the champion and of others on games of their own, that chose nobody: the score to
        believe.

    With a fitness of one's own, "reward" is its value and "regret" minus that.
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
    """Let the candidates of a search play on games held out from it.

    Where the search has a fitness of its own there are no games: that fitness judges them under seeds held out from
    the search, and its mean over them counts.

    Parameters
    ----------
    search : Search or StagedSearch
        With at least one generation, or part of the look, done.
    workers : Workers, optional
    iterations : int
        Games of each bandit and number of arms, for choosing and again for reporting; or seeds, for a fitness of one's
        own.
    others : mapping, optional
        Parameters that the champion is reported beside, by name; those of the model's own that they do not name have
        their defaults.
    """
    complete = search.settings.model.complete
    candidates = search.candidates()
    selected = _held_out(search, SELECTION, iterations, list(candidates.values()), workers)
    rewards = dict(zip(candidates, _means(selected)["reward"], strict=True))
    origin = max(rewards, key=lambda name: rewards[name])
    reported = {"champion": candidates[origin], **{name: complete(p) for name, p in (others or {}).items()}}
    report = _means(_held_out(search, REPORT, iterations, list(reported.values()), workers))
    return Champion(
        parameters=candidates[origin],
        origin=origin,
        training=max((record["best"] for record in search.logbook), default=None),
        selection=rewards,
        report={
            name: {"reward": reward, "regret": regret}
            for name, reward, regret in zip(reported, report["reward"], report["regret"], strict=True)
        },
    )


def _held_out(
    search: AnySearch,
    purpose: int,
    iterations: int,
    parameters: list[NSAParameters],
    workers: Workers | None,
) -> Scores:
    """Scores on games, or under seeds, that the search never saw."""
    seed, fitness = search.settings.seed, search.fitness
    if fitness is None:
        games = dataclasses.replace(search.settings.games, iterations=iterations)
        return evaluate(games, (seed, purpose), parameters, workers)
    found = [evaluate(fitness, (seed, purpose, i), parameters, workers) for i in range(iterations)]
    return Scores(*(np.concatenate(parts, axis=1) for parts in zip(*found, strict=True)))


def _means(found: Scores) -> dict[str, list[float]]:
    """Over the cells or seeds, for each individual."""
    return {name: np.mean(array, axis=1).tolist() for name, array in found._asdict().items()}
