"""Figure of ``nsa noise``: regret against the strength of noise."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.core.figures import house_style, new_figure, style_of
from experiments.core.metrics import Estimate
from experiments.core.nsa_agents import is_nsa
from experiments.core.results import Results
from experiments.studies.noise.study import Player, Settings, Summary


def draw(results: Results[Settings, Summary]) -> Figure:
    """Draw a panel for each bandit."""
    found, settings = results.summary.regret, results.settings
    columns = min(2, len(found))
    rows = -(-len(found) // columns)
    with house_style():
        figure = new_figure(1.5 + 3.4 * columns, 0.5 + 2.4 * rows)
        axes = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for ax, (env, of_env) in zip(axes.flat, found.items(), strict=False):
            draw_bandit(ax, of_env, settings)
            ax.set_title(f"{env}, {settings.arms} arms", loc="left")
        for ax in list(axes.flat)[len(found) :]:
            ax.set_visible(False)
        for ax in axes[-1]:
            ax.set_xlabel("noise (sd of the activity by noise alone)")
        for ax in axes[:, 0]:
            ax.set_ylabel("regret")
        axes[0, 0].set_ylim(bottom=0)  # last, as it turns autoscaling off
        axes[0, -1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def draw_bandit(ax: Axes, of_env: dict[Player, Estimate], settings: Settings) -> Axes:
    """Draw the regret of NSA agents with its 95% interval at each strength, and other agents as lines."""
    agents, strengths = settings.agents, settings.strengths
    for agent in filter(is_nsa, agents):
        regrets = [of_env[Player(agent, strength)] for strength in strengths]
        color = style_of(agent, agents)["color"]
        means = [regret.mean for regret in regrets]
        intervals = [regret.ci95 for regret in regrets if regret.ci95]
        if intervals:
            low, high = zip(*intervals, strict=True)
            ax.fill_between(strengths, low, high, color=color, alpha=0.2, linewidth=0, label="95% interval")
        ax.plot(strengths, means, color=color, marker="o", markersize=4, label=agent)
    for name in agents:
        if not is_nsa(name):
            ax.axhline(of_env[Player(name)].mean, label=name, **style_of(name, agents))
    return ax
