"""``nsa entropy``: entropy of the choices over time and against the uncertainty of the rewards."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from experiments.core.cells import Cell
from experiments.core.claims import Claim
from experiments.core.game_settings import GameSettings
from experiments.core.options import setting
from experiments.core.results import Results, Row
from experiments.core.study import Caption, Study
from experiments.core.tables import Table
from experiments.studies.entropy.claims import claims
from experiments.studies.entropy.games import over_time_cell, peaked_cell, play_over_time, play_trials


@dataclass(frozen=True, kw_only=True)
class Settings(GameSettings):
    """Settings: part (a) on MAB-P with ``arms`` arms, part (b) on ``peaked`` with ``peaked_arms`` arms, 2 trials."""

    trials: int = setting(3, "trials of part (a)")
    arms: int = setting(10, "number of arms of part (a)")
    peaked_arms: int = setting(200, "number of arms of part (b)")
    betas: tuple[float, ...] = setting(
        (17.0, 15.0, 12.0, 8.0, 4.0, 1.5, 0.5), "inverse temperatures of part (b)", "B,C"
    )


DEFAULT = Settings()


@dataclass(frozen=True)
class OverTime:
    """Part (a): an agent's total reward and the mean entropy of its choices."""

    total_reward: float
    entropy: float


@dataclass(frozen=True)
class ByTrial:
    """Part (b): an agent's measures in trials 1 and 2."""

    reward: list[float]
    regret: list[float]
    entropy: list[float]


@dataclass(frozen=True)
class Level:
    """Part (b): an inverse temperature, the entropy of the rewards, and all agents."""

    beta: float
    reward_entropy: float
    agents: dict[str, ByTrial]


@dataclass(frozen=True)
class Summary:
    """Both parts, mean over games."""

    over_time: dict[str, OverTime]
    peaked: list[Level]

    @property
    def by_certainty(self) -> list[Level]:
        """Part (b) from the most certain rewards to the least."""
        return sorted(self.peaked, key=lambda level: level.reward_entropy)


#: Measures of part (b).
MEASURES = {"reward": "mean reward", "regret": "regret", "entropy": "choice entropy (nats)"}


class EntropyStudy(Study[Settings, Summary]):
    """Study of the entropy of choices."""

    name = "entropy"
    examples = """  nsa entropy --preset full --workers 2
  nsa entropy --arms 8 --betas 17,4,0.5"""
    presets = {
        "paper": DEFAULT,
        "full": dataclasses.replace(DEFAULT, repetitions=40),
        "quick": dataclasses.replace(DEFAULT, rounds=300, repetitions=2, betas=(17.0, 8.0, 0.5)),
    }
    caption = Caption(
        "Entropy of the choices",
        "Left, each agent's choices over the rounds with the entropy of the last twenty; right, reward, regret and "
        "choice entropy of all agents in trials 1 and 2 against the entropy of the reward distribution.",
    )

    def cells(self, settings: Settings) -> dict[str, Cell]:
        """Return a cell for each agent in part (a), and for each agent and temperature in part (b)."""
        over_time = settings.games("MAB-P", settings.arms)
        made = {}
        for beta in settings.betas:
            peaked = dataclasses.replace(settings.games("peaked", settings.peaked_arms, {"beta": beta}), trials=2)
            for agent in settings.agents:
                made[peaked_cell(beta, agent)] = Cell(play_trials, peaked, agent)
        for agent in settings.agents:
            made[over_time_cell(agent)] = Cell(play_over_time, over_time, agent)
        return made

    def summary(self, results: Results[Settings, Summary]) -> Summary:
        """Return both parts, mean over games."""
        agents, found = results.settings.agents, results.cells
        over_time = {}
        for agent in agents:
            arrays = found[over_time_cell(agent)]
            over_time[agent] = OverTime(float(arrays["total_reward"].mean()), float(arrays["mean_entropy"].mean()))
        peaked = []
        for beta in results.settings.betas:
            played = {agent: found[peaked_cell(beta, agent)] for agent in agents}
            entropy = float(np.mean(next(iter(played.values()))["reward_entropy"]))
            by_trial = {
                agent: ByTrial(**{key: arrays[key].mean(axis=0).tolist() for key in MEASURES})
                for agent, arrays in played.items()
            }
            peaked.append(Level(beta, entropy, by_trial))
        return Summary(over_time, peaked)

    def tables(self, results: Results[Settings, Summary]) -> list[Table]:
        """Return tables of both parts."""
        found, settings = results.summary, results.settings
        rows = [[a, f"{v.total_reward:.0f}", f"{v.entropy:.3f}"] for a, v in found.over_time.items()]
        caption = f"(a) MAB-P, {settings.arms} arms, {settings.trials} x {settings.rounds} rounds{settings.model_note}"
        made = [Table(caption, ["agent", "total reward", "mean choice entropy (nats)"], rows, (1, 2))]
        header = ["agent", *(f"H={level.reward_entropy:.2f}" for level in found.peaked)]
        for key, label in MEASURES.items():
            rows = [
                [a, *(" ".join(f"{x:.2f}" for x in getattr(level.agents[a], key)) for level in found.peaked)]
                for a in settings.agents
            ]
            caption = f"(b) peaked, {settings.peaked_arms} arms: {label} in trials 1 and 2, by the rewards' entropy H"
            made.append(Table(caption, header, rows, range(1, len(header))))
        return made

    def rows(self, results: Results[Settings, Summary]) -> list[Row]:
        """Return a row for each temperature, agent and trial of part (b)."""
        return [
            {
                "beta": level.beta,
                "reward_entropy": level.reward_entropy,
                "agent": agent,
                "trial": trial + 1,
                **{key: getattr(found, key)[trial] for key in MEASURES},
            }
            for level in results.summary.peaked
            for agent, found in level.agents.items()
            for trial in range(2)
        ]

    def claims(self, results: Results[Settings, Summary]) -> list[Claim]:
        """Return the claims of the paper about the entropy of choices."""
        return claims(results.summary)


STUDY = EntropyStudy()
