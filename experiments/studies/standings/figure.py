"""Figure of ``nsa standings``: regret by bandit, and ranks with their critical difference."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from experiments.core.figures import house_style, new_figure
from experiments.core.results import Results
from experiments.studies.standings.study import Settings, Summary
from experiments.studies.table.figure import draw_map, draw_ranks

#: Marker and label of groups of cells shown beside the rank over all cells.
GROUPS = {"paper's": ("|", "paper's bandits"), "others": ("x", "other bandits")}


def draw(results: Results[Settings, Summary]) -> Figure:
    """Draw regret by agent, best on top, and bandit on the left, mean ranks on the right."""
    standings, regret, agents = results.summary.standings, results.summary.regret_by_bandit, results.summary.order
    grid = np.array([[of_env[agent] for of_env in regret.values()] for agent in agents])
    with house_style():
        width = 0.6 * max(len(regret), 6)
        figure = new_figure(6.5 + width, 1.5 + 0.27 * len(agents))
        left, right = figure.subplots(1, 2, width_ratios=[width, 4.6])
        lowest = grid[: len(standings["all"].ranks.mean)].min(axis=0)
        draw_map(left, grid, grid.max(), bold=grid == lowest)
        left.set_xticks(range(len(regret)), list(regret), rotation=35, ha="right", rotation_mode="anchor")
        left.set_yticks(range(len(agents)), agents)
        left.set_title("mean regret by bandit (bold: lowest)", loc="left")
        draw_ranks(right, standings["all"].ranks)
        for group, (marker, label) in GROUPS.items():
            if group in standings:
                means = standings[group].ranks.mean
                rows = [agents.index(agent) for agent in means]
                right.plot(list(means.values()), rows, marker, color="black", markersize=5, label=label)
        if right.get_legend_handles_labels()[0]:
            right.legend(loc="lower left", fontsize=8)
        right.set_title("mean rank over all cells", loc="left")
        right.set_ylim(left.get_ylim())
        right.set_yticks(range(len(agents)), [])
    return figure
