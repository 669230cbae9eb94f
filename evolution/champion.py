"""The champion of a search: chosen and reported on games that the search never saw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evolution.fitness import Scores
from evolution.judging import Around, evaluate_much
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
        believe. In a search with inexact genes also "regret_off", the mean regret as the
        search judges: with genes off, and rates read coarsely by half of the players.

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
    complete, candidates, settings = search.settings.model.complete, search.candidates(), search.settings
    judge = search.fitness or settings.games
    inexact, exact = Around(search.genome, settings.inexact), Around(search.genome, 0.0)

    def held_out(purpose: int, sets: Mapping[str, NSAParameters], around: Around) -> Scores:
        seed = (settings.seed, purpose)
        return evaluate_much(judge, seed, list(sets.values()), workers, around, iterations)

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
    """Over the cells or seeds, for each set."""
    means: list[float] = found.mean(axis=1).tolist()
    return means
