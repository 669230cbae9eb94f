"""``nsa table``: the paper's comparison, four bandits from 5 to 1,000 arms."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from functools import partial
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.core.agents import sees_the_bandit
from experiments.core.game_settings import GameSettings, played, setting
from experiments.core.settings import PlaySettings
from experiments.core.tables import Table, with_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.core.study import Arrays, Cell, StudyResults

NAME = "table"
HELP = "the comparison table: four bandits, 5 to 1000 arms, all agents"
EXAMPLES = """  nsa table --preset full --workers 2
  nsa table --drift published-table --json
  nsa table --agents state-of-the-art --envs switching,random-walk,needle --arms 10
  nsa table --from nsa-results/table-01234567.npz --format pdf"""

DRIFTS = ("new-targets", "published-table")


@dataclass(frozen=True, kw_only=True)
class Settings(GameSettings):
    """Bandits and numbers of arms that all agents play."""

    envs: tuple[str, ...] = setting(("MAB-P", "MAB-D", "MAB-sin", "MAB-sinP"), "bandits, comma separated", "E,F")
    arms: tuple[int, ...] = setting((5, 10, 50, 100, 200, 1000), "numbers of arms, comma separated", "K,L")
    drift: str = setting("new-targets", f"MAB-D: {' or '.join(DRIFTS)} (the public code's)", "KIND")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.drift not in DRIFTS:
            raise ValueError(f"drift must be one of {', '.join(DRIFTS)}, got {self.drift!r}")


PAPER = Settings()
PRESETS = {
    "paper": PAPER,
    "full": dataclasses.replace(PAPER, repetitions=40),
    "quick": dataclasses.replace(PAPER, rounds=200, repetitions=3),
}


def cells(settings: Settings) -> dict[str, Cell]:
    """One cell for each bandit, number of arms and agent; the longest first, so that workers end together."""
    made: dict[str, Cell] = {}
    for arms in sorted(settings.arms, reverse=True):
        for env in settings.envs:
            options = {"preset": "published-table"} if (env, settings.drift) == ("MAB-D", "published-table") else {}
            games = settings.games(env, arms, **options)
            for agent in settings.agents:
                made[f"{env}/{arms}/{agent}"] = partial(play_cell, games, agent)
    return made


def play_cell(games: PlaySettings, agent: str) -> Arrays:
    """One agent's games: each measure of each repetition."""
    from experiments.core import metrics
    from experiments.core.play import play_agent

    record = play_agent(games, agent, range(games.repetitions))
    return {
        "regret": metrics.regret(record),
        "published_regret": metrics.published_regret(record, games.rounds),
        "reward": metrics.reward(record),
        "entropy": metrics.choice_entropy(record.arms).mean(axis=1),
        "fingerprint": np.array(metrics.fingerprint(record)),
    }


def paper_table() -> dict[str, Any]:
    """The paper's own table: mean and sd of each cell."""
    return json.loads((resources.files("experiments") / "data" / "paper_table.json").read_text("utf-8"))


def summary(results: StudyResults) -> dict[str, Any]:
    """Every cell with each agent's measures, who is best, who is level with it, and the paper's numbers."""
    found = results.settings
    listed = [compare(results, env, arms) for env in found["envs"] for arms in found["arms"]]
    return {
        "cells": listed,
        **totals(listed, found["agents"]),
        **_paper_totals(listed, found["agents"]),
        "ranks": ranks(listed, found["agents"]),
    }


def compare(results: StudyResults, env: str, arms: int) -> dict[str, Any]:
    """Each agent's measures on one bandit with some number of arms, who is best and who is level with it."""
    from experiments.core.metrics import level_with_best, summary

    arrays = {agent: results.cells[f"{env}/{arms}/{agent}"] for agent in results.settings["agents"]}
    contenders = {agent: a["regret"] for agent, a in arrays.items() if not sees_the_bandit(agent)}
    best, level = level_with_best(contenders or {agent: a["regret"] for agent, a in arrays.items()})
    agents = {}
    for agent, a in arrays.items():
        published = summary(a["published_regret"])
        agents[agent] = {
            "regret": summary(a["regret"]),
            "published_regret": {"mean": published["mean"], "sd": published["sd"]},
            "reward": float(a["reward"].mean()),
            "entropy": float(a["entropy"].mean()),
            "fingerprint": str(a["fingerprint"]),
            "paper": _against_paper(env, arms, agent, a["published_regret"]),
        }
    return {"env": env, "arms": arms, "best": best, "level": level, "agents": agents}


def _against_paper(env: str, arms: int, agent: str, published: np.ndarray) -> dict[str, Any] | None:
    """The paper's cell, and how many standard errors (of the difference) ours lies from it."""
    paper = paper_table()
    if agent not in paper.get(env, {}) or arms not in paper["arms"]:
        return None
    column = paper["arms"].index(arms)
    mean, sd = paper[env][agent]["mean"][column], paper[env][agent]["sd"][column]
    if len(published) < 2:
        return {"mean": mean, "sd": sd, "z": None}
    error = np.sqrt(sd**2 / 5 + published.var(ddof=1) / len(published))
    return {"mean": mean, "sd": sd, "z": float((published.mean() - mean) / error)}


def ranks(listed: list[dict[str, Any]], agents: list[str]) -> dict[str, Any] | None:
    """Where the contenders stand over all cells; None where there is nothing to rank."""
    from experiments.core.metrics import mean_ranks

    contenders = [agent for agent in agents if not sees_the_bandit(agent)]
    if len(contenders) < 3 or len(listed) < 2:
        return None
    regrets = [[cell["agents"][agent]["regret"]["mean"] for agent in contenders] for cell in listed]
    return mean_ranks(contenders, np.array(regrets))


def totals(listed: list[dict[str, Any]], agents: list[str]) -> dict[str, Any]:
    """Each agent's mean regret over some cells, and how many it won."""
    return {
        "mean_regret": {a: float(np.mean([cell["agents"][a]["regret"]["mean"] for cell in listed])) for a in agents},
        "cells_won": {a: sum(cell["best"] == a for cell in listed) for a in agents},
        "cells_won_or_level": {a: sum(a in cell["level"] for cell in listed) for a in agents},
    }


def _paper_totals(listed: list[dict[str, Any]], agents: list[str]) -> dict[str, Any]:
    """How far ours lie from the paper's cells."""
    compared = [
        (agent, found["paper"], found["published_regret"]["mean"])
        for cell in listed
        for agent, found in cell["agents"].items()
        if found["paper"] is not None and found["paper"]["z"] is not None
    ]
    return {
        "paper_cells": len(compared),
        "paper_cells_within_2_se": sum(abs(paper["z"]) <= 2 for _, paper, _ in compared),
        "paper_mean_deviation": {
            a: float(np.mean([abs(ours - paper["mean"]) for agent, paper, ours in compared if agent == a]))
            for a in agents
            if any(agent == a for agent, _, _ in compared)
        },
    }


def tables(results: StudyResults) -> list[Table]:
    """Regret, published regret beside the paper's, and who won."""
    found, settings = summary(results), results.settings
    header = ["bandit", "agent", *(f"K={k}" for k in settings["arms"])]
    right = range(2, len(header))
    rank = found["ranks"]["mean"] if found["ranks"] else {}
    won = [
        [a, f"{found['mean_regret'][a]:.3f}", str(found["cells_won"][a]), str(found["cells_won_or_level"][a])]
        + ([f"{rank[a]:.2f}" if a in rank else "–"] if rank else [])
        for a in sorted(settings["agents"], key=lambda a: rank.get(a, np.inf))
    ]
    told = f"mean regret over the {len(found['cells'])} cells, and cells won"
    if rank:
        told += f"; mean ranks differ (Nemenyi, 5%) from {found['ranks']['critical_difference']:.2f} apart"
    if found["paper_cells"]:
        deviation = ", ".join(f"{agent} {value:.3f}" for agent, value in found["paper_mean_deviation"].items())
        told += (
            f"; {found['paper_cells_within_2_se']} of the paper's {found['paper_cells']} cells lie within two standard "
            f"errors of ours, mean absolute deviation {deviation}"
        )
    return [
        Table(
            f"regret of eq. (1) ± half its 95% interval; * best, = level with it (paired t-test, 5%); "
            f"{played(settings)}; MAB-D: {settings['drift']}",
            header,
            rows(found, settings, _regret_cell),
            right,
        ),
        Table(
            "published regret, ours | the paper's mean(sd); ! more than two standard errors apart",
            header,
            rows(found, settings, _published_cell),
            right,
        ),
        Table(
            told,
            ["agent", "mean regret", "cells won", "won or level", *["mean rank"] * bool(rank)],
            won,
            range(1, 5),
        ),
    ]


def rows(found: dict[str, Any], settings: dict[str, Any], show: Any) -> list[list[str]]:
    """A row for each bandit and agent, a cell for each number of arms."""
    by_place = {(cell["env"], cell["arms"]): cell for cell in found["cells"]}
    made = []
    for env in settings["envs"]:
        for agent in settings["agents"]:
            shown = [show(by_place[env, k], agent) for k in settings["arms"]]
            made.append([env, agent, *shown])
    return made


def _regret_cell(cell: dict[str, Any], agent: str) -> str:
    mark = "*" if cell["best"] == agent else "=" if agent in cell["level"] else " "
    return with_interval(cell["agents"][agent]["regret"]) + mark


def _published_cell(cell: dict[str, Any], agent: str) -> str:
    found = cell["agents"][agent]
    ours, paper = found["published_regret"]["mean"], found["paper"]
    if paper is None:
        return f"{ours:.2f}"
    mark = "!" if paper["z"] is not None and abs(paper["z"]) > 2 else " "
    return f"{ours:.2f} | {paper['mean']:.2f}({paper['sd']:.2f}){mark}"


def exports(results: StudyResults) -> dict[str, tuple[str, str]]:
    """CSV, Markdown and LaTeX: suffix and text of each."""
    from experiments.studies.table import formats as table_formats

    found = summary(results)
    return {
        "csv": ("csv", table_formats.csv_text(found)),
        "markdown": ("md", table_formats.markdown(found, results.settings)),
        "latex": ("tex", table_formats.latex(found, results.settings)),
    }


def draw(results: StudyResults) -> Figure:
    """A heat map of the regrets."""
    from experiments.studies.table import figure as table_figure

    return table_figure.draw(summary(results), results.settings)
