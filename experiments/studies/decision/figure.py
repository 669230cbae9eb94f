"""Figure of ``nsa decision``."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from experiments.core.cells import Arrays
from experiments.core.figures import house_style, new_figure
from experiments.core.results import Results
from experiments.studies.decision import spiking_figure
from experiments.studies.decision.study import Settings, Summary

_LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)))


def draw(results: Results[Settings, Summary]) -> Figure:
    """Draw u and v over time for each training, or the spikes."""
    return spiking_figure.draw(results) if results.settings.spiking else draw_rates(results)


def draw_rates(results: Results[Settings, Summary]) -> Figure:
    """Draw a column for each training: u above, v below, a line per arm, the phases and the choice."""
    settings = results.settings
    after = settings.after
    model = settings.nsa_agents[settings.agents[0]].model
    colors = mpl.colormaps["viridis"](np.linspace(0, 0.9, settings.arms))
    with house_style():
        figure = new_figure(1.6 + 3.1 * len(after), 5)
        axes = figure.subplots(2, len(after), sharex=True, sharey="row", squeeze=False)
        for column, rounds in enumerate(after):
            found = results.cells[str(rounds)]
            on, end = _course(found, settings.nsa_agents[settings.agents[0]].parameters.to_dict())
            for row, name in enumerate("uv"):
                ax = axes[row, column]
                for first, last in on:
                    ax.axvspan(first, last, color="0.93", zorder=0)
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
        for ax, name in zip(axes[:, 0], "uv", strict=True):
            spikes = model is not None and model.structure.populations[name].spikes
            ax.set_ylabel(f"rate of {name.upper()} (Hz)" if spikes else f"activity {name}")
    return figure


def _course(found: Arrays, values: Mapping[str, float]) -> tuple[np.ndarray, float]:
    """Return the input intervals and the end in seconds; results of 0.2 have the paper's phases."""
    if "end" in found:
        return found["input_on"], float(found["end"])
    border = values["duration_input"] / 1e3
    return np.array([[0, border]]), border + values["duration_free"] / 1e3
