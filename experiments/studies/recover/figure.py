"""Figure of ``nsa recover``: fitted against true parameters, and the confusion matrix of agents."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.core.figures import house_style, new_figure
from experiments.core.results import Results
from experiments.studies.fit.genes import Gene
from experiments.studies.recover.study import RecoverSettings, RecoverSummary

BLUE = "#0072B2"

Found = Results[RecoverSettings, RecoverSummary]


def draw(results: Found) -> Figure:
    """Draw a row of panels for each agent, one for each free parameter, and the confusion matrix below."""
    candidates = results.settings.candidates
    columns = max(1, *(len(each.genes) for each in candidates.values()))
    rows = len(candidates)
    correlations = {(each.agent, each.parameter): each.correlation for each in results.summary.parameters}
    with house_style():
        figure = new_figure(max(6, 2.6 * columns), 2.4 * rows + 3)
        grid = figure.add_gridspec(rows + 1, columns, height_ratios=[*[2.4] * rows, 3])
        for row, (name, each) in enumerate(candidates.items()):
            cell = results.cells[f"{name}|{name}"]
            for i, gene in enumerate(each.genes):
                ax = figure.add_subplot(grid[row, i])
                draw_parameter(ax, gene, cell["true"][:, i], cell["values"][:, i])
                found = correlations[name, gene.name]
                ax.set_title(f"{name}: {gene.name}" + ("" if found is None else f"  r = {found:.2f}"), loc="left")
        draw_confusion(figure.add_subplot(grid[rows, :]), results.summary)
    return figure


def draw_parameter(ax: Axes, gene: Gene, true: np.ndarray, fitted: np.ndarray) -> Axes:
    """Draw fitted against true values; the line is where they are equal."""
    ax.plot(true, fitted, "o", color=BLUE, alpha=0.6, markersize=3)
    ends = [gene.range.low, gene.range.high]
    ax.plot(ends, ends, color="0.6", linewidth=0.8, zorder=0)
    if gene.range.scale == "log":
        ax.set_xscale("log")
        ax.set_yscale("log")
    ax.set_xlabel("true", fontsize=7)
    ax.set_ylabel("fitted", fontsize=7)
    ax.tick_params(labelsize=7)
    return ax


def draw_confusion(ax: Axes, summary: RecoverSummary) -> Axes:
    """Draw the share of the subjects of each agent (rows) for which each agent (columns) has the lowest BIC."""
    agents = list(summary.confusion)
    shares = np.array([list(row.values()) for row in summary.confusion.values()])
    ax.imshow(shares, vmin=0, vmax=1, cmap="Blues")
    for (i, j), share in np.ndenumerate(shares):
        ax.text(j, i, f"{share:.2f}", ha="center", va="center", color="white" if share > 0.5 else "black", fontsize=8)
    ax.set_xticks(range(len(agents)), agents, rotation=20, ha="right", fontsize=7)
    ax.set_yticks(range(len(agents)), agents, fontsize=7)
    ax.set_xlabel("lowest BIC")
    ax.set_ylabel("simulated")
    return ax
