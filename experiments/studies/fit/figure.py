"""Figure of ``nsa fit``: comparison of agents, predictive check, and choices with probabilities by subject."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from experiments.core.cells import Arrays
from experiments.core.figures import house_style, new_figure, style_of
from experiments.core.metrics import smooth
from experiments.core.results import Results
from experiments.studies.fit.cell import by_subject
from experiments.studies.fit.settings import FitSettings
from experiments.studies.fit.study import FitSummary

#: Subjects that are drawn.
MOST_SUBJECTS = 6
#: Trials over which probabilities are averaged.
WINDOW = 10
#: Colours of the arms.
ARMS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")

Found = Results[FitSettings, FitSummary]


def draw(results: Found) -> Figure:
    """Draw the comparison above, then the predictive check, then two panels for each of the first subjects."""
    summary, settings = results.summary, results.settings
    subjects = list(dict.fromkeys(fit.subject for fit in summary.fits))[:MOST_SUBJECTS]
    checks = bool(summary.predictive)
    with house_style():
        figure = new_figure(10, 3 + 2.6 * checks + 2.3 * len(subjects))
        grid = figure.add_gridspec(1 + checks + len(subjects), 4)
        draw_fits(figure.add_subplot(grid[0, :2]), results)
        draw_exceedance(figure.add_subplot(grid[0, 2:]), summary)
        if checks:
            draw_curves(figure.add_subplot(grid[1, :2]), summary)
            draw_rates(figure.add_subplot(grid[1, 2:]), summary)
        fits = {agent: by_subject(results.cells[agent]) for agent in settings.agents}
        for i, subject in enumerate(subjects):
            cells = {agent: fits[agent][subject] for agent in settings.agents}
            left = figure.add_subplot(grid[1 + checks + i, :2])
            draw_probabilities(left, cells)
            left.set_title(f"subject {subject}: probability of the choice (mean of {WINDOW} trials)", loc="left")
            draw_choices(figure.add_subplot(grid[1 + checks + i, 2:]), cells)
    return figure


def draw_fits(ax: Axes, results: Found) -> Axes:
    """Draw the nats a choice of each agent, a dot for each subject, and chance."""
    summary, agents = results.summary, list(results.summary.agents)
    for i, name in enumerate(agents):
        each = [fit.nats_per_choice for fit in summary.fits if fit.agent == name]
        style = style_of(name, agents)
        spread = np.linspace(-0.2, 0.2, len(each)) if len(each) > 1 else np.zeros(1)
        ax.plot(i + spread, each, ".", color=style["color"], alpha=0.5, markersize=4)
        ax.plot([i - 0.3, i + 0.3], [summary.agents[name].nats_per_choice] * 2, color=style["color"], linewidth=2)
    ax.axhline(summary.chance_nats_per_choice, color="0.5", linewidth=1, linestyle=":")
    ax.set_xticks(range(len(agents)), agents, rotation=20, ha="right", fontsize=7)
    ax.set_ylabel("nats a choice")
    ax.set_title("fit: dots are subjects, dotted is chance; lower is better", loc="left")
    return ax


def draw_exceedance(ax: Axes, summary: FitSummary) -> Axes:
    """Draw expected frequencies and protected exceedance probabilities of the agents."""
    agents = list(summary.agents)
    places = np.arange(len(agents))
    ax.bar(places - 0.2, [each.frequency for each in summary.agents.values()], 0.38, color="0.75", label="frequency")
    protected = [each.protected_exceedance_probability for each in summary.agents.values()]
    ax.bar(places + 0.2, protected, 0.38, color="#0072B2", label="protected exceedance probability")
    ax.set_xticks(places, agents, rotation=20, ha="right", fontsize=7)
    ax.set_ylim(0, 1)
    ax.set_title(f"random effects; omnibus risk {summary.bayesian_omnibus_risk:.2f}", loc="left")
    ax.legend(fontsize=7)
    return ax


def draw_curves(ax: Axes, summary: FitSummary) -> Axes:
    """Draw the learning curves of subjects and of simulations."""
    for name, found in summary.predictive.items():
        x = (np.arange(len(found.reward)) + 0.5) / len(found.reward)
        ax.plot(x, np.array(found.reward, dtype=float), label=name, **_style(name, list(summary.agents)))
    ax.set_xlabel("part of a game")
    ax.set_ylabel("mean reward")
    ax.set_title("predictive check: learning curve", loc="left")
    ax.legend(fontsize=7)
    return ax


def draw_rates(ax: Axes, summary: FitSummary) -> Axes:
    """Draw rates of switches, win-stay and lose-shift of subjects and of simulations."""
    names = list(summary.predictive)
    width = 0.8 / len(names)
    for i, (name, found) in enumerate(summary.predictive.items()):
        heights = np.array([found.switch, found.win_stay, found.lose_shift], dtype=float)
        ax.bar(np.arange(3) + (i - (len(names) - 1) / 2) * width, heights, width,
               color=_style(name, list(summary.agents))["color"], label=name)  # fmt: skip
    ax.set_xticks(range(3), ["switch", "win-stay", "lose-shift"])
    ax.set_ylim(0, 1)
    ax.set_title("predictive check: rates", loc="left")
    return ax


def draw_probabilities(ax: Axes, cells: dict[str, Arrays]) -> Axes:
    """Draw the probability that each agent gives to the choices of a subject."""
    for name, found in cells.items():
        likely = found["probabilities"][np.arange(len(found["arms"])), found["arms"]]
        ax.plot(smooth(likely, min(WINDOW, len(likely))), label=name, **style_of(name, list(cells)))
    first = next(iter(cells.values()))
    ax.plot(1 / first["n_offered"], color="0.5", linewidth=0.8, linestyle=":")
    ax.set_ylim(0, 1)
    ax.set_xlabel("trial")
    return _mark_games(ax, first)


def draw_choices(ax: Axes, cells: dict[str, Arrays]) -> Axes:
    """Draw the choices, filled where they paid, and the first agent's weights of the arms."""
    name, found = next(iter(cells.items()))
    weights, n_arms = found["weights"], found["weights"].shape[1]
    highest = np.nanmax(weights) if np.isfinite(weights).any() else 1.0
    lowest = min(0.0, float(np.nanmin(weights))) if np.isfinite(weights).any() else 0.0
    trials = np.arange(len(found["arms"]))
    for arm in range(n_arms):
        color = ARMS[arm % len(ARMS)]
        ax.plot(trials, (weights[:, arm] - lowest) / max(highest - lowest, 1e-12), color=color, linewidth=1)
        for paid in (True, False):
            here = (found["arms"] == arm) & ((found["rewards"] >= 0.5) == paid)
            height = np.full(here.sum(), 1.08 + 0.07 * arm)
            fill: Any = color if paid else "white"
            ax.plot(trials[here], height, "o", color=color, markerfacecolor=fill, markersize=2, markeredgewidth=0.4)
    ax.set_title(f"choices (filled: rewarded) and weights of {name}", loc="left")
    ax.set_ylim(-0.02, 1.15 + 0.07 * n_arms)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_yticks([0, 1], [f"{lowest:.2g}", f"{highest:.2g}"])
    ax.set_xlabel("trial")
    return _mark_games(ax, found)


def _mark_games(ax: Axes, found: Arrays) -> Axes:
    for start in np.flatnonzero(np.diff(found["game"])) + 1:
        ax.axvline(start - 0.5, color="grey", linestyle="--", linewidth=0.6, zorder=0)
    return ax


def _style(name: str, agents: Sequence[str]) -> dict[str, Any]:
    return {"color": "black", "linewidth": 2.0} if name == "subjects" else style_of(name, agents)
