"""Agents compared, cell by cell: bandits with numbers of arms. What ``nsa table`` and ``nsa standings`` share."""

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
from experiments.core.cells import Arrays
from experiments.core.formats import csv_text as csv_text  # for those who look for it here
from experiments.core.metrics import Measures, Ranks
from experiments.core.play import play_agent
from experiments.core.results import Row
from experiments.core.settings import PlaySettings


@dataclass(frozen=True)
class PaperCell:
    """The paper's mean and sd, and how many standard errors (of the difference) ours lies from it."""

    mean: float
    sd: float
    z: float | None


@dataclass(frozen=True)
class Compared(Measures):
    """An agent's measures in a cell, and the paper's where it has them."""

    paper: PaperCell | None


@dataclass(frozen=True)
class Comparison:
    """One bandit with some number of arms: who is best, who is level with it, and the measures of each agent."""

    env: str
    arms: int
    best: str
    level: list[str]
    agents: dict[str, Compared]


@dataclass(frozen=True)
class Totals:
    """Each agent's mean regret over some cells, and how many it won."""

    mean_regret: dict[str, float]
    cells_won: dict[str, int]
    cells_won_or_level: dict[str, int]


def cell_name(env: str, arms: int, agent: str) -> str:
    """The name of the cell that one agent plays."""
    return f"{env}/{arms}/{agent}"


def play_cell(games: PlaySettings, agent: str) -> Arrays:
    """One agent's games: each measure of each repetition."""
    record = play_agent(games, agent, range(games.repetitions))
    return {
        "regret": metrics.regret(record),
        "published_regret": metrics.published_regret(record, games.rounds),
        "reward": metrics.reward(record),
        "entropy": metrics.choice_entropy(record.arms).mean(axis=1),
        "fingerprint": np.array(metrics.fingerprint(record)),
    }


def compare(cells: Mapping[str, Arrays], env: str, arms: int, agents: Iterable[str]) -> Comparison:
    """Each agent's measures on one bandit with some number of arms, who is best and who is level with it."""
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
    """The paper's own table: mean and sd of each cell."""
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
    """Where the contenders stand over all cells; None where there is nothing to rank."""
    contenders = [agent for agent in agents if not sees_the_bandit(agent)]
    if len(contenders) < 3 or len(cells) < 2:
        return None
    regrets = [[cell.agents[agent].regret.mean for agent in contenders] for cell in cells]
    return metrics.mean_ranks(contenders, np.array(regrets))


def totals(cells: Sequence[Comparison], agents: Sequence[str]) -> Totals:
    """Each agent's mean regret over some cells, and how many it won."""
    return Totals(
        mean_regret={a: float(np.mean([cell.agents[a].regret.mean for cell in cells])) for a in agents},
        cells_won={a: sum(cell.best == a for cell in cells) for a in agents},
        cells_won_or_level={a: sum(a in cell.level for cell in cells) for a in agents},
    )


def comparison_rows(cells: Iterable[Comparison]) -> list[Row]:
    """A row for each bandit, number of arms and agent."""
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
