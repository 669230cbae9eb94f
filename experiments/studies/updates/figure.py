"""Figure of ``nsa updates``."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from experiments.core.figures import house_style, new_figure
from experiments.core.metrics import smooth
from experiments.core.results import Results
from experiments.studies.updates.study import WEIGHT_STEP, Settings, Summary


def draw(results: Results[Settings, Summary]) -> Figure:
    """Draw weight changes above, weights below."""
    with house_style():
        figure = new_figure(9, 6)
        top, bottom = figure.subplots(2, 1, sharex=True)
        draw_updates(top, results)
        draw_weights(bottom, results)
        bottom.set_xlabel("round")
    return figure


def draw_updates(ax: Axes, results: Results[Settings, Summary]) -> Axes:
    """Draw the weight change of the pulled arm (mean of 20 rounds) and reward (mean of 30), mean over games."""
    settings, found = results.settings, results.cells[results.settings.agent]
    change = ax.plot(smooth(found["updates"].mean(axis=0), 20), color="#0072B2", linewidth=1)
    ax.axhline(0, color="black", linewidth=0.6)
    ax.set_ylabel("weight change a round\n(mean of 20 rounds)", color="#0072B2")
    twin = ax.twinx()
    reward = twin.plot(smooth(found["rewards"].mean(axis=0), 30), color="#D55E00", linewidth=1, linestyle="--")
    twin.set_ylabel("reward\n(mean of 30 rounds)", color="#D55E00")
    twin.set_ylim(0, 1)
    twin.spines["right"].set_visible(True)
    for trial in range(1, settings.trials):
        ax.axvline(trial * settings.rounds, color="grey", linestyle="--", linewidth=0.8)
    ax.set_yscale("symlog", linthresh=0.05)
    ax.set_yticks([-0.1, 0, 0.1, 1], ["−0.1", "0", "0.1", "1"])
    ax.legend([*change, *reward], ["weight change", "reward"], loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
    ax.set_title(f"MAB-P, {settings.arms} arms, mean of {settings.repetitions} games", loc="left")
    return ax


def draw_weights(ax: Axes, results: Results[Settings, Summary]) -> Axes:
    """Draw the weights of the first game, arms as rows, and the best arm."""
    settings, found = results.settings, results.cells[results.settings.agent]
    rounds = settings.trials * settings.rounds
    top = settings.nsa_agents[settings.agent].parameters.w_max
    image = ax.imshow(
        found["weights"].T, aspect="auto", origin="lower", cmap="Greys", vmin=0, vmax=top, interpolation="nearest",
        extent=(0, len(found["weights"]) * WEIGHT_STEP, -0.5, settings.arms - 0.5),
    )  # fmt: skip
    starts = np.arange(0, rounds, settings.rounds)
    for start in starts:
        best = found["best_arm"][start]
        ax.plot([start, start + settings.rounds], [best - 0.42] * 2, color="#D55E00", linewidth=1.5)
    for start in starts[1:]:
        ax.axvline(start, color="grey", linestyle="--", linewidth=0.8)
    ax.set_ylabel("arm")
    ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    ax.set_title("weights in game 1 (line below an arm: the best one)", loc="left")
    ax.figure.colorbar(image, ax=ax, label="weight", pad=0.01)
    return ax
