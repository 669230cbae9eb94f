"""Comparison of agents by bandit and number of arms, for ``nsa table`` and ``nsa standings``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from experiments.core import metrics
from experiments.core.agents import sees_the_bandit
from experiments.core.cells import Arrays, Cell
from experiments.core.formats import csv_text as csv_text  # re-exported
from experiments.core.game import Record
from experiments.core.metrics import Measures, Ranks
from experiments.core.play import play_agent, play_agents
from experiments.core.results import Row
from experiments.core.settings import PlaySettings


@dataclass(frozen=True)
class PaperCell:
    """The paper's mean and sd, and the difference to ours in standard errors of the difference."""

    mean: float
    sd: float
    z: float | None


@dataclass(frozen=True)
class Compared(Measures):
    """Measures of an agent in a cell, and the paper's values if there are any."""

    paper: PaperCell | None


@dataclass(frozen=True)
class Comparison:
    """A bandit with a number of arms: the best agent, those level with it, and the measures of each agent."""

    env: str
    arms: int
    best: str
    level: list[str]
    agents: dict[str, Compared]


@dataclass(frozen=True)
class Totals:
    """Mean regret of each agent over some cells, and number of cells won."""

    mean_regret: dict[str, float]
    cells_won: dict[str, int]
    cells_won_or_level: dict[str, int]


def cell_name(env: str, arms: int, agent: str) -> str:
    """Return the name of the cell of an agent."""
    return f"{env}/{arms}/{agent}"


def play_cell(games: PlaySettings, agent: str) -> Arrays:
    """Play the games of one agent and return each measure of each repetition."""
    return _measured(games, play_agent(games, agent, range(games.repetitions)))


def _measured(games: PlaySettings, record: Record) -> Arrays:
    return {
        "regret": metrics.regret(record),
        "published_regret": metrics.published_regret(record, games.rounds),
        "reward": metrics.reward(record),
        "entropy": metrics.choice_entropy(record.arms).mean(axis=1),
        "fingerprint": np.array(metrics.fingerprint(record)),
    }


class GamesCell(Cell):
    """The games of one agent. Cells with the same settings are played together, which computes the bandit once."""

    def __init__(self, games: PlaySettings, agent: str) -> None:
        super().__init__(play_cell, games, agent)
        self.games, self.agent = games, agent

    @property
    def common(self) -> object:
        """The settings of the games."""
        return self.games

    def compute_together(self, cells: Sequence[Cell]) -> list[Arrays]:
        """Play the games of several agents."""
        agents = [cell.agent for cell in cells if isinstance(cell, GamesCell)]
        records = play_agents(self.games, agents, range(self.games.repetitions))
        return [_measured(self.games, records[agent]) for agent in agents]


def compare(cells: Mapping[str, Arrays], env: str, arms: int, agents: Iterable[str]) -> Comparison:
    """Compare agents on one bandit with a number of arms."""
    arrays = {agent: cells[cell_name(env, arms, agent)] for agent in agents}
    contenders = {agent: a["regret"] for agent, a in arrays.items() if not sees_the_bandit(agent)}
    best, level = metrics.level_with_best(contenders or {agent: a["regret"] for agent, a in arrays.items()})
    compared = {
        agent: Compared(
            regret=metrics.estimate(a["regret"]),
            published_regret=metrics.spread(a["published_regret"]),
            reward=float(a["reward"].mean()),
            entropy=float(a["entropy"].mean()),
            fingerprint=str(a["fingerprint"]),
            paper=_paper_cell(env, arms, agent, a["published_regret"]),
        )
        for agent, a in arrays.items()
    }
    return Comparison(env, arms, best, level, compared)


@cache
def _paper_table() -> dict[str, Any]:
    """Return the paper's table: mean and sd of each cell."""
    return json.loads((resources.files("experiments") / "data" / "paper_table.json").read_text("utf-8"))


def _paper_cell(env: str, arms: int, agent: str, published: np.ndarray) -> PaperCell | None:
    paper = _paper_table()
    if agent not in paper.get(env, {}) or arms not in paper["arms"]:
        return None
    column = paper["arms"].index(arms)
    mean, sd = paper[env][agent]["mean"][column], paper[env][agent]["sd"][column]
    if len(published) < 2:
        return PaperCell(mean, sd, None)
    error = np.sqrt(sd**2 / 5 + published.var(ddof=1) / len(published))
    return PaperCell(mean, sd, float((published.mean() - mean) / error))


def ranks(cells: Sequence[Comparison], agents: Iterable[str]) -> Ranks | None:
    """Return the ranks of the contenders over all cells; None with fewer than 3 contenders or 2 cells."""
    contenders = [agent for agent in agents if not sees_the_bandit(agent)]
    if len(contenders) < 3 or len(cells) < 2:
        return None
    regrets = [[cell.agents[agent].regret.mean for agent in contenders] for cell in cells]
    return metrics.mean_ranks(contenders, np.array(regrets))


def totals(cells: Sequence[Comparison], agents: Sequence[str]) -> Totals:
    """Return the mean regret of each agent over some cells, and the number of cells won."""
    return Totals(
        mean_regret={a: float(np.mean([cell.agents[a].regret.mean for cell in cells])) for a in agents},
        cells_won={a: sum(cell.best == a for cell in cells) for a in agents},
        cells_won_or_level={a: sum(a in cell.level for cell in cells) for a in agents},
    )


def comparison_rows(cells: Iterable[Comparison]) -> list[Row]:
    """Return a row for each bandit, number of arms and agent."""
    rows: list[Row] = []
    for cell in cells:
        for agent, found in cell.agents.items():
            low, high = found.regret.ci95 or (None, None)
            paper = found.paper
            rows.append(
                {
                    "env": cell.env,
                    "arms": cell.arms,
                    "agent": agent,
                    "regret": found.regret.mean,
                    "regret_sd": found.regret.sd,
                    "regret_low": low,
                    "regret_high": high,
                    "published_regret": found.published_regret.mean,
                    "published_sd": found.published_regret.sd,
                    "paper_mean": paper.mean if paper else None,
                    "paper_sd": paper.sd if paper else None,
                    "paper_z": paper.z if paper else None,
                    "reward": found.reward,
                    "entropy": found.entropy,
                    "best": int(cell.best == agent),
                    "level": int(agent in cell.level),
                }
            )
    return rows
