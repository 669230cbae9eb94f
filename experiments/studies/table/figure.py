"""Figure of ``nsa table``: the comparison as heat maps, and ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from experiments.core.figures import AGENT_STYLE, house_style, new_figure
from experiments.core.metrics import Ranks
from experiments.core.nsa_agents import is_nsa
from experiments.core.results import Results

if TYPE_CHECKING:
    from experiments.studies.table.study import Settings, Summary


def draw(results: Results[Settings, Summary]) -> Figure:
    """Draw a heat map of regret for each bandit, agents by numbers of arms, and the ranks."""
    found, settings = results.summary, results.settings
    envs, arms, agents, by_place = settings.envs, settings.arms, settings.agents, found.by_place
    columns = min(2, len(envs))
    rows = -(-len(envs) // columns)
    highest = max(values.regret.mean for cell in found.cells for values in cell.agents.values())
    with house_style():
        names = max(len(agent) for agent in agents) / 14  # approximate width in inches
        map_height, rank_height = 0.7 + 0.36 * len(agents), 0.9 + 0.22 * len(agents) if found.ranks else 0.0
        figure = new_figure(1.6 + columns * (names + 0.62 * len(arms)), 0.9 + rows * map_height + rank_height)
        heights = [map_height] * rows + [rank_height] * bool(found.ranks)
        grid_spec = figure.add_gridspec(len(heights), columns, height_ratios=heights)
        axes = [figure.add_subplot(grid_spec[i, j]) for i in range(rows) for j in range(columns)]
        for ax, env in zip(axes, envs, strict=False):
            grid = np.array([[by_place[env, k].agents[a].regret.mean for k in arms] for a in agents])
            best = np.array([[by_place[env, k].best == agent for k in arms] for agent in agents])
            level = np.array([[agent in by_place[env, k].level for k in arms] for agent in agents])
            image = draw_map(ax, grid, highest, best, level)
            ax.set_xticks(range(len(arms)), [str(k) for k in arms])
            ax.set_yticks(range(len(agents)), agents)
            ax.set_title(env, loc="left")
            ax.set_xlabel("arms")
        for ax in axes[len(envs) :]:
            ax.set_visible(False)
        if found.ranks:
            draw_ranks(figure.add_subplot(grid_spec[rows, :]), found.ranks)
        bar = figure.colorbar(image, ax=list(axes[: len(envs)]), shrink=0.6)
        bar.set_label("regret (bold: lowest, *: level with it)")
    return figure


def draw_map(
    ax: Axes, grid: np.ndarray, highest: float, bold: np.ndarray, starred: np.ndarray | None = None
) -> AxesImage:
    """Draw regrets as a heat map with numbers, some in bold, some with a star; ``highest`` is black."""
    image = ax.imshow(grid, cmap="Greys", vmin=0, vmax=highest, aspect="auto")
    for (row, column), value in np.ndenumerate(grid):
        star = "*" if starred is not None and starred[row, column] else ""
        ax.text(
            column, row, f"{value:.2f}".removeprefix("0") + star, ha="center", va="center", fontsize=8,
            color="white" if value > 0.55 * highest else "black",
            fontweight="bold" if bold[row, column] else "normal",
        )  # fmt: skip
    ax.tick_params(length=0)
    for side in ("left", "bottom"):
        ax.spines[side].set_visible(False)
    return image


def draw_ranks(ax: Axes, ranks: Ranks) -> Axes:
    """Draw the mean rank of each agent, best on top; overlapping bars are not significantly different."""
    means, half = ranks.mean, ranks.critical_difference / 2
    for place, (agent, mean) in enumerate(means.items()):
        color = AGENT_STYLE["nsa"]["color"] if is_nsa(agent) else "0.4"
        ax.plot([mean - half, mean + half], [place, place], color=color, linewidth=3, alpha=0.35)
        ax.plot(mean, place, "o", color=color, markersize=5)
    best = next(iter(means.values()))
    ax.axvspan(best - half, best + half, color="0.92", zorder=0)
    ax.set_yticks(range(len(means)), list(means))
    ax.invert_yaxis()
    ax.set_xlim(0.5 - half, len(means) + 0.5 + half)
    ax.set_xlabel("bars that overlap cannot be told apart (Nemenyi, 5%); grey: the best's")
    ax.set_title("mean rank over the cells", loc="left")
    return ax
