"""``nsa table``: the paper's comparison, four bandits from 5 to 1,000 arms."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from experiments.core.cells import Cell
from experiments.core.claims import Claim
from experiments.core.formats import csv_text
from experiments.core.game_settings import GameSettings, bandits
from experiments.core.metrics import Ranks
from experiments.core.options import setting
from experiments.core.results import Results, Row
from experiments.core.study import Caption, Export, Study
from experiments.core.tables import Table
from experiments.studies.table import formats
from experiments.studies.table.claims import claims
from experiments.studies.table.comparison import (
    Comparison,
    GamesCell,
    Totals,
    cell_name,
    compare,
    comparison_rows,
    ranks,
    totals,
)

DRIFTS = ("new-targets", "published-table")


@dataclass(frozen=True, kw_only=True)
class Settings(GameSettings):
    """Bandits and numbers of arms."""

    envs: tuple[str, ...] = bandits()
    arms: tuple[int, ...] = setting((5, 10, 50, 100, 200, 1000), "numbers of arms, comma separated", "K,L")
    drift: str = setting("new-targets", f"variant of MAB-D: {' or '.join(DRIFTS)} (as in the public code)", "KIND")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.drift not in DRIFTS:
            raise ValueError(f"drift must be one of {', '.join(DRIFTS)}, got {self.drift!r}")


DEFAULT = Settings()


@dataclass(frozen=True)
class Summary:
    """Every cell, totals of each agent, differences to the paper's cells, and ranks."""

    cells: list[Comparison]
    mean_regret: dict[str, float]
    cells_won: dict[str, int]
    cells_won_or_level: dict[str, int]
    paper_cells: int
    paper_cells_within_2_se: int
    paper_mean_deviation: dict[str, float]
    ranks: Ranks | None

    @property
    def by_place(self) -> dict[tuple[str, int], Comparison]:
        """Cells by bandit and number of arms."""
        return {(cell.env, cell.arms): cell for cell in self.cells}


class TableStudy(Study[Settings, Summary]):
    """Study of the paper's comparison."""

    name = "table"
    examples = """  nsa table --preset full --workers 2
  nsa table --drift published-table --json
  nsa table --agents state-of-the-art --envs switching,random-walk,needle --arms 10
  nsa table --from nsa-results/table-01234567.npz --format pdf"""
    presets = {
        "paper": DEFAULT,
        "full": dataclasses.replace(DEFAULT, repetitions=40),
        "quick": dataclasses.replace(DEFAULT, rounds=200, repetitions=3),
    }
    caption = Caption("The comparison", "Heat map of the mean regret of each agent for each bandit and number of arms.")

    def cells(self, settings: Settings) -> dict[str, Cell]:
        """Return a cell for each bandit, number of arms and agent; longest first, to balance workers."""
        made: dict[str, Cell] = {}
        for arms in sorted(settings.arms, reverse=True):
            for env in settings.envs:
                options = {"preset": "published-table"} if (env, settings.drift) == ("MAB-D", "published-table") else {}
                games = settings.games(env, arms, options)
                for agent in settings.agents:
                    made[cell_name(env, arms, agent)] = GamesCell(games, agent)
        return made

    def summary(self, results: Results[Settings, Summary]) -> Summary:
        """Return the comparison in every cell, and totals."""
        settings = results.settings
        agents = settings.agents
        cells = [compare(results.cells, env, arms, agents) for env in settings.envs for arms in settings.arms]
        return _summed_up(cells, agents, totals(cells, agents))

    def tables(self, results: Results[Settings, Summary]) -> list[Table]:
        """Return tables of regret, published regret beside the paper's, and cells won."""
        found, settings = results.summary, results.settings
        header = ["bandit", "agent", *(f"K={k}" for k in settings.arms)]
        right = range(2, len(header))
        title = (
            f"regret of eq. (1) ± half its 95% interval; * best, = level with it (paired t-test, 5%); "
            f"{settings.length}; MAB-D: {settings.drift}"
        )
        published = "published regret, ours | the paper's mean(sd); ! more than two standard errors apart"
        return [
            Table(title, header, _grid(found, settings, _regret_text), right),
            Table(published, header, _grid(found, settings, _published_text), right),
            _won(found, settings),
        ]

    def rows(self, results: Results[Settings, Summary]) -> list[Row]:
        """Return a row for each bandit, number of arms and agent."""
        return comparison_rows(results.summary.cells)

    def claims(self, results: Results[Settings, Summary]) -> list[Claim]:
        """Return the claims of the paper about NSA in general, and about many arms."""
        return claims(results.summary)

    def exports(self, results: Results[Settings, Summary]) -> list[Export]:
        """Return CSV, Markdown and LaTeX files."""
        return [
            Export("csv", "csv", csv_text(self.rows(results))),
            Export("markdown", "md", formats.markdown(results.summary, results.settings)),
            Export("latex", "tex", formats.latex(results.summary, results.settings)),
        ]


STUDY = TableStudy()


def _summed_up(cells: list[Comparison], agents: tuple[str, ...], won: Totals) -> Summary:
    compared = [
        (agent, abs(found.published_regret.mean - found.paper.mean), found.paper.z)
        for cell in cells
        for agent, found in cell.agents.items()
        if found.paper is not None and found.paper.z is not None
    ]
    deviations = {a: [deviation for agent, deviation, _ in compared if agent == a] for a in agents}
    return Summary(
        cells=cells,
        **vars(won),
        paper_cells=len(compared),
        paper_cells_within_2_se=sum(abs(z) <= 2 for _, _, z in compared),
        paper_mean_deviation={agent: float(np.mean(found)) for agent, found in deviations.items() if found},
        ranks=ranks(cells, agents),
    )


def _grid(found: Summary, settings: Settings, show: Callable[[Comparison, str], str]) -> list[list[str]]:
    """Return a row for each bandit and agent, with a cell for each number of arms."""
    places = found.by_place
    return [
        [env, agent, *(show(places[env, k], agent) for k in settings.arms)]
        for env in settings.envs
        for agent in settings.agents
    ]


def _regret_text(cell: Comparison, agent: str) -> str:
    mark = "*" if cell.best == agent else "=" if agent in cell.level else " "
    return cell.agents[agent].regret.text + mark


def _published_text(cell: Comparison, agent: str) -> str:
    ours, paper = cell.agents[agent].published_regret.mean, cell.agents[agent].paper
    if paper is None:
        return f"{ours:.2f}"
    mark = "!" if paper.z is not None and abs(paper.z) > 2 else " "
    return f"{ours:.2f} | {paper.mean:.2f}({paper.sd:.2f}){mark}"


def _won(found: Summary, settings: Settings) -> Table:
    rank = found.ranks.mean if found.ranks else {}
    rows = [
        [a, f"{found.mean_regret[a]:.3f}", str(found.cells_won[a]), str(found.cells_won_or_level[a])]
        + ([f"{rank[a]:.2f}" if a in rank else "–"] if rank else [])
        for a in sorted(settings.agents, key=lambda a: rank.get(a, np.inf))
    ]
    title = f"mean regret over the {len(found.cells)} cells, and cells won"
    if found.ranks:
        title += f"; mean ranks differ (Nemenyi, 5%) from {found.ranks.critical_difference:.2f} apart"
    if found.paper_cells:
        deviation = ", ".join(f"{agent} {value:.3f}" for agent, value in found.paper_mean_deviation.items())
        title += (
            f"; {found.paper_cells_within_2_se} of the paper's {found.paper_cells} cells lie within two standard "
            f"errors of ours, mean absolute deviation {deviation}"
        )
    header = ["agent", "mean regret", "cells won", "won or level", *["mean rank"] * bool(rank)]
    return Table(title, header, rows, range(1, 5))
