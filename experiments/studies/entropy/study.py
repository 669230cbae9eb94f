"""``nsa entropy``: how varied the choices are, over time and against the uncertainty of the rewards."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.core.game_settings import GameSettings, model_told, setting
from experiments.core.settings import PlaySettings
from experiments.core.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.core.study import Arrays, Cell, StudyResults

NAME = "entropy"
HELP = "entropy of the choices: over the rounds of MAB-P, and against the entropy of the reward distribution"
EXAMPLES = """  nsa entropy --preset full --workers 2
  nsa entropy --arms 8 --betas 17,4,0.5"""


@dataclass(frozen=True, kw_only=True)
class Settings(GameSettings):
    """Part (a) is played on MAB-P with ``arms`` arms, part (b) on ``peaked`` with ``peaked_arms`` arms, 2 trials."""

    trials: int = setting(3, "trials of part (a)")
    arms: int = setting(10, "arms of part (a)")
    peaked_arms: int = setting(200, "arms of part (b)")
    betas: tuple[float, ...] = setting(
        (17.0, 15.0, 12.0, 8.0, 4.0, 1.5, 0.5), "inverse temperatures of part (b)", "B,C"
    )


PAPER = Settings()
PRESETS = {
    "paper": PAPER,
    "full": dataclasses.replace(PAPER, repetitions=40),
    "quick": dataclasses.replace(PAPER, rounds=300, repetitions=2, betas=(17.0, 8.0, 0.5)),
}


def cells(settings: Settings) -> dict[str, Cell]:
    """A cell for each agent in part (a), and for each agent and temperature in part (b)."""
    over_time = settings.games("MAB-P", settings.arms)
    made: dict[str, Cell] = {}
    for beta in settings.betas:
        peaked = dataclasses.replace(settings.games("peaked", settings.peaked_arms, beta=beta), trials=2)
        for agent in settings.agents:
            made[f"b/{beta:g}/{agent}"] = partial(play_trials, peaked, agent)
    for agent in settings.agents:
        made[f"a/{agent}"] = partial(play_over_time, over_time, agent)
    return made


def play_over_time(games: PlaySettings, agent: str) -> Arrays:
    """Part (a): choices of the first game, entropy and reward over the rounds, mean over games."""
    from experiments.core import metrics
    from experiments.core.play import play_agent

    record = play_agent(games, agent, range(games.repetitions))
    entropy = metrics.choice_entropy(record.arms)
    return {
        "arms": record.arms[0],
        "best_arm": record.best_arm[0],
        "entropy": entropy.mean(axis=0),
        "mean_entropy": entropy.mean(axis=1),
        "total_reward": record.rewards.sum(axis=1),
    }


def play_trials(games: PlaySettings, agent: str) -> Arrays:
    """Part (b): reward, regret and choice entropy in each trial of each game, and the rewards' own entropy."""
    from experiments.core import metrics
    from experiments.core.play import play_agent
    from experiments.core.randomness import streams

    repetitions = range(games.repetitions)
    record = play_agent(games, agent, repetitions)
    bandit = games.make_bandit(games.repetitions)
    bandit.reset(streams(games.seed, "bandit", repetitions))

    def by_trial(x: np.ndarray) -> np.ndarray:
        return x.reshape(len(x), games.trials, games.rounds).mean(axis=2)

    return {
        "reward": by_trial(record.rewards),
        "regret": by_trial(record.best - record.expected),
        "entropy": by_trial(metrics.choice_entropy(record.arms)),
        "reward_entropy": metrics.distribution_entropy(bandit.probabilities),
    }


def summary(results: StudyResults) -> dict[str, Any]:
    """Both parts, mean over games."""
    settings, found = results.settings, results.cells
    over_time = {
        agent: {
            "total_reward": float(found[f"a/{agent}"]["total_reward"].mean()),
            "entropy": float(found[f"a/{agent}"]["mean_entropy"].mean()),
        }
        for agent in settings["agents"]
    }
    peaked = []
    for beta in settings["betas"]:
        arrays = {agent: found[f"b/{beta:g}/{agent}"] for agent in settings["agents"]}
        entropy = float(np.mean(next(iter(arrays.values()))["reward_entropy"]))
        agents = {
            agent: {key: a[key].mean(axis=0).tolist() for key in ("reward", "regret", "entropy")}
            for agent, a in arrays.items()
        }
        peaked.append({"beta": beta, "reward_entropy": entropy, "agents": agents})
    return {"over_time": over_time, "peaked": peaked}


def tables(results: StudyResults) -> list[Table]:
    """Both parts."""
    found, settings = summary(results), results.settings
    rows = [[a, f"{v['total_reward']:.0f}", f"{v['entropy']:.3f}"] for a, v in found["over_time"].items()]
    caption = f"(a) MAB-P, {settings['arms']} arms, {settings['trials']} x {settings['rounds']} rounds"
    caption += model_told(settings)
    made = [Table(caption, ["agent", "total reward", "mean choice entropy (nats)"], rows, (1, 2))]
    header = ["agent", *(f"H={level['reward_entropy']:.2f}" for level in found["peaked"])]
    for key, label in (("reward", "mean reward"), ("regret", "regret"), ("entropy", "choice entropy (nats)")):
        rows = [
            [agent, *(" ".join(f"{x:.2f}" for x in level["agents"][agent][key]) for level in found["peaked"])]
            for agent in settings["agents"]
        ]
        caption = f"(b) peaked, {settings['peaked_arms']} arms: {label} in trials 1 and 2, by the rewards' entropy H"
        made.append(Table(caption, header, rows, range(1, len(header))))
    return made


def draw(results: StudyResults) -> Figure:
    """Rasters with entropy, and the curves against the rewards' entropy."""
    from experiments.studies.entropy import figure as entropy_figure

    return entropy_figure.draw(results, summary(results))
