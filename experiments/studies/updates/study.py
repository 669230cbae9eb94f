"""``nsa updates``: how NSA's weights change over a change of the bandit."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.core.game_settings import GameSettings, model_told, setting
from experiments.core.nsa_agents import is_nsa
from experiments.core.settings import PlaySettings
from experiments.core.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.core.study import Arrays, Cell, StudyResults

NAME = "updates"
HELP = "NSA's weight change a round, its mean reward and its weights, over a change of the bandit"
EXAMPLES = "  nsa updates --parameters minbandit-29\n  nsa updates --model my.py"

#: Every n-th round's weights are kept.
WEIGHT_STEP = 5
#: Rounds after a trial's start that count as its beginning.
EARLY = 100


@dataclass(frozen=True, kw_only=True)
class Settings(GameSettings):
    """NSA on MAB-P; nobody else has weights."""

    agents: tuple[str, ...] = setting(("nsa",), "nsa or nsa:WHAT, the only agent with weights", "nsa")
    repetitions: int = setting(30, "games, each with its own luck")
    arms: int = setting(10, "arms")

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.agents) != 1 or not is_nsa(self.agents[0]):
            raise ValueError(f"agents must be nsa, the only one with weights, got {','.join(self.agents)}")


PAPER = Settings()
PRESETS = {
    "paper": PAPER,
    "full": dataclasses.replace(PAPER, repetitions=100),
    "quick": dataclasses.replace(PAPER, rounds=400, repetitions=10),
}


def cells(settings: Settings) -> dict[str, Cell]:
    """One cell: all games at once."""
    return {settings.agents[0]: partial(play_watched, settings.games("MAB-P", settings.arms))}


class Watched:
    """NSA with somebody who writes down its weights."""

    def __init__(self, agent: Any) -> None:
        self.agent = agent
        self.updates: list[np.ndarray] = []
        self.weights: list[np.ndarray] = []
        self.select_arm = agent.select_arm

    def update(self, arm: Any, reward: Any) -> None:
        """Learn, and note by how much."""
        engine = self.agent.engine
        games = np.arange(engine.n_games)
        before = engine.w[games, arm].copy()
        self.agent.update(arm, reward)
        self.updates.append(engine.w[games, arm] - before)
        if (len(self.updates) - 1) % WEIGHT_STEP == 0:
            self.weights.append(engine.w[0].copy())


def play_watched(games: PlaySettings) -> Arrays:
    """The weight change and the reward of each round of each game, and the weights of the first game."""
    from experiments.core.game import play
    from experiments.core.play import make_player
    from experiments.core.randomness import streams

    repetitions = range(games.repetitions)
    bandit = games.make_bandit(games.repetitions)
    bandit.reset(streams(games.seed, "bandit", repetitions))
    watched = Watched(make_player(games, games.agents[0], repetitions))
    record = play(watched, bandit, games.n_rounds)
    return {
        "updates": np.array(watched.updates).T,
        "rewards": record.rewards,
        "weights": np.array(watched.weights),
        "best_arm": record.best_arm[0],
    }


def summary(results: StudyResults) -> dict[str, Any]:
    """The mean weight change and reward at the beginning and in the rest of each trial."""
    settings, found = results.settings, results.cells[results.settings["agents"][0]]
    early = min(EARLY, settings["rounds"] // 2)
    trials = []
    for trial in range(settings["trials"]):
        start, stop = trial * settings["rounds"], (trial + 1) * settings["rounds"]
        parts = {"early": slice(start, start + early), "late": slice(start + early, stop)}
        trials.append({name: _part(found["updates"][:, p], found["rewards"][:, p]) for name, p in parts.items()})
    return {"early_rounds": early, "trials": trials}


def _part(updates: np.ndarray, rewards: np.ndarray) -> dict[str, float]:
    """Mean weight change with its standard error over games, and mean reward."""
    by_game = updates.mean(axis=1)
    error = by_game.std(ddof=1) / len(by_game) ** 0.5 if len(by_game) > 1 else 0.0
    return {"update": float(by_game.mean()), "update_se": float(error), "reward": float(rewards.mean())}


def tables(results: StudyResults) -> list[Table]:
    """The summary as a table."""
    found = summary(results)
    rows = []
    for i, trial in enumerate(found["trials"]):
        cells = [str(i + 1)]
        for part in (trial["early"], trial["late"]):
            cells += [f"{part['update']:+.4f} ± {part['update_se']:.4f}", f"{part['reward']:.3f}"]
        rows.append(cells)
    n = found["early_rounds"]
    header = ["trial", f"weight change, first {n}", f"reward, first {n}", "weight change, later", "reward, later"]
    return [
        Table(
            "mean weight change (± its standard error over games) and mean reward of NSA in each trial"
            + model_told(results.settings),
            header,
            rows,
            range(1, 5),
        )
    ]


def draw(results: StudyResults) -> Figure:
    """Weight change and reward over the rounds, and the weights of one game."""
    from experiments.studies.updates import figure as updates_figure

    return updates_figure.draw(results)
