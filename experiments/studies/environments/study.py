"""``nsa environments``: the bandits to look at."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import envs
from experiments.core.game_settings import setting
from experiments.core.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.core.study import Arrays, Cell, StudyResults

NAME = "environments"
HELP = "the bandits' probabilities over three trials, arms as rows"
EXAMPLES = """  nsa environments --envs MAB-D,peaked --arms 30
  nsa environments --envs switching,random-walk,reversal,needle,seasonal --rounds 500"""

#: Columns of the picture at most; more rounds than that are thinned.
MOST_COLUMNS = 1000


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Which bandits to show, for how long."""

    envs: tuple[str, ...] = setting(("MAB-P", "MAB-D", "MAB-sin", "MAB-sinP"), "bandits, comma separated", "E,F")
    arms: int = setting(10, "arms")
    trials: int = setting(3, "trials")
    rounds: int = setting(2000, "rounds of a trial")
    seed: int = setting(0, "same seed, same bandits")

    def __post_init__(self) -> None:
        for name, least in (("arms", 2), ("trials", 1), ("rounds", 1), ("seed", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be a whole number from {least} up, got {getattr(self, name)}")


PAPER = Settings()
PRESETS = {"paper": PAPER, "full": PAPER, "quick": dataclasses.replace(PAPER, rounds=500)}


def cells(settings: Settings) -> dict[str, Cell]:
    """A cell for each bandit."""
    for env in settings.envs:
        envs.make(env, settings.arms)
    return {env: partial(record, env, settings) for env in settings.envs}


def record(env: str, settings: Settings) -> Arrays:
    """The probabilities (arms, rounds) of one game, and their mean entropy."""
    from experiments.core.metrics import distribution_entropy
    from experiments.core.randomness import streams

    bandit = envs.make(env, settings.arms, n_games=1, trial_rounds=settings.rounds)
    n_rounds = settings.trials * settings.rounds
    probabilities = envs.record(bandit, n_rounds, streams(settings.seed, "bandit", range(1)))
    best = probabilities.argmax(axis=1)
    step = -(-n_rounds // MOST_COLUMNS)
    return {
        "probabilities": probabilities[::step].T,
        "entropy": distribution_entropy(probabilities).mean(),
        "best": probabilities.max(axis=1).mean(),
        "chance": probabilities.mean(),
        "switches": (np.diff(best) != 0).sum(),
    }


def summary(results: StudyResults) -> dict[str, Any]:
    """What the bandits offer: the best arm's probability, chance, entropy, and how often the best arm changes."""
    keys = ("best", "chance", "entropy", "switches")
    return {"envs": {env: {key: float(found[key]) for key in keys} for env, found in results.cells.items()}}


def tables(results: StudyResults) -> list[Table]:
    """The summary as a table."""
    rows = [
        [env, f"{v['best']:.3f}", f"{v['chance']:.3f}", f"{v['entropy']:.2f}", f"{v['switches']:.0f}"]
        for env, v in summary(results)["envs"].items()
    ]
    header = ["bandit", "mean p of the best arm", "mean p", "entropy of p (nats)", "changes of the best arm"]
    return [Table("what the bandits offer", header, rows, range(1, 5))]


def draw(results: StudyResults) -> Figure:
    """A panel for each bandit."""
    from experiments.studies.environments import figure as environments_figure

    return environments_figure.draw(results)
