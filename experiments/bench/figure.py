"""Figure of ``nsa bench``: time against the number of arms and of games, and compared with the limit."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.bench.limits import PAIRS
from experiments.core.figures import house_style, new_figure

STYLES: dict[str, dict[str, Any]] = {
    "numpy": {"color": "#7F7F7F", "marker": "v", "linestyle": ":"},
    "network": {"color": "#0072B2", "marker": "s", "linestyle": "--"},
    "rounds": {"color": "#D55E00", "marker": "o", "linestyle": "-"},
    "table": {"color": "#009E73", "marker": "D", "linestyle": "-."},
}


def draw(found: dict[str, Any]) -> Figure:
    """Draw all panels."""
    with house_style():
        figure = new_figure(13, 3.6)
        left, middle, right = figure.subplots(1, 3)
        draw_arms(left, found)
        draw_games(middle, found)
        draw_limits(right, found)
    return figure


def draw_arms(ax: Axes, found: dict[str, Any]) -> Axes:
    """Draw the time of a round of one game against the number of arms."""
    arms = (10, 100, 1000)
    for engine, style in STYLES.items():
        ax.loglog(arms, [found[f"{engine}.ms_per_round.k{k}"] for k in arms], label=engine, **style)
    ax.set_xlabel("arms")
    ax.set_ylabel("ms a round")
    ax.set_title("one game", loc="left")
    ax.set_ylim(bottom=ax.get_ylim()[0] / 20)  # room for the legend
    ax.legend(loc="lower center", ncols=2)
    return ax


def draw_games(ax: Axes, found: dict[str, Any]) -> Axes:
    """Draw the time per game and round against the number of games in a batch."""
    games = (1, 10, 100, 1000)
    for engine in ("rounds", "table"):
        one = 1e3 * found[f"{engine}.ms_per_round.k10"]
        many = [found[f"{engine}.us_per_game_round.games{n}"] for n in games[1:]]
        ax.loglog(games, [one, *many], label=engine, **STYLES[engine])
    ax.set_xlabel("games at once")
    ax.set_ylabel("µs a game and round")
    ax.set_title("many games, 10 arms", loc="left")
    ax.legend()
    return ax


def draw_limits(ax: Axes, found: dict[str, Any]) -> Axes:
    """Draw our time as a multiple of that of hand-written code."""
    pairs = [pair for pair in PAIRS if found.get(pair[3])]  # none without a compiler
    for place, (_, unit, ours, limit) in enumerate(pairs):
        ratio = found[ours] / found[limit]
        ax.barh(place, ratio, height=0.6, color=STYLES["table" if ours.startswith("table") else "rounds"]["color"])
        ax.annotate(
            f"{found[ours]:.3g} / {found[limit]:.3g} {unit} = {ratio:.2f}",
            (ratio, place),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
        )
    ax.axvline(1, color="black", linewidth=0.8, linestyle=":")
    ax.set_yticks(range(len(pairs)), [label.replace(": ", ":\n") for label, *_ in pairs])
    ax.invert_yaxis()
    ax.set_xlim(0, 1.75 * max([1, *(found[ours] / found[limit] for *_, ours, limit in pairs)]))
    ax.set_xlabel("ours / by hand")
    ax.set_title("against the limit", loc="left")
    return ax
