"""The champion of a search, chosen and reported on held-out games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from evolution.checks import CHECKS, Subject
from evolution.evaluation import Perturbation, evaluate_held_out
from evolution.fitness import Scores
from evolution.protocol import AnySearch
from evolution.requirements import RequirementError
from evolution.search import REPORT, REQUIRED, SELECTION
from evolution.workers import Workers
from nsa_brian.parameters import NSAParameters

#: Games of each bandit and number of arms for choosing a champion, and again for reporting it. Where no table shortens
#: the games, as of spiking neurons, both take a share of the search's game-rounds, with at least the fewest games.
GAMES, SHARE, FEWEST = 20, 0.1, 4


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
    required : dict
        The champion's values in the named checks that the search requires.

    With a custom fitness, "reward" is its value and "regret" minus that.
    """

    parameters: NSAParameters
    origin: str
    training: float | None
    selection: dict[str, float]
    report: dict[str, dict[str, float]]
    required: dict[str, float | None] = field(default_factory=dict)


def choose_champion(
    search: AnySearch,
    workers: Workers | None = None,
    iterations: int | None = None,
    others: Mapping[str, NSAParameters] | None = None,
) -> Champion:
    """Choose the best of a search's candidates on held-out games, and report it on further ones.

    With a custom fitness the mean over held-out seeds takes the place of the games.

    Parameters
    ----------
    search : Search or StagedSearch
        With at least one generation, or some screened sets.
    workers : Workers, optional
    iterations : int, optional
        Games of each bandit and number of arms, for choosing and again for reporting; or seeds of a custom fitness. By
        default 20; fewer, at least 4, where no table shortens the games and both would take more than a tenth of the
        game-rounds of the search. Checks that play (``robust``) are extra.
    others : mapping, optional
        Parameters that are reported beside the champion, by name; a model's own parameters that they do not name have
        their defaults.
    """
    complete, settings = search.settings.model.complete, search.settings
    candidates = _feasible(search)
    fitness = search.fitness or settings.games
    inexact, exact = Perturbation(search.genome, settings.inexact), Perturbation(search.genome, 0.0)
    per_report = 1 + (inexact.players if settings.inexact else 0)
    n_players = len(candidates) * inexact.players + (1 + len(others or {})) * per_report
    n_games = _affordable(search, n_players) if iterations is None else iterations

    def held_out(purpose: int, sets: Mapping[str, NSAParameters], perturbation: Perturbation) -> Scores:
        seed = (settings.seed, purpose)
        return evaluate_held_out(fitness, seed, list(sets.values()), workers, perturbation, n_games)

    rewards = dict(zip(candidates, _means(held_out(SELECTION, candidates, inexact).reward), strict=True))

    def regrets(sets: Sequence[NSAParameters]) -> np.ndarray:
        seed = (settings.seed, REQUIRED)
        return evaluate_held_out(fitness, seed, list(sets), workers, exact, n_games).regret.mean(axis=1)

    subject = replace(search.requirements.subject, regrets=regrets)
    origin, measured = _first_that_meets(search, candidates, rewards, subject)
    reported = {"champion": candidates[origin], **{name: complete(p) for name, p in (others or {}).items()}}
    found = held_out(REPORT, reported, exact)
    columns = {"reward": _means(found.reward), "regret": _means(found.regret)}
    if settings.inexact:
        columns["regret_off"] = _means(held_out(REPORT, reported, inexact).regret)
    return Champion(
        parameters=candidates[origin],
        origin=origin,
        training=max((r["best"] for r in search.logbook if not np.isnan(r["best"])), default=None),
        selection=rewards,
        report={name: {key: column[i] for key, column in columns.items()} for i, name in enumerate(reported)},
        required={
            name: measured[name] if name in measured else float(check.measure(subject, [candidates[origin]])[0][0])
            for name, check in CHECKS.items()
            if name in settings.require
        },
    )


def _affordable(search: AnySearch, n_players: int) -> int:
    """Return the games of each kind that choosing and reporting a champion may take."""
    games = search.settings.games
    if search.fitness or games.played_by == "table":
        return GAMES
    each = n_players * games.game_rounds / games.iterations
    return int(np.clip(SHARE * search.progress.game_rounds / each, FEWEST, GAMES))


def _feasible(search: AnySearch) -> dict[str, NSAParameters]:
    """Return the candidates that meet the requirements that need no games; an error if there is none."""
    candidates = search.candidates()
    violations = search.requirements.violations(list(candidates.values()))
    found = {name: each for (name, each), v in zip(candidates.items(), violations, strict=True) if not v}
    if not found:
        nearest = list(candidates)[int(np.argmin(violations))]
        unmet = search.requirements.first_unmet(candidates[nearest])
        raise RequirementError(
            f"none of the {len(candidates)} candidates of the search meets its requirements; the nearest, {nearest}, "
            f"violates {unmet!r}: search longer, from a set that meets them, or require less"
        )
    return found


def _first_that_meets(
    search: AnySearch, candidates: Mapping[str, NSAParameters], rewards: Mapping[str, float], subject: Subject
) -> tuple[str, dict[str, float]]:
    """Return the best candidate that meets the requirements that need games: its name and the values of the checks."""
    for name in sorted(rewards, key=lambda name: -rewards[name]):
        measured: dict[str, float] = {}
        for called, check in search.requirements.late.items():
            values, violations = check.measure(subject, [candidates[name]])
            if violations[0]:
                break
            measured[called] = float(values[0])
        else:
            return name, measured
    raise RequirementError(
        f"none of the {len(candidates)} candidates of the search meets {' and '.join(search.requirements.late)}: "
        "search with perturbed genes (--inexact 0.01), or require less"
    )


def _means(found: np.ndarray) -> list[float]:
    """Return the means over cells or seeds."""
    means: list[float] = found.mean(axis=1).tolist()
    return means
