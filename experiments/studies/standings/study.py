"""``nsa standings``: where NSA stands among all tuned policies, on the paper's bandits and on other kinds of change."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import envs
from experiments.core.agents import STATE_OF_THE_ART, sees_the_bandit
from experiments.core.game_settings import GameSettings, played, setting
from experiments.core.nsa_agents import is_nsa
from experiments.core.tables import Table
from experiments.studies.table import study as table_study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.core.study import Cell, StudyResults

NAME = "standings"
HELP = "where NSA stands among all tuned policies, over the paper's bandits and others"
EXAMPLES = """  nsa standings --preset full --workers 2
  nsa standings --envs switching,needle --arms 10,100 --agents nsa,optimistic:tuned,vdbe:tuned,random"""

PAPERS = table_study.PAPER.envs
OTHERS = ("switching", "random-walk", "reversal", "needle", "seasonal")


def places(names: Iterable[str], arms: Iterable[int]) -> Iterable[tuple[str, int]]:
    """Each bandit with each number of arms that it is played with."""
    usual = envs.Bandit.default_arms
    for env in names:
        own = envs.BANDITS.get(env, envs.Bandit).default_arms
        yield from ((env, k) for k in (arms if own in (usual, None) else (own,)))


@dataclass(frozen=True, kw_only=True)
class Settings(GameSettings):
    """Bandits and numbers of arms that all agents play. A bandit with its own number of arms has that one alone."""

    agents: tuple[str, ...] = setting((STATE_OF_THE_ART,), "agents, comma separated, or state-of-the-art", "A,B")
    envs: tuple[str, ...] = setting((*PAPERS, *OTHERS), "bandits, comma separated", "E,F")
    arms: tuple[int, ...] = setting((10, 100), "numbers of arms (reversal: always 2)", "K,L")

    def __post_init__(self) -> None:
        super().__post_init__()
        contenders = [agent for agent in self.agents if not sees_the_bandit(agent)]
        if len(contenders) < 3:
            raise ValueError(f"a standing takes three agents that do not see the bandit, got {', '.join(contenders)}")
        if len(list(places(self.envs, self.arms))) < 2:
            raise ValueError("a standing takes two cells, bandits or numbers of arms, got one")


PAPER = Settings()
PRESETS = {
    "paper": PAPER,
    "full": dataclasses.replace(PAPER, arms=table_study.PAPER.arms, repetitions=40),
    "quick": dataclasses.replace(PAPER, arms=(5,), rounds=100, repetitions=3),
}


def cells(settings: Settings) -> dict[str, Cell]:
    """One cell for each bandit, number of arms and agent; the longest first, so that workers end together."""
    longest_first = sorted(places(settings.envs, settings.arms), key=lambda place: -place[1])
    games = {(env, k): settings.games(env, k) for env, k in longest_first}
    return {
        f"{env}/{k}/{agent}": partial(table_study.play_cell, games[env, k], agent)
        for env, k in longest_first
        for agent in settings.agents
    }


def summary(results: StudyResults) -> dict[str, Any]:
    """Every cell, and the standing over all cells, over those of the paper's bandits and over the others.

    Cells of one bandit with different numbers of arms are no independent samples of what bandits there are, so the
    critical differences are on the small side.
    """
    found = results.settings
    listed = [table_study.compare(results, env, k) for env, k in places(found["envs"], found["arms"])]
    groups = {
        "all": listed,
        "paper's": [cell for cell in listed if cell["env"] in PAPERS],
        "others": [cell for cell in listed if cell["env"] not in PAPERS],
    }
    standings = {}
    for name, group in groups.items():
        ranks = table_study.ranks(group, found["agents"])
        if ranks is not None and (name == "all" or len(group) < len(listed)):
            standings[name] = {"cells": len(group), "ranks": ranks, **table_study.totals(group, found["agents"])}
    regret = {
        env: {
            agent: float(np.mean([cell["agents"][agent]["regret"]["mean"] for cell in listed if cell["env"] == env]))
            for agent in found["agents"]
        }
        for env in found["envs"]
    }
    return {"standings": standings, "regret_by_bandit": regret, "cells": listed}


def order(found: dict[str, Any]) -> list[str]:
    """All agents: the contenders by their rank over all cells, then those that see the bandit."""
    overall = found["standings"]["all"]
    ranked = list(overall["ranks"]["mean"])
    return ranked + [agent for agent in overall["mean_regret"] if agent not in ranked]


def tables(results: StudyResults) -> list[Table]:
    """Ranks, regrets and cells won over all cells and over groups of them, and the regret by bandit."""
    found, settings = summary(results), results.settings
    agents, groups = order(found), found["standings"]
    header = ["agent", *(f"{what}, {name}" for what in ("rank", "regret", "won/level") for name in groups)]
    rows = []
    for agent in agents:
        ranks = [group["ranks"]["mean"].get(agent) for group in groups.values()]
        row = [agent, *("–" if rank is None else f"{rank:.2f}" for rank in ranks)]
        row += [f"{group['mean_regret'][agent]:.3f}" for group in groups.values()]
        row += [f"{group['cells_won'][agent]}/{group['cells_won_or_level'][agent]}" for group in groups.values()]
        rows.append(row)
    apart = ", ".join(
        f"{group['ranks']['critical_difference']:.2f} ({name}, {group['cells']} cells)"
        for name, group in groups.items()
    )
    told = f"mean rank, mean regret, cells won/won or level; ranks differ (Nemenyi, 5%) if they are {apart} apart"
    by_bandit = [
        [agent, *(f"{found['regret_by_bandit'][env][agent]:.3f}" for env in settings["envs"])] for agent in agents
    ]
    return [
        Table(f"{headline(groups['all'])}; {told}; {played(settings)}", header, rows, range(1, len(header))),
        Table(
            f"mean regret by bandit over its numbers of arms ({', '.join(map(str, settings['arms']))})",
            ["agent", *settings["envs"]],
            by_bandit,
            range(1, 1 + len(settings["envs"])),
        ),
    ]


def headline(standing: dict[str, Any]) -> str:
    """Where NSA, or the best of its kind, stands; or who is first where it does not play."""
    means, apart = standing["ranks"]["mean"], standing["ranks"]["critical_difference"]
    first, *_ = means
    nsa = next(filter(is_nsa, means), first)
    if nsa == first:
        return f"{first} is first of {len(means)}"
    told = "cannot be told" if means[nsa] - means[first] <= apart else "differs"
    return f"{nsa} is number {list(means).index(nsa) + 1} of {len(means)} and {told} from the first, {first}"


def exports(results: StudyResults) -> dict[str, tuple[str, str]]:
    """CSV: a line for each bandit, number of arms and agent."""
    from experiments.studies.table import formats as table_formats

    return {"csv": ("csv", table_formats.csv_text(summary(results)))}


def draw(results: StudyResults) -> Figure:
    """Regret by bandit beside the ranks."""
    from experiments.studies.standings import figure as standings_figure

    found = summary(results)
    return standings_figure.draw(found, order(found))
