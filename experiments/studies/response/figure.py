"""Figure of ``nsa response``."""

from __future__ import annotations

from textwrap import fill

from matplotlib.figure import Figure

from experiments.core.figures import house_style, new_figure
from experiments.core.results import Results
from experiments.studies.response.study import Settings, Summary

U, V = {"color": "#0072B2", "linestyle": "-"}, {"color": "#D55E00", "linestyle": "--"}


def draw(results: Results[Settings, Summary]) -> Figure:
    """Draw, for each set, final activities, functions of the weight, and neural responses."""
    sets = list(results.cells)
    with house_style():
        figure = new_figure(11, 0.6 + 2.5 * len(sets))
        axes = figure.subplots(len(sets), 3, squeeze=False)
        for row, name in zip(axes, sets, strict=True):
            found = results.cells[name]
            row[0].plot(found["w"], found["u"], label="u", **U)
            row[0].plot(found["w"], found["v"], label="v", **V)
            critical = float(found["critical"])
            if critical == critical:  # not NaN
                row[0].axvline(critical, color="grey", linestyle=":", label=f"w* = {critical:.2f}")
            row[0].set_title(f"{name}: activity left at a round's end", loc="left")
            row[0].set_ylabel("activity")
            row[1].plot(found["w"], found["value"], label="option value Φ_v", **V)
            row[1].plot(found["w"], found["rate"], label="learning rate Φ_η", color="#009E73", linestyle="-.")
            row[1].set_title("functions of the weight", loc="left")
            for ax in row[:2]:
                ax.set_xlabel("weight w")
                ax.set_xlim(0, found["w"][-1])
            row[2].plot(found["x"], found["phi_u"], label="φ_u", **U)
            row[2].plot(found["x"], found["phi_v"], label="φ_v", **V)
            row[2].set_title("neural responses", loc="left")
            row[2].set_xlabel("activity")
            for ax in row:
                low, high = ax.dataLim.intervaly  # 0 to 1 in the paper's model, unless traces of the input are left
                ax.set_ylim(min(-0.03, 1.05 * low), max(1.08, 1.05 * high))
                ax.legend(fontsize=7)
            row[0].legend(fontsize=7, title=fill(results.summary.sets[name].holds_for, 28), title_fontsize=7)
    return figure
