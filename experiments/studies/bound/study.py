"""``nsa bound``: distance of agents to a near-Bayesian agent that knows the dynamics of the bandit."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from experiments.core.agents import sees_the_bandit
from experiments.core.cells import Arrays, Cell
from experiments.core.formats import csv_text
from experiments.core.game_settings import GameSettings, bandits
from experiments.core.metrics import Estimate, estimate
from experiments.core.options import setting
from experiments.core.results import Results, Row
from experiments.core.study import Caption, Export, Study
from experiments.core.tables import Table
from experiments.studies.table.comparison import Comparison, GamesCell, cell_name, compare
from nsa_brian.parameter_set import BEST

#: The agent that all are compared with.
BOUND = "oracle-bayes"
AGENTS = ("nsa", f"nsa:{BEST}", "aspiration:tuned", "optimistic:tuned", "thompson")


@dataclass(frozen=True, kw_only=True)
class Settings(GameSettings):
    """Agents, bandits and numbers of arms; ``oracle-bayes`` plays in any case."""

    agents: tuple[str, ...] = setting((*AGENTS, BOUND), "agents, comma separated", "A,B")
    envs: tuple[str, ...] = bandits()
    arms: tuple[int, ...] = setting((5, 10, 50, 100, 200), "numbers of arms, comma separated", "K,L")

    def __post_init__(self) -> None:
        if BOUND not in self.agents:
            object.__setattr__(self, "agents", (*self.agents, BOUND))
        super().__post_init__()
        if all(sees_the_bandit(agent) for agent in self.agents):
            raise ValueError("bound needs at least one agent that does not see the bandit, got none")


DEFAULT = Settings()


@dataclass(frozen=True)
class Summary:
    """Every cell; distance to the bound by cell, in the same games, and its mean by bandit and over all cells.

    Attributes
    ----------
    cells : list
        As in ``nsa table``.
    distance : dict
        By bandit, number of arms (as text) and agent: regret minus that of the bound, with its confidence interval.
    mean_regret, mean_distance : dict
        By bandit, or ``all``, and agent.
    """

    cells: list[Comparison]
    distance: dict[str, dict[str, dict[str, Estimate]]]
    mean_regret: dict[str, dict[str, float]]
    mean_distance: dict[str, dict[str, float]]

    @property
    def by_place(self) -> dict[tuple[str, int], Comparison]:
        """Cells by bandit and number of arms."""
        return {(cell.env, cell.arms): cell for cell in self.cells}


class BoundStudy(Study[Settings, Summary]):
    """Study of the distance to the bound."""

    name = "bound"
    examples = """  nsa bound --workers 2
  nsa bound --agents nsa,nsa:minbandit-38 --envs MAB-P --arms 5,50 --json
  nsa bound --from nsa-results/bound-01234567.npz --format pdf"""
    presets = {
        "paper": DEFAULT,
        "full": dataclasses.replace(DEFAULT, arms=(5, 10, 50, 100, 200, 1000), repetitions=40),
        "quick": dataclasses.replace(DEFAULT, arms=(5, 20), rounds=200, repetitions=3),
    }
    caption = Caption(
        "Distance to the bound",
        "Regret of agents over the number of arms, for each bandit, with 95% confidence intervals; the lowest line is "
        "a near-Bayesian agent that knows how the bandit changes, but not its probabilities.",
    )

    def cells(self, settings: Settings) -> dict[str, Cell]:
        """Return a cell for each bandit, number of arms and agent; longest first, to balance workers."""
        made: dict[str, Cell] = {}
        for arms in sorted(settings.arms, reverse=True):
            for env in settings.envs:
                games = settings.games(env, arms)
                for agent in settings.agents:
                    made[cell_name(env, arms, agent)] = GamesCell(games, agent)
        return made

    def summary(self, results: Results[Settings, Summary]) -> Summary:
        """Return cells and distances."""
        settings, cells = results.settings, results.cells
        compared = [compare(cells, env, k, settings.agents) for env in settings.envs for k in settings.arms]
        distance = {
            env: {str(k): _distances(cells, env, k, settings.agents) for k in settings.arms} for env in settings.envs
        }
        groups = {env: [cell for cell in compared if cell.env == env] for env in settings.envs} | {"all": compared}
        regret = {
            group: {a: float(np.mean([cell.agents[a].regret.mean for cell in found])) for a in settings.agents}
            for group, found in groups.items()
        }
        beyond = {group: {a: found[a] - found[BOUND] for a in found if a != BOUND} for group, found in regret.items()}
        return Summary(compared, distance, regret, beyond)

    def tables(self, results: Results[Settings, Summary]) -> list[Table]:
        """Return a table of distances by bandit and number of arms, and one of their means."""
        found, settings = results.summary, results.settings
        others = [agent for agent in settings.agents if agent != BOUND]
        rows = []
        for env in settings.envs:
            bound = [found.by_place[env, k].agents[BOUND].regret.text for k in settings.arms]
            rows.append([env, f"{BOUND} (oracle): regret", *bound])
            for agent in others:
                rows.append([env, agent, *(_signed(found.distance[env][str(k)][agent]) for k in settings.arms)])
        header = ["bandit", "agent", *(f"K={k}" for k in settings.arms)]
        title = (
            f"regret above that of {BOUND} in the same games ± half its 95% interval; {BOUND} knows the dynamics of "
            f"the bandit, not its probabilities; {settings.length}"
        )
        groups = list(found.mean_regret)
        means = [[agent, *(_mean_text(found, group, agent) for group in groups)] for agent in (BOUND, *others)]
        return [
            Table(title, header, rows, range(2, len(header))),
            Table("mean regret over the numbers of arms (above the bound)", ["agent", *groups], means, range(1, 9)),
        ]

    def rows(self, results: Results[Settings, Summary]) -> list[Row]:
        """Return a row for each bandit, number of arms and agent."""
        found = results.summary
        rows: list[Row] = []
        for cell in found.cells:
            for agent, measured in cell.agents.items():
                low, high = measured.regret.ci95 or (None, None)
                beyond = found.distance[cell.env][str(cell.arms)].get(agent)
                rows.append(
                    {
                        "env": cell.env,
                        "arms": cell.arms,
                        "agent": agent,
                        "regret": measured.regret.mean,
                        "regret_low": low,
                        "regret_high": high,
                        "distance": beyond.mean if beyond else 0.0,
                        "distance_low": beyond.ci95[0] if beyond and beyond.ci95 else None,
                        "distance_high": beyond.ci95[1] if beyond and beyond.ci95 else None,
                    }
                )
        return rows

    def exports(self, results: Results[Settings, Summary]) -> list[Export]:
        """Return a CSV file of the rows."""
        return [Export("csv", "csv", csv_text(self.rows(results)))]


STUDY = BoundStudy()


def _distances(cells: dict[str, Arrays], env: str, arms: int, agents: tuple[str, ...]) -> dict[str, Estimate]:
    """Return the distance of each agent to the bound, paired by game."""
    bound = cells[cell_name(env, arms, BOUND)]["regret"]
    return {a: estimate(cells[cell_name(env, arms, a)]["regret"] - bound) for a in agents if a != BOUND}


def _signed(distance: Estimate) -> str:
    """Return a distance with its sign and half of its confidence interval."""
    return ("" if distance.mean < 0 else "+") + distance.text


def _mean_text(found: Summary, group: str, agent: str) -> str:
    regret = f"{found.mean_regret[group][agent]:.3f}"
    return regret if agent == BOUND else f"{regret} ({found.mean_distance[group][agent]:+.3f})"
