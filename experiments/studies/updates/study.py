"""``nsa updates``: weights of NSA before and after a change of the bandit."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.core.cells import Arrays, Cell
from experiments.core.claims import Claim, verdict
from experiments.core.game import play
from experiments.core.game_settings import GameSettings
from experiments.core.nsa_agents import is_nsa
from experiments.core.options import setting
from experiments.core.play import make_bandit, make_player
from experiments.core.results import Results, Row
from experiments.core.settings import PlaySettings
from experiments.core.study import Caption, Study
from experiments.core.tables import Table
from nsa_brian.common.checks import check_whole

#: Interval of rounds in which weights are stored.
WEIGHT_STEP = 5
#: Largest number of rounds that count as the start of a trial.
EARLY = 100


@dataclass(frozen=True, kw_only=True)
class Settings(GameSettings):
    """Settings of NSA on MAB-P."""

    agents: tuple[str, ...] = setting(("nsa",), "one NSA agent, nsa or nsa:WHAT", "nsa")
    repetitions: int = setting(30, "number of independent games")
    arms: int = setting(10, "number of arms")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("rounds", self.rounds, 2)  # at least one early and one late round
        if len(self.agents) != 1 or not is_nsa(self.agents[0]):
            raise ValueError(f"agents must be one NSA agent (nsa or nsa:WHAT), got {','.join(self.agents)}")

    @property
    def agent(self) -> str:
        """The agent."""
        return self.agents[0]


DEFAULT = Settings()


@dataclass(frozen=True)
class Part:
    """Mean weight change with its standard error over games, and mean reward."""

    update: float
    update_se: float
    reward: float


@dataclass(frozen=True)
class Trial:
    """Start of a trial, and the rest of it."""

    early: Part
    late: Part


@dataclass(frozen=True)
class Summary:
    """All trials, and the number of rounds that count as their start."""

    early_rounds: int
    trials: list[Trial]


class UpdatesStudy(Study[Settings, Summary]):
    """Study of weight changes before and after a change of the bandit."""

    name = "updates"
    examples = "  nsa updates --parameters minbandit-29\n  nsa updates --model my.py"
    presets = {
        "paper": DEFAULT,
        "full": dataclasses.replace(DEFAULT, repetitions=100),
        "quick": dataclasses.replace(DEFAULT, rounds=400, repetitions=10),
    }
    caption = Caption(
        "Weight updates",
        "Weight change a round and mean reward over a change of the bandit, and the weights of one game as a map.",
    )

    def cells(self, settings: Settings) -> dict[str, Cell]:
        """Return one cell with all games."""
        return {settings.agent: Cell(play_watched, settings.games("MAB-P", settings.arms))}

    def summary(self, results: Results[Settings, Summary]) -> Summary:
        """Return the mean weight change and reward at the start and in the rest of each trial."""
        settings, found = results.settings, results.cells[results.settings.agent]
        early = min(EARLY, settings.rounds // 2)
        trials = []
        for trial in range(settings.trials):
            start, stop = trial * settings.rounds, (trial + 1) * settings.rounds
            parts = slice(start, start + early), slice(start + early, stop)
            trials.append(Trial(*(_part(found["updates"][:, p], found["rewards"][:, p]) for p in parts)))
        return Summary(early, trials)

    def tables(self, results: Results[Settings, Summary]) -> list[Table]:
        """Return the summary as a table."""
        rows = []
        for i, trial in enumerate(results.summary.trials):
            cells = [str(i + 1)]
            for part in (trial.early, trial.late):
                cells += [f"{part.update:+.4f} ± {part.update_se:.4f}", f"{part.reward:.3f}"]
            rows.append(cells)
        n = results.summary.early_rounds
        header = ["trial", f"weight change, first {n}", f"reward, first {n}", "weight change, later", "reward, later"]
        title = "mean weight change (± its standard error over games) and mean reward of NSA in each trial"
        return [Table(title + results.settings.model_note, header, rows, range(1, 5))]

    def rows(self, results: Results[Settings, Summary]) -> list[Row]:
        """Return a row for each trial and part of it."""
        return [
            {"trial": i + 1, "part": name, **vars(part)}
            for i, trial in enumerate(results.summary.trials)
            for name, part in vars(trial).items()
        ]

    def claims(self, results: Results[Settings, Summary]) -> list[Claim]:
        """Return the claim of the paper about the signs of updates."""
        return [signs(results.summary)]


STUDY = UpdatesStudy()


class Watched:
    """Wrapper of NSA that records its weights."""

    def __init__(self, agent: Any) -> None:
        self.agent = agent
        self.updates: list[np.ndarray] = []
        self.weights: list[np.ndarray] = []
        self.select_arm = agent.select_arm

    def update(self, arm: np.ndarray, reward: np.ndarray) -> None:
        """Learn and record the weight change."""
        engine = self.agent.engine
        games = np.arange(engine.n_games)
        before = engine.w[games, arm].copy()
        self.agent.update(arm, reward)
        self.updates.append(engine.w[games, arm] - before)
        if (len(self.updates) - 1) % WEIGHT_STEP == 0:
            self.weights.append(engine.w[0].copy())


def play_watched(games: PlaySettings) -> Arrays:
    """Play the games; return weight changes, rewards, and the weights of the first game."""
    repetitions = range(games.repetitions)
    watched = Watched(make_player(games, games.agents[0], repetitions))
    record = play(watched, make_bandit(games, repetitions), games.n_rounds)
    return {
        "updates": np.array(watched.updates).T,
        "rewards": record.rewards,
        "weights": np.array(watched.weights),
        "best_arm": record.best_arm[0],
    }


def _part(updates: np.ndarray, rewards: np.ndarray) -> Part:
    by_game = updates.mean(axis=1)
    error = by_game.std(ddof=1) / len(by_game) ** 0.5 if len(by_game) > 1 else 0.0
    return Part(float(by_game.mean()), float(error), float(rewards.mean()))


def signs(found: Summary) -> Claim:
    """Return the claim of the paper about the signs of updates."""
    first, second = (trial.early for trial in found.trials[:2])
    rises = first.update > 2 * first.update_se
    falls = second.update < -2 * second.update_se
    shown = [f"{part.update:+.4f} ± {part.update_se:.4f}" for part in (first, second)]
    evidence = (
        f"mean weight change in the first {found.early_rounds} rounds: {shown[0]} in trial 1, {shown[1]} in trial 2"
    )
    statement = "weight updates are positive at first, and negative after the bandit has changed"
    judged = verdict(rises and falls, partly=rises and second.update < first.update)
    return Claim("updates", statement, evidence, judged)
