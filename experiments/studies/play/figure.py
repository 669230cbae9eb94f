"""Figure of ``nsa play``: reward over time, choices, and their entropy."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from experiments.core import metrics
from experiments.core.figures import house_style, new_figure, style_of
from experiments.core.model_inputs import perturbed, values_for
from experiments.core.nsa_agents import is_nsa
from experiments.studies.play.study import PlayResults, number_of_games


def draw(results: PlayResults) -> Figure:
    """Draw expected reward and entropy of all agents, and below a raster for each agent."""
    agents = list(results.records)
    with house_style():
        figure = new_figure(9, 5.2 + 1.1 * len(agents))
        grid = figure.add_gridspec(2 + len(agents), 1, height_ratios=[2.6, 1.6, *[1.1] * len(agents)])
        top = figure.add_subplot(grid[0])
        axes = [top, *(figure.add_subplot(grid[i], sharex=top) for i in range(1, 2 + len(agents)))]
        draw_reward(axes[0], results)
        draw_entropy(axes[1], results)
        for ax, agent in zip(axes[2:], agents, strict=True):
            draw_choices(ax, results, agent)
        for ax in axes:
            mark_trials(ax, results)
            shade_inputs(ax, results)
        label_inputs(axes[0], results)
        for ax in axes[:-1]:
            ax.tick_params(labelbottom=False)
        axes[-1].set_xlabel("round")
    return figure


def draw_reward(ax: Axes, results: PlayResults) -> Axes:
    """Draw the expected reward of each agent, of chance and of the best arm, mean over games."""
    settings = results.settings
    window = smoothing(settings.n_rounds)
    records = results.records
    bandit = next(iter(records.values()))
    ax.plot(bandit.best.mean(axis=0), color="black", linewidth=1, label="best arm")
    for agent, record in records.items():
        curve = metrics.smooth(record.expected.mean(axis=0), window)
        ax.plot(curve, label=f"{agent} ({metrics.regret(record).mean():.3f})", **style_of(agent, list(records)))
    ax.plot(bandit.chance.mean(axis=0), color="black", linewidth=1, linestyle=(0, (1, 3)), label="chance")
    ax.set_title(f"{settings.env}, {settings.arms} arms, mean of {number_of_games(settings)}", loc="left")
    ax.set_ylabel(f"expected reward\n(mean of {window} rounds)")
    ax.set_ylim(0, 1.02)
    ax.legend(title="agent (regret)", loc="center left", bbox_to_anchor=(1.0, 0.5))
    return ax


def draw_entropy(ax: Axes, results: PlayResults) -> Axes:
    """Draw the entropy of the last 20 choices, mean over games."""
    window = smoothing(results.settings.n_rounds)
    for agent, record in results.records.items():
        entropy = metrics.choice_entropy(record.arms).mean(axis=0)
        ax.plot(metrics.smooth(entropy, window), **style_of(agent, list(results.records)))
    ax.set_ylabel("choice entropy\n(nats)")
    ax.set_ylim(bottom=0)
    return ax


def draw_choices(ax: Axes, results: PlayResults, agent: str) -> Axes:
    """Draw the arms chosen in the first game, and the best arm."""
    record = results.records[agent]
    rounds = np.arange(record.arms.shape[1])
    ax.plot(rounds, record.best_arm[0], color="0.8", linewidth=0, marker="s", markersize=2.6)
    color = style_of(agent, list(results.records))["color"]
    ax.plot(rounds, record.arms[0], color=color, linewidth=0, marker=".", markersize=1.6)
    ax.set_ylim(-0.7, results.settings.arms - 0.3)
    ax.set_ylabel("arm")
    ax.set_title(f"{agent}: choices in game 1 (grey band: the best arm)", loc="left", pad=2)
    ax.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    return ax


def mark_trials(ax: Axes, results: PlayResults) -> Axes:
    """Draw dashed lines at the start of trials."""
    settings = results.settings
    for trial in range(1, settings.trials):
        ax.axvline(trial * settings.rounds, color="grey", linestyle="--", linewidth=0.8, zorder=0)
    ax.set_xlim(0, settings.n_rounds)
    return ax


def shade_inputs(ax: Axes, results: PlayResults) -> Axes:
    """Shade the rounds in which an input differs from its default."""
    for spans in perturbed_rounds(results).values():
        bars = [(first, end - first) for first, end in spans]
        ax.broken_barh(
            bars, (0, 1), color="#F0E442", alpha=0.3, linewidth=0, zorder=0, transform=ax.get_xaxis_transform()
        )
    return ax


def label_inputs(ax: Axes, results: PlayResults) -> Axes:
    """Label the first shaded rounds of each input with its name, and with its value if it is constant."""
    begins: dict[int, list[str]] = {}
    for name, ((first, end), *_) in perturbed_rounds(results).items():
        values = np.unique(results.inputs[name][first:end])
        begins.setdefault(first, []).append(f"{name} = {values[0]:g}" if len(values) == 1 else name)
    for first, names in begins.items():
        ax.text(first, 1, f" {', '.join(names)}", va="top", fontsize=8, color="0.3", transform=ax.get_xaxis_transform())
    return ax


def perturbed_rounds(results: PlayResults) -> dict[str, list[tuple[int, int]]]:
    """Return the intervals of rounds in which inputs differ from their defaults, by name."""
    settings = results.settings
    found: dict[str, list[tuple[int, int]]] = {}
    for agent in filter(is_nsa, settings.agents):
        model = settings.nsa_agent(agent).model
        for name in values_for(model, results.inputs):
            default = model.structure.inputs[name].default if model else 0.0
            found[name] = perturbed(results.inputs[name][: settings.n_rounds], default)
    return {name: spans for name, spans in found.items() if spans}


def smoothing(n_rounds: int) -> int:
    """Return the number of rounds to average over: 50, or less in a short game."""
    return max(1, min(50, n_rounds // 20))
