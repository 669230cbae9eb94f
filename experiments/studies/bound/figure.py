"""Figure of ``nsa bound``: regret over the number of arms, with the bound as the lowest line."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.core.figures import house_style, new_figure, style_of
from experiments.core.results import Results
from experiments.studies.bound.study import BOUND, Settings, Summary


def draw(results: Results[Settings, Summary]) -> Figure:
    """Draw a panel for each bandit."""
    found, settings = results.summary, results.settings
    columns = min(2, len(settings.envs))
    rows = -(-len(settings.envs) // columns)
    with house_style():
        figure = new_figure(1.8 + 3.2 * columns, 0.5 + 2.4 * rows)
        axes = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for ax, env in zip(axes.flat, settings.envs, strict=False):
            draw_bandit(ax, found, settings, env)
            ax.set_title(env, loc="left")
        for ax in list(axes.flat)[len(settings.envs) :]:
            ax.set_visible(False)
        for ax in axes[-1]:
            ax.set_xlabel("arms")
        for ax in axes[:, 0]:
            ax.set_ylabel("regret")
        axes[0, 0].set_ylim(bottom=0)  # last, as it turns autoscaling off
        axes[0, -1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def draw_bandit(ax: Axes, found: Summary, settings: Settings, env: str) -> Axes:
    """Draw the regret of each agent with its 95% interval; what lies below the bound is grey."""
    arms = sorted(settings.arms)
    for agent in settings.agents:
        regrets = [found.by_place[env, k].agents[agent].regret for k in arms]
        means = [regret.mean for regret in regrets]
        style = {"color": "black", "linewidth": 1.5} if agent == BOUND else style_of(agent, settings.agents)
        intervals = [regret.ci95 for regret in regrets if regret.ci95]
        if intervals:
            low, high = zip(*intervals, strict=True)
            ax.fill_between(arms, low, high, color=style["color"], alpha=0.15, linewidth=0)
        if agent == BOUND:
            ax.fill_between(arms, 0, means, color="0.9", linewidth=0, zorder=0)
        ax.plot(arms, means, marker="o", markersize=3, label=agent, **style)
    ax.set_xscale("log")
    ax.set_xticks(arms, [str(k) for k in arms])
    ax.minorticks_off()
    return ax
