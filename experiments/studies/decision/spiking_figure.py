"""Figure of ``nsa decision`` with spiking neurons."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments.core.cells import Arrays
from experiments.core.figures import house_style, new_figure
from experiments.core.results import Results
from experiments.studies.decision.spikes import RESPONSE
from experiments.studies.decision.statistics import STATISTICS
from experiments.studies.decision.study import Settings, Summary

#: Bin width of the firing rates, in seconds.
BIN = 0.025

#: Largest number of arms that are all labelled.
FEW = 12

_LINES: Any = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)))
_U: Any = {"color": "#0072B2", "marker": "o"}
_V: Any = {"color": "#D55E00", "marker": "^"}


def draw(results: Results[Settings, Summary]) -> Figure:
    """Draw a column for each training: rasters, rates, potentials, synapses; then intervals and response."""
    after, n_arms = results.settings.after, results.settings.arms
    with house_style():
        figure = new_figure(4.6 + 3.1 * len(after), 9.5)
        parts: Any = figure.subfigures(1, 2, width_ratios=[0.8 + 3.1 * len(after), 3.5])
        left, right = parts
        heights = [2, 2, 1.1, 1.1, 1.2, 1]
        axes = left.subplots(6, len(after), sharex=True, sharey="row", squeeze=False, height_ratios=heights)
        for column, rounds in zip(axes.T, after, strict=True):
            found = results.cells[str(rounds)]
            for population, raster, rate in (("u", column[0], column[2]), ("v", column[1], column[3])):
                draw_raster(raster, found, population, n_arms)
                draw_rates(rate, found, population, n_arms)
            draw_potentials(column[4], found)
            draw_synapses(column[5], found)
            outcome = "agreed on" if found["agreed"] else "disagreed, explored"
            column[0].set_title(f"after {rounds} rounds: {outcome} arm {found['arm']}", loc="left")
            column[-1].set_xlabel("time (s); shaded: input on")
        labels = ("neurons of U,\nby arm", "neurons of V,\nby arm", "rate of U (Hz)", "rate of V (Hz)", "a neuron (mV)")
        for ax, label in zip(axes[:, 0], (*labels, "synapses of U,\nof their most"), strict=True):
            ax.set_ylabel(label)
        top, middle, bottom = right.subplots(3, 1, height_ratios=[1.4, 1.2, 1])
        draw_response(top, results.cells[RESPONSE])
        if STATISTICS in results.cells:
            draw_intervals(middle, results)
        else:
            middle.axis("off")
        bottom.axis("off")
        bottom.legend(handles=_legend(n_arms), title="arm", loc="upper left", ncols=2, alignment="left")
    return figure


def draw_raster(ax: Axes, found: Arrays, population: str, n_arms: int) -> Axes:
    """Draw a spike raster with the weight of each arm."""
    neurons, chosen = int(found["neurons"]), int(found["arm"])
    t, i = found[f"t_{population}"], found[f"i_{population}"]
    _phases(ax, found)
    middles = (np.arange(n_arms) + 0.5) * neurons
    for arm, color in enumerate(_colors(n_arms)):
        own = i // neurons == arm
        ax.plot(t[own], i[own] + 0.5, linestyle="", marker=".", markersize=2, markeredgewidth=0, color=color)
        ax.axhline(arm * neurons, color="0.8", linewidth=0.6, zorder=0)
        if n_arms <= FEW or arm == chosen:
            weight, label = ("bold", " ◄") if arm == chosen else ("normal", "")
            label = f"w {found['w'][arm]:.2f}{label}"
            ax.text(found["phases"][2] * 1.01, middles[arm], label, fontsize=7, va="center", weight=weight)
    ax.set_ylim(0, n_arms * neurons)
    shown = range(0, n_arms, 1 + n_arms // FEW)
    ax.set_yticks(middles[shown], [str(arm) for arm in shown])
    ax.tick_params(axis="y", length=0)
    return ax


def draw_rates(ax: Axes, found: Arrays, population: str, n_arms: int) -> Axes:
    """Draw the binned firing rate of each arm."""
    neurons, end = int(found["neurons"]), float(found["phases"][2])
    edges = np.linspace(0, end, round(end / BIN) + 1)
    _phases(ax, found)
    for arm, color in enumerate(_colors(n_arms)):
        own = found[f"i_{population}"] // neurons == arm
        counts, _ = np.histogram(found[f"t_{population}"][own], edges)
        width = 2.2 if arm == found["arm"] else 1.1
        rate = counts / (neurons * np.diff(edges))
        ax.plot((edges[1:] + edges[:-1]) / 2, rate, color=color, linestyle=_LINES[arm % len(_LINES)], linewidth=width)
    ax.set_ylim(bottom=0, auto=True)
    return ax


def draw_potentials(ax: Axes, found: Arrays) -> Axes:
    """Draw the potential of a neuron in U and V of the arm with the largest weight, spikes as lines."""
    _phases(ax, found)
    best, neurons = int(np.argmax(found["w"])), int(found["neurons"])
    for population, style in (("u", _U), ("v", _V)):
        potential = 1e3 * found[f"voltage_{population}"]
        t = np.linspace(0, found["phases"][2], len(potential), endpoint=False)
        ax.plot(t, potential, color=style["color"], linewidth=0.6, label=population.upper())
        fired = found[f"t_{population}"][found[f"i_{population}"] == best * neurons]
        ax.vlines(fired, potential.max(), potential.max() + 12, color=style["color"], linewidth=0.6)
    ax.legend(fontsize=6, loc="upper right", ncols=2, frameon=True, borderpad=0.1)
    return ax


def draw_synapses(ax: Axes, found: Arrays) -> Axes:
    """Draw the mean of the other variables of that arm's neurons in U, relative to their maximum."""
    _phases(ax, found)
    for name, linestyle in zip((key for key in found if key.startswith("of_")), _LINES, strict=False):
        course = found[name]
        t = np.linspace(0, found["phases"][2], len(course), endpoint=False)
        ax.plot(t, course / max(np.abs(course).max(), 1e-300), linestyle=linestyle, linewidth=0.8, label=name[3:])
    ax.legend(fontsize=6, loc="upper right", ncols=4, frameon=True, borderpad=0.1)
    return ax


def draw_intervals(ax: Axes, results: Results[Settings, Summary]) -> Axes:
    """Draw the histogram of interspike intervals of a trained option in phase 2."""
    found, told = results.cells[STATISTICS], (results.summary.statistics or {})["trained"]
    edges = np.linspace(0, 150, 61).tolist()
    for population, style in (("u", _U), ("v", _V)):
        cv = told[population]["cv"]["mean"]
        label = f"{population.upper()}: CV {cv:.2f}" if cv is not None else population.upper()
        intervals = 1e3 * found[f"intervals_{population}"]
        if len(intervals):
            shares = np.full(len(intervals), 1 / len(intervals))
            ax.hist(intervals, edges, weights=shares, histtype="step", color=style["color"], label=label)
    ax.set_title("intervals of a trained option's neurons", loc="left")
    ax.set_xlabel("interval (ms)")
    ax.set_ylabel("share")
    ax.legend(fontsize=7)
    return ax


def draw_response(ax: Axes, found: Arrays) -> Axes:
    """Draw the final firing rates against the weight, and the critical weights."""
    ax.plot(found["w"], found["u"], linestyle="", markersize=2.5, label="U", **_U)
    ax.plot(found["w"], found["v"], linestyle="", markersize=2.5, label="V", **_V)
    for name, label, style in (("critical", "w*, spikes", ":"), ("critical_rate", "w*, rates", "--")):
        critical = float(found[name])
        if np.isfinite(critical):
            ax.axvline(critical, color="0.3", linestyle=style, linewidth=1, label=f"{label}: {critical:.2f}")
    ax.set_title("firing left at a round's end", loc="left")
    ax.set_xlabel("weight w")
    ax.set_ylabel("rate (Hz)")
    ax.set_xlim(0, found["w"][-1])
    ax.legend(fontsize=7, loc="upper left")
    return ax


def _phases(ax: Axes, found: Arrays) -> None:
    """Shade the time of the input and mark the start of counting."""
    border, reading, end = found["phases"]
    ax.axvspan(0, border, color="0.93", zorder=-1)
    ax.axvline(reading, color="0.5", linestyle="--", linewidth=0.8, zorder=0)
    ax.set_xlim(0, end)


def _colors(n_arms: int) -> Any:
    return mpl.colormaps["viridis"](np.linspace(0, 0.8, n_arms))


def _legend(n_arms: int) -> list[Any]:
    arms = [
        Line2D([], [], color=color, linestyle=_LINES[arm % len(_LINES)], label=str(arm))
        for arm, color in enumerate(_colors(n_arms))
        if arm % (1 + n_arms // FEW) == 0
    ]
    return [*arms, Line2D([], [], color="0.5", linestyle="--", linewidth=0.8, label="spikes counted from here")]
