"""The comparison table as a heat map."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from experiments.figures import house_style, new_figure


def draw(found: dict[str, Any], settings: dict[str, Any]) -> Figure:
    """A panel for each bandit: agents down, numbers of arms across, regret in grey and in figures."""
    envs, arms, agents = settings["envs"], settings["arms"], settings["agents"]
    by_place = {(cell["env"], cell["arms"]): cell for cell in found["cells"]}
    columns = min(2, len(envs))
    rows = -(-len(envs) // columns)
    highest = max(values["regret"]["mean"] for cell in found["cells"] for values in cell["agents"].values())
    with house_style():
        figure = new_figure(1.6 + columns * (1.1 + 0.62 * len(arms)), 0.9 + rows * (0.7 + 0.36 * len(agents)))
        axes = np.atleast_1d(figure.subplots(rows, columns, squeeze=False)).ravel()
        for ax, env in zip(axes, envs, strict=False):
            grid = np.array([[by_place[env, k]["agents"][a]["regret"]["mean"] for k in arms] for a in agents])
            image = ax.imshow(grid, cmap="Greys", vmin=0, vmax=highest, aspect="auto")
            for row, agent in enumerate(agents):
                for column, k in enumerate(arms):
                    cell, value = by_place[env, k], grid[row, column]
                    label = f"{value:.2f}".removeprefix("0") + ("*" if agent in cell["level"] else "")
                    dark = value > 0.55 * highest
                    ax.text(
                        column, row, label, ha="center", va="center", color="white" if dark else "black",
                        fontweight="bold" if agent == cell["best"] else "normal", fontsize=8,
                    )  # fmt: skip
            ax.set_xticks(range(len(arms)), [str(k) for k in arms])
            ax.set_yticks(range(len(agents)), agents)
            ax.tick_params(length=0)
            for side in ("left", "bottom"):
                ax.spines[side].set_visible(False)
            ax.set_title(env, loc="left")
            ax.set_xlabel("arms")
        for ax in axes[len(envs) :]:
            ax.set_visible(False)
        bar = figure.colorbar(image, ax=list(axes[: len(envs)]), shrink=0.6)
        bar.set_label("regret (bold: lowest, *: level with it)")
    return figure
