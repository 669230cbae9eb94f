"""The comparison table as Markdown and LaTeX, for both measures of regret."""

from __future__ import annotations

from collections.abc import Callable
from math import isclose
from typing import TYPE_CHECKING

from experiments.core.agents import sees_the_bandit
from experiments.core.formats import Entry, Grid, latex_table, markdown_table
from experiments.studies.table.comparison import Comparison

if TYPE_CHECKING:
    from experiments.studies.table.study import Settings, Summary


def markdown(found: Summary, settings: Settings) -> str:
    """Return both tables as Markdown."""
    return "\n".join(map(markdown_table, grids(found, settings)))


def latex(found: Summary, settings: Settings) -> str:
    """Return both tables as LaTeX, for the package booktabs."""
    return "% \\usepackage{booktabs}\n" + "\n".join(map(latex_table, grids(found, settings)))


def grids(found: Summary, settings: Settings) -> list[Grid]:
    """Return the tables of the regret of eq. (1), and of the published regret beside the paper's."""
    played = f"{settings.length}; MAB-D: {settings.drift}."
    regret = (
        "Regret of eq. (1): mean over all rounds of the best arm's reward probability minus that of the chosen arm. "
        "Mean over games ± half of its 95% confidence interval (Student's t). Bold: the lowest mean and those that a "
        f"paired t-test (5%) does not distinguish from it, among agents that do not see the bandit. {played}"
    )
    published = (
        "Published regret, the measure of the paper's own table: the highest reward probability in the first round "
        "minus the mean reward in the last tenth of each trial. Mean over games (standard deviation), then the paper's "
        "mean (standard deviation) in brackets where it has one. Bold: the lowest of our means, without a test, among "
        f"agents that do not see the bandit. {played}"
    )
    return [_grid(regret, found, settings, _regret), _grid(published, found, settings, _published)]


def _grid(caption: str, found: Summary, settings: Settings, show: Callable[[Comparison, str], Entry]) -> Grid:
    """Return a table with a row for each bandit and agent, a column for each number of arms."""
    places = found.by_place
    rows = [
        [Entry(env), Entry(agent), *(show(places[env, k], agent) for k in settings.arms)]
        for env in settings.envs
        for agent in settings.agents
    ]
    return Grid(caption, ["bandit", "agent", *(f"K = {k}" for k in settings.arms)], rows)


def _regret(cell: Comparison, agent: str) -> Entry:
    regret = cell.agents[agent].regret
    half = f" ± {regret.ci95[1] - regret.mean:.3f}" if regret.ci95 else ""
    return Entry(f"{regret.mean:.3f}", agent in cell.level, half)


def _published(cell: Comparison, agent: str) -> Entry:
    ours, paper = cell.agents[agent].published_regret, cell.agents[agent].paper
    contenders = [name for name in cell.agents if not sees_the_bandit(name)] or list(cell.agents)
    lowest = min(cell.agents[name].published_regret.mean for name in contenders)
    after = "" if ours.sd is None else f" ({ours.sd:.3f})"
    after += "" if paper is None else f" [{paper.mean:.2f} ({paper.sd:.2f})]"
    return Entry(f"{ours.mean:.3f}", agent in contenders and isclose(ours.mean, lowest, abs_tol=1e-12), after)
