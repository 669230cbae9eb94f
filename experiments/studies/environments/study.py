"""``nsa environments``: reward probabilities of the bandits."""

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
from experiments.core.results import Results, Row
from experiments.core.study import Caption, Study
from experiments.core.study_settings import StudySettings
from experiments.core.tables import Table
from nsa_brian.common.game_streams import streams
from nsa_brian.common.memory import NUMBER, check_memory

#: Largest number of columns of the image; longer games are subsampled.
MOST_COLUMNS = 1000


@dataclass(frozen=True, kw_only=True)
class Settings(StudySettings):
    """Bandits, and length of the games."""

    envs: tuple[str, ...] = bandits()
    arms: int = setting(10, "number of arms")
    trials: int = setting(3, "trials per game")
    rounds: int = setting(2000, "rounds per trial")
    seed: int = setting(0, "random seed")

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
    """Properties of a bandit: mean probability of the best arm and of all arms, entropy, changes of the best arm."""

    best: float
    chance: float
    entropy: float
    switches: float


@dataclass(frozen=True)
class Summary:
    """Properties of each bandit."""

    envs: dict[str, Offer]


class EnvironmentsStudy(Study[Settings, Summary]):
    """Study of the reward probabilities of bandits."""

    name = "environments"
    examples = """  nsa environments --envs MAB-D,peaked --arms 30
  nsa environments --envs switching,random-walk,reversal,needle,seasonal --rounds 500"""
    presets = {"paper": DEFAULT, "full": DEFAULT, "quick": dataclasses.replace(DEFAULT, rounds=500)}
    caption = Caption(
        "The bandits",
        "A panel for each bandit: reward probability of each arm (rows) over the rounds of the trials, dark is high.",
    )

    def cells(self, settings: Settings) -> dict[str, Cell]:
        """Return a cell for each bandit."""
        for env in settings.envs:
            envs.make(env, settings.arms)
        return {env: Cell(record, env, settings) for env in settings.envs}

    def summary(self, results: Results[Settings, Summary]) -> Summary:
        """Return the properties of the bandits."""
        keys = [field.name for field in dataclasses.fields(Offer)]
        return Summary({env: Offer(**{key: float(found[key]) for key in keys}) for env, found in results.cells.items()})

    def tables(self, results: Results[Settings, Summary]) -> list[Table]:
        """Return the summary as a table."""
        rows = [
            [env, f"{found.best:.3f}", f"{found.chance:.3f}", f"{found.entropy:.2f}", f"{found.switches:.0f}"]
            for env, found in results.summary.envs.items()
        ]
        header = ["bandit", "mean p of the best arm", "mean p", "entropy of p (nats)", "changes of the best arm"]
        return [Table("what the bandits offer", header, rows, range(1, 5))]

    def rows(self, results: Results[Settings, Summary]) -> list[Row]:
        """Return a row for each bandit."""
        return [{"env": env, **vars(offer)} for env, offer in results.summary.envs.items()]


STUDY = EnvironmentsStudy()


def record(env: str, settings: Settings) -> Arrays:
    """Return the probabilities (arms, rounds) of one game, and their statistics."""
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
