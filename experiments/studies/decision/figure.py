"""The figure of ``nsa decision``."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from experiments.core.figures import house_style, new_figure
from experiments.core.results import Results
from experiments.studies.decision import spiking_figure
from experiments.studies.decision.study import Settings, Summary

_LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)))


def draw(results: Results[Settings, Summary]) -> Figure:
    """The course of u and v for each training, or the spikes."""
    return spiking_figure.draw(results) if results.settings.spiking else draw_rates(results)


def draw_rates(results: Results[Settings, Summary]) -> Figure:
    """A column for each training: u above, v below, an arm a line; the border of the phases; the choice."""
    settings = results.settings
    after = settings.after
    values = settings.parameters_of(settings.agents[0])
    border, end = values["duration_input"] / 1e3, (values["duration_input"] + values["duration_free"]) / 1e3
    colors = mpl.colormaps["viridis"](np.linspace(0, 0.9, settings.arms))
    with house_style():
        figure = new_figure(1.6 + 3.1 * len(after), 5)
        axes = figure.subplots(2, len(after), sharex=True, sharey="row", squeeze=False)
        for column, rounds in enumerate(after):
            found = results.cells[str(rounds)]
            for row, name in enumerate("uv"):
                ax = axes[row, column]
                ax.axvspan(0, border, color="0.93", zorder=0)
                for arm in range(settings.arms):
                    chosen = arm == found["arm"]
                    ax.plot(
                        found["t"], found[name][:, arm], color=colors[arm], linestyle=_LINES[arm % len(_LINES)],
                        linewidth=2.4 if chosen else 1.2, label=f"{arm} (w = {found['w'][arm]:.2f})",
                    )  # fmt: skip
                ax.set_xlim(0, end)
            outcome = "agreed on" if found["agreed"] else "disagreed, explored"
            axes[0, column].set_title(f"after {rounds} rounds: {outcome} arm {found['arm']}", loc="left")
            axes[0, column].legend(title="arm", fontsize=7, title_fontsize=7)
            axes[1, column].set_xlabel("time (s); shaded: input on")
        axes[0, 0].set_ylabel("activity u")
        axes[1, 0].set_ylabel("activity v")
    return figure
