"""The champion of a search: chosen and reported on games that the search never saw."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from evolution.fitness import Scores
from evolution.judging import evaluate_around
from evolution.search import REPORT, SELECTION
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
        Mean reward of every candidate on the games that the champion was chosen by, with genes as inexact as in the
        search.
    report : dict
        Mean reward and regret of the champion and of others on games of their own, that chose nobody: the score to
        believe. In a search with inexact genes also "regret_off", the mean regret with genes off.

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
    inexact = search.settings.inexact
    held_out = partial(_held_out, search, iterations, workers)
    rewards = dict(zip(candidates, held_out(SELECTION, candidates.values(), inexact)["reward"], strict=True))
    origin = max(rewards, key=lambda name: rewards[name])
    reported = {"champion": candidates[origin], **{name: complete(p) for name, p in (others or {}).items()}}
    report = held_out(REPORT, reported.values(), 0.0)
    if inexact:
        report["regret_off"] = held_out(REPORT, reported.values(), inexact)["regret"]
    return Champion(
        parameters=candidates[origin],
        origin=origin,
        training=max((record["best"] for record in search.logbook), default=None),
        selection=rewards,
        report={name: {key: found[i] for key, found in report.items()} for i, name in enumerate(reported)},
    )


def _held_out(
    search: AnySearch,
    iterations: int,
    workers: Workers | None,
    purpose: int,
    parameters: Iterable[NSAParameters],
    inexact: float,
) -> dict[str, list[float]]:
    """Mean scores on games, or under seeds, that the search never saw."""
    seed, fitness, around = search.settings.seed, search.fitness, (workers, search.genome, inexact)
    sets = list(parameters)
    if fitness is None:
        games = dataclasses.replace(search.settings.games, iterations=iterations)
        found = [evaluate_around(games, (seed, purpose), sets, *around)]
    else:
        found = [evaluate_around(fitness, (seed, purpose, i), sets, *around) for i in range(iterations)]
    names, parts = Scores._fields, zip(*found, strict=True)
    return {name: np.hstack(part).mean(axis=1).tolist() for name, part in zip(names, parts, strict=True)}
