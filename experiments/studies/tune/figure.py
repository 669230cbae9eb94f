"""Figure of ``nsa tune``: regret against each parameter."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import baselines
from experiments.core.cells import Arrays
from experiments.core.figures import house_style, new_figure
from experiments.core.results import Results
from experiments.studies.tune.study import Settings, Summary

BLUE, ORANGE = "#0072B2", "#D55E00"


def draw(results: Results[Settings, Summary]) -> Figure:
    """Draw a row for each policy, with a panel for each of its parameters."""
    found = results.summary.policies
    columns = max(len(values.settings) for values in found.values())
    with house_style():
        figure = new_figure(1 + 3 * columns, 0.6 + 1.7 * len(found))
        axes = figure.subplots(len(found), columns, squeeze=False)
        for row, (name, values) in zip(axes, found.items(), strict=True):
            for ax, (i, key) in zip(row, enumerate(values.settings), strict=False):
                draw_parameter(ax, results.cells[name], i, baselines.POLICIES[name].tunable[key])
                ax.set_xlabel(key, fontsize=8)
            for ax in row[len(values.settings) :]:
                ax.set_axis_off()
            row[0].set_ylabel("regret")
            row[0].set_title(f"{name}: {values.regret:.3f}", loc="left")
    return figure


def draw_parameter(ax: Axes, found: Arrays, column: int, tunable: baselines.Tunable) -> Axes:
    """Draw all points in grey, the lowest regret at each value in blue, the tuned value in orange."""
    values, regret = found["values"][:, column], found["regret"]
    shown = 1 - values if tunable.scale == "log-to-one" else values
    ax.plot(shown, regret, ".", color="0.8", markersize=2, rasterized=True)
    distinct = np.unique(shown)
    ax.plot(distinct, [regret[shown == x].min() for x in distinct], color=BLUE, linewidth=1)
    best = int(found["best"])
    ax.plot(shown[best], regret[best], "o", color=ORANGE, markersize=4)
    if tunable.scale != "linear":
        ax.set_xscale("log")
    if tunable.scale == "log-to-one":
        ax.invert_xaxis()
        ax.xaxis.set_major_formatter(lambda x, _: f"{1 - x:g}")
    ax.tick_params(labelsize=7)
    return ax
