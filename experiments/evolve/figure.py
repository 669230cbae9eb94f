"""Figures of a run: fitness over generations, the genome, the model's functions, parameters against fitness."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from evolution.genome import Genome, position
from experiments.core.figures import house_style, new_figure
from nsa_brian import NSAParameters, Parameter
from nsa_brian.model.expression import numpy_function
from nsa_brian.model.model import PAPER, Model

BLUE, ORANGE = "#0072B2", "#D55E00"

#: A generation as it is saved: parameters (individuals, all of the model), reward (individuals,), best first.
Generation = Mapping[str, np.ndarray]


def draw_fitness(logbook: Sequence[Mapping[str, Any]], own: bool = False) -> Figure:
    """Draw best, mean and 16th to 84th percentile of the fitness, and the step size; ``own``: of a custom fitness."""
    with house_style():
        figure = new_figure(8, 5)
        grid = figure.add_gridspec(2, 1, height_ratios=[3, 1])
        top = figure.add_subplot(grid[0])
        below = figure.add_subplot(grid[1], sharex=top)
        column = {name: np.array([record[name] for record in logbook]) for name in logbook[0]}
        x = column["generation"]
        marker = "o" if len(x) == 1 else None  # a line through one point is invisible
        if not own:
            label = "best arm always"
            top.plot(x, column["optimum"], color="black", linewidth=1, linestyle=":", label=label, marker=marker)
        top.plot(x, column["best"], color=ORANGE, label="best", marker=marker)
        top.plot(x, column["mean"], color=BLUE, linestyle="--", label="mean", marker=marker)
        top.fill_between(x, column["low"], column["high"], color=BLUE, alpha=0.2, linewidth=0, label="16-84 percentile")
        top.set_ylabel("custom fitness" if own else "fitness\n(mean expected reward)")
        news = "has a new seed" if own else "plays new games"
        top.set_title(f"fitness of the population; each generation {news}", loc="left")
        top.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
        top.tick_params(labelbottom=False)
        below.plot(x, column["sigma"], color="black", marker=marker)
        if column["sigma"].max() > 10 * column["sigma"].min():
            below.set_yscale("log")
        below.set_ylabel("step size σ")
        below.set_xlabel("generation")
        below.xaxis.set_major_locator(MaxNLocator(integer=True))
        for ax in (top, below):
            for place in np.flatnonzero(np.diff(column["restart"])):
                ax.axvline(x[place] + 0.5, color="grey", linewidth=0.8)
    return figure


def draw_genome(generation: Generation, genome: Genome, bins: int = 20) -> Figure:
    """Draw a heat map of the positions of the better half's parameters in their search ranges."""
    better, searched = _better_half(generation)["parameters"], genome.places
    with house_style():
        figure = new_figure(8, max(2, 6 * len(searched) / 22))
        ax = figure.subplots()
        shares = np.array(
            [np.histogram(position(info, better[:, i]), bins, (0, 1))[0] / len(better) for i, info in searched.items()]
        )
        image = ax.pcolormesh(np.linspace(0, 1, bins + 1), np.arange(len(searched) + 1), shares, cmap="Blues", vmin=0)
        ax.invert_yaxis()
        ax.set_yticks(np.arange(len(searched)) + 0.5, [label(info) for info in searched.values()])
        for row, info in enumerate(searched.values()):
            ax.text(1.02, row + 0.5, info.search_range, va="center", fontsize=7, color="grey")
        ax.set_xticks([0, 0.5, 1], ["low bound", "middle", "high bound"])
        ax.set_title(f"the better half of the last generation ({len(better)} individuals)", loc="left")
        figure.colorbar(image, ax=ax, label="share of individuals", pad=0.16)
    return figure


def draw_functions(generation: Generation, model: Model = PAPER) -> Figure:
    """Draw Gaussian-sigmoids and neural responses of the better half; fitter individuals are darker."""
    better = _better_half(generation)
    x = np.linspace(-0.5, 2, 501)
    with house_style():
        responses = any(model.structure.populations[name].single for name in "uv")  # others have no response function
        rows = 2 if responses else 1
        figure = new_figure(9, 3 * rows)
        axes = figure.subplots(rows, 2)
        for ax, variable, text in zip(
            axes.flat,
            ("Phi_v", "Phi_eta", "phi_u", "phi_v"),
            ("option value Φ_v(w)", "learning rate Φ_η(w)", "response of U", "response of V"),
            strict=False,
        ):
            _draw_function(ax, variable, better, x, model)
            ax.set_title(text, loc="left")
            ax.set_ylim(-0.03, 1.05)
            ax.set_xlabel("weight w" if variable.startswith("Phi") else "activity")
        figure.suptitle("the better half of the last generation: the fitter, the darker", fontsize=9)
    return figure


def draw_parameters(generations: Sequence[Generation], genome: Genome, most: int = 4000) -> Figure:
    """Draw each parameter against fitness: all generations in grey, the better half of the last one in colour."""
    everybody = np.concatenate([generation["parameters"] for generation in generations])
    reward = np.concatenate([generation["reward"] for generation in generations])
    shown = np.linspace(0, len(reward) - 1, min(most, len(reward))).astype(int)
    better, searched = _better_half(generations[-1]), genome.places
    rows = math.ceil(len(searched) / 6)
    with house_style():
        figure = new_figure(11, max(2.5, 8.5 * rows / 4))
        axes = figure.subplots(rows, 6, sharey=True, squeeze=False)
        for ax, (i, info) in zip(axes.flat, searched.items(), strict=False):
            ax.plot(everybody[shown, i], reward[shown], ".", color="0.8", markersize=1, rasterized=True)
            ax.plot(better["parameters"][:, i], better["reward"], ".", color=BLUE, markersize=2)
            ax.set_xscale(info.scale)
            ax.set_xlim(info.search)
            ax.set_xlabel(label(info), fontsize=8)
            ax.tick_params(labelsize=6)
        for ax in axes.flat[len(searched) :]:
            ax.set_axis_off()
        for ax in axes[:, 0]:
            ax.set_ylabel("fitness")
        figure.suptitle(
            "fitness against each parameter: all generations grey, the last one's better half blue", fontsize=9
        )
    return figure


def _better_half(generation: Generation) -> dict[str, np.ndarray]:
    half = (len(generation["reward"]) + 1) // 2
    return {name: array[:half] for name, array in generation.items()}


def _draw_function(ax: Axes, variable: str, better: Mapping[str, np.ndarray], x: np.ndarray, model: Model) -> None:
    """Draw one of the model's functions for each individual, made from the model's equations."""
    argument = {"Phi_v": "w", "Phi_eta": "w", "phi_u": "u", "phi_v": "v"}[variable]
    kind = variable.removeprefix("Phi_").removeprefix("phi_")
    if variable not in model.structure.expressions:
        ax.text(0.5, 0.5, "the model has none", transform=ax.transAxes, ha="center", color="grey")
        return
    source = model.function_of_weight(kind) if argument == "w" else model.response_of(kind)
    known = {argument, *source.names, *model.declared}
    others = sorted(source.identifiers & set(model.structure.dimensions) - known)
    if others:
        ax.text(0.5, 0.5, f"depends on {', '.join(others)} too", transform=ax.transAxes, ha="center", color="grey")
        return
    n = len(better["reward"])
    for rank, row in enumerate(better["parameters"][::-1], start=1):  # the fittest last, on top
        values = dict(zip(model.declared, map(float, row), strict=True))
        constants = model.values_in_si(NSAParameters.from_dict(values, model.declared))
        points = np.linspace(0, constants["w_max"], 201) if argument == "w" else x
        curve = np.broadcast_to(numpy_function(variable, source, constants)(**{argument: points}), points.shape)
        ax.plot(points, curve, color=BLUE, alpha=0.05 + 0.6 * (rank / n) ** 2, linewidth=0.8)


def label(info: Parameter) -> str:
    """Return a parameter's symbol and name."""
    return f"{info.symbol}  {info.name}" if info.symbol else info.name
