"""Figure of ``nsa entropy``."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from experiments.core.figures import house_style, new_figure, style_of
from experiments.core.metrics import smooth
from experiments.core.results import Results
from experiments.studies.entropy.games import entropy_over_time, first_choices, over_time_cell
from experiments.studies.entropy.study import MEASURES, Settings, Summary


def draw(results: Results[Settings, Summary]) -> Figure:
    """Draw part (a) on the left, one raster per agent, and part (b) on the right, for trials 1 and 2."""
    agents = results.settings.agents
    with house_style():
        figure = new_figure(12, 1.4 + max(1.35 * len(agents), 5.6))
        left, right = cast(Any, figure.subfigures(1, 2, width_ratios=[1.15, 1]))
        rasters = left.subplots(len(agents), 1, sharex=True, squeeze=False)[:, 0]
        for ax, agent in zip(rasters, agents, strict=True):
            draw_raster(ax, results, agent)
        rasters[-1].set_xlabel("round")
        curves = right.subplots(len(MEASURES), 2, sharex=True, sharey="row")
        for row, (measure, label) in enumerate(MEASURES.items()):
            for trial in range(2):
                draw_curves(curves[row, trial], results, measure, trial)
            curves[row, 0].set_ylabel(label.replace(" (", "\n("))
        for trial in range(2):
            curves[0, trial].set_title(f"trial {trial + 1}", loc="left")
            curves[-1, trial].set_xlabel("entropy of the rewards (nats)")
        right.legend(
            *curves[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=len(agents), fontsize=8
        )
    return figure


def draw_raster(ax: Axes, results: Results[Settings, Summary], agent: str) -> Axes:
    """Draw the arms chosen in one game, and the entropy of the last 20 choices, mean over games."""
    settings, found = results.settings, results.cells[over_time_cell(agent)]
    arms = first_choices(found)
    rounds = np.arange(len(arms))
    ax.plot(rounds, found["best_arm"], color="0.8", linewidth=0, marker="s", markersize=2.4)
    ax.plot(rounds, arms, color="black", linewidth=0, marker=".", markersize=1.2)
    ax.set_ylim(-0.7, settings.arms - 0.3)
    ax.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    ax.set_ylabel("arm")
    ax.set_xlim(0, len(rounds))
    for trial in range(1, settings.trials):
        ax.axvline(trial * settings.rounds, color="grey", linestyle="--", linewidth=0.8)
    twin = ax.twinx()
    twin.plot(rounds, smooth(entropy_over_time(found), 30), color="#D55E00", linewidth=1.2)
    twin.set_ylim(0, np.log(settings.arms) * 1.05)
    twin.set_ylabel("H (nats)", color="#D55E00")
    twin.spines["right"].set_visible(True)
    reward, entropy = found["total_reward"].mean(), found["mean_entropy"].mean()
    ax.set_title(f"{agent}: total reward {reward:.0f}, mean entropy H = {entropy:.2f}", loc="left", pad=2)
    return ax


def draw_curves(ax: Axes, results: Results[Settings, Summary], measure: str, trial: int) -> Axes:
    """Draw one measure of all agents in one trial against the entropy of the rewards."""
    levels, agents = results.summary.by_certainty, results.settings.agents
    x = [level.reward_entropy for level in levels]
    for agent in agents:
        y = [getattr(level.agents[agent], measure)[trial] for level in levels]
        ax.plot(x, y, marker="o", markersize=3, label=agent, **style_of(agent, agents))
    ax.set_ylim(bottom=0)
    return ax
