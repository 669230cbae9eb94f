"""``nsa standings``: rank of NSA among all tuned policies, on the paper's bandits and others."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass

import envs
from experiments.core.agents import STATE_OF_THE_ART, sees_the_bandit
from experiments.core.cells import Cell
from experiments.core.formats import csv_text
from experiments.core.game_settings import PAPER_BANDITS, GameSettings, bandits
from experiments.core.metrics import Ranks
from experiments.core.nsa_agents import is_nsa
from experiments.core.options import setting
from experiments.core.results import Results, Row
from experiments.core.study import Caption, Export, Study
from experiments.core.tables import Table
from experiments.studies.table.comparison import (
    Comparison,
    GamesCell,
    cell_name,
    compare,
    comparison_rows,
    ranks,
    totals,
)

OTHERS = ("switching", "random-walk", "reversal", "needle", "seasonal")


def places(names: Iterable[str], arms: Iterable[int]) -> Iterable[tuple[str, int]]:
    """Yield each bandit with each of its numbers of arms."""
    usual = envs.Bandit.default_arms
    for env in names:
        own = envs.BANDITS.get(env, envs.Bandit).default_arms
        yield from ((env, k) for k in (arms if own in (usual, None) else (own,)))


@dataclass(frozen=True, kw_only=True)
class Settings(GameSettings):
    """Bandits and numbers of arms. A bandit with a fixed number of arms is played with that one only."""

    agents: tuple[str, ...] = setting((STATE_OF_THE_ART,), "agents, comma separated, or state-of-the-art", "A,B")
    envs: tuple[str, ...] = bandits((*PAPER_BANDITS, *OTHERS))
    arms: tuple[int, ...] = setting((10, 100), "numbers of arms (reversal: always 2)", "K,L")

    def __post_init__(self) -> None:
        super().__post_init__()
        contenders = [agent for agent in self.agents if not sees_the_bandit(agent)]
        if len(contenders) < 3:
            raise ValueError(
                f"standings need at least 3 agents that do not see the bandit, got {', '.join(contenders)}"
            )
        if len(list(places(self.envs, self.arms))) < 2:
            raise ValueError("standings need at least 2 cells (bandits x numbers of arms), got 1")


DEFAULT = Settings()


@dataclass(frozen=True)
class Standing:
    """Ranks and totals over a group of cells."""

    cells: int
    ranks: Ranks
    mean_regret: dict[str, float]
    cells_won: dict[str, int]
    cells_won_or_level: dict[str, int]


@dataclass(frozen=True)
class Summary:
    """Standings over all cells (``all``) and groups of them, regret by bandit, and every cell."""

    standings: dict[str, Standing]
    regret_by_bandit: dict[str, dict[str, float]]
    cells: list[Comparison]

    @property
    def order(self) -> list[str]:
        """All agents: contenders by rank over all cells, then those that see the bandit."""
        overall = self.standings["all"]
        ranked = list(overall.ranks.mean)
        return ranked + [agent for agent in overall.mean_regret if agent not in ranked]


class StandingsStudy(Study[Settings, Summary]):
    """Study of NSA among all tuned policies."""

    name = "standings"
    examples = """  nsa standings --preset full --workers 2
  nsa standings --envs switching,needle --arms 10,100 --agents nsa,optimistic:tuned,vdbe:tuned,random"""
    presets = {
        "paper": DEFAULT,
        "full": dataclasses.replace(DEFAULT, arms=(5, 10, 50, 100, 200, 1000), repetitions=40),
        "quick": dataclasses.replace(DEFAULT, arms=(5,), rounds=100, repetitions=3),
    }
    caption = Caption(
        "Against the state of the art",
        "Left, mean regret of NSA and of every policy, with its tuned parameters, on each bandit, the paper's and "
        "others; right, each agent's mean rank with the critical difference. Those without a rank see the bandit: "
        "an oracle that starts anew at each change, and the best arm itself.",
    )

    def cells(self, settings: Settings) -> dict[str, Cell]:
        """Return a cell for each bandit, number of arms and agent; longest first, to balance workers."""
        longest_first = sorted(places(settings.envs, settings.arms), key=lambda place: -place[1])
        games = {(env, k): settings.games(env, k) for env, k in longest_first}
        return {
            cell_name(env, k, agent): GamesCell(games[env, k], agent)
            for env, k in longest_first
            for agent in settings.agents
        }

    def summary(self, results: Results[Settings, Summary]) -> Summary:
        """Return every cell, and standings over all cells, over the paper's bandits and over the others.

        Cells of one bandit with different numbers of arms are not independent, so critical differences are lower
        bounds.
        """
        settings = results.settings
        agents = settings.agents
        cells = [compare(results.cells, env, k, agents) for env, k in places(settings.envs, settings.arms)]
        groups = {
            "all": cells,
            "paper's": [cell for cell in cells if cell.env in PAPER_BANDITS],
            "others": [cell for cell in cells if cell.env not in PAPER_BANDITS],
        }
        standings = {}
        for name, group in groups.items():
            ranked = ranks(group, agents)
            if ranked is not None and (name == "all" or len(group) < len(cells)):
                standings[name] = Standing(len(group), ranked, **vars(totals(group, agents)))
        regret = {env: totals([cell for cell in cells if cell.env == env], agents).mean_regret for env in settings.envs}
        return Summary(standings, regret, cells)

    def tables(self, results: Results[Settings, Summary]) -> list[Table]:
        """Return tables of ranks, regrets and cells won, by group of cells, and of the regret by bandit."""
        found, settings = results.summary, results.settings
        groups = found.standings
        header = ["agent", *(f"{what}, {name}" for what in ("rank", "regret", "won/level") for name in groups)]
        rows = []
        for agent in found.order:
            row = [agent]
            row += [f"{g.ranks.mean[agent]:.2f}" if agent in g.ranks.mean else "–" for g in groups.values()]
            row += [f"{g.mean_regret[agent]:.3f}" for g in groups.values()]
            row += [f"{g.cells_won[agent]}/{g.cells_won_or_level[agent]}" for g in groups.values()]
            rows.append(row)
        apart = ", ".join(
            f"{group.ranks.critical_difference:.2f} ({name}, {group.cells} cells)" for name, group in groups.items()
        )
        told = f"mean rank, mean regret, cells won/won or level; ranks differ (Nemenyi, 5%) if they are {apart} apart"
        by_bandit = [
            [agent, *(f"{found.regret_by_bandit[env][agent]:.3f}" for env in settings.envs)] for agent in found.order
        ]
        return [
            Table(f"{headline(groups['all'].ranks)}; {told}; {settings.length}", header, rows, range(1, len(header))),
            Table(
                f"mean regret by bandit over its numbers of arms ({', '.join(map(str, settings.arms))})",
                ["agent", *settings.envs],
                by_bandit,
                range(1, 1 + len(settings.envs)),
            ),
        ]

    def rows(self, results: Results[Settings, Summary]) -> list[Row]:
        """Return a row for each bandit, number of arms and agent."""
        return comparison_rows(results.summary.cells)

    def exports(self, results: Results[Settings, Summary]) -> list[Export]:
        """Return a CSV file of the rows."""
        return [Export("csv", "csv", csv_text(self.rows(results)))]


STUDY = StandingsStudy()


def headline(ranked: Ranks) -> str:
    """Return the rank of the best NSA agent, or the first agent if there is none, as text."""
    means, apart = ranked.mean, ranked.critical_difference
    first, *_ = means
    nsa = next(filter(is_nsa, means), first)
    if nsa == first:
        return f"{first} is first of {len(means)}"
    told = "cannot be told" if means[nsa] - means[first] <= apart else "differs"
    return f"{nsa} is number {list(means).index(nsa) + 1} of {len(means)} and {told} from the first, {first}"
