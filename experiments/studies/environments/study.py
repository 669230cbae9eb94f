"""``nsa environments``: the bandits to look at."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

import envs
from experiments.core.cells import Arrays, Cell
from experiments.core.errors import at_least
from experiments.core.game_settings import bandits
from experiments.core.metrics import distribution_entropy
from experiments.core.options import setting
from experiments.core.randomness import streams
from experiments.core.results import Results, Row
from experiments.core.study import Caption, Study
from experiments.core.study_settings import StudySettings
from experiments.core.tables import Table
from nsa_brian.common.memory import NUMBER, check_memory

#: Columns of the picture at most; more rounds than that are thinned.
MOST_COLUMNS = 1000


@dataclass(frozen=True, kw_only=True)
class Settings(StudySettings):
    """Which bandits to show, for how long."""

    envs: tuple[str, ...] = bandits()
    arms: int = setting(10, "arms")
    trials: int = setting(3, "trials")
    rounds: int = setting(2000, "rounds of a trial")
    seed: int = setting(0, "same seed, same bandits")

    def __post_init__(self) -> None:
        at_least(self, arms=2, trials=1, rounds=1, seed=0)
        check_memory(self.memory, "probabilities of so many arms and rounds")

    @property
    def memory(self) -> float:
        """Bytes of a bandit's probabilities over all rounds."""
        return float(NUMBER) * self.arms * self.trials * self.rounds


DEFAULT = Settings()


@dataclass(frozen=True)
class Offer:
    """What a bandit offers: the best arm's probability, chance, entropy, and how often the best arm changes."""

    best: float
    chance: float
    entropy: float
    switches: float


@dataclass(frozen=True)
class Summary:
    """What each bandit offers."""

    envs: dict[str, Offer]


class EnvironmentsStudy(Study[Settings, Summary]):
    """The bandits' probabilities."""

    name = "environments"
    examples = """  nsa environments --envs MAB-D,peaked --arms 30
  nsa environments --envs switching,random-walk,reversal,needle,seasonal --rounds 500"""
    presets = {"paper": DEFAULT, "full": DEFAULT, "quick": dataclasses.replace(DEFAULT, rounds=500)}
    caption = Caption(
        "The bandits",
        "A panel for each bandit: reward probability of each arm (rows) over the rounds of the trials, dark is high.",
    )

    def cells(self, settings: Settings) -> dict[str, Cell]:
        """A cell for each bandit."""
        for env in settings.envs:
            envs.make(env, settings.arms)
        return {env: Cell(record, env, settings) for env in settings.envs}

    def summary(self, results: Results[Settings, Summary]) -> Summary:
        """What the bandits offer."""
        keys = [field.name for field in dataclasses.fields(Offer)]
        return Summary({env: Offer(**{key: float(found[key]) for key in keys}) for env, found in results.cells.items()})

    def tables(self, results: Results[Settings, Summary]) -> list[Table]:
        """The summary as a table."""
        rows = [
            [env, f"{found.best:.3f}", f"{found.chance:.3f}", f"{found.entropy:.2f}", f"{found.switches:.0f}"]
            for env, found in results.summary.envs.items()
        ]
        header = ["bandit", "mean p of the best arm", "mean p", "entropy of p (nats)", "changes of the best arm"]
        return [Table("what the bandits offer", header, rows, range(1, 5))]

    def rows(self, results: Results[Settings, Summary]) -> list[Row]:
        """A row for each bandit."""
        return [{"env": env, **vars(offer)} for env, offer in results.summary.envs.items()]


STUDY = EnvironmentsStudy()


def record(env: str, settings: Settings) -> Arrays:
    """The probabilities (arms, rounds) of one game, and their mean entropy."""
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
