"""The figure of ``nsa bench``: how cost grows with the number of arms and of games."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.core.figures import house_style, new_figure

STYLES: dict[str, dict[str, Any]] = {
    "numpy": {"color": "#7F7F7F", "marker": "v", "linestyle": ":"},
    "network": {"color": "#0072B2", "marker": "s", "linestyle": "--"},
    "rounds": {"color": "#D55E00", "marker": "o", "linestyle": "-"},
    "table": {"color": "#009E73", "marker": "D", "linestyle": "-."},
}


def draw(found: dict[str, Any]) -> Figure:
    """Both panels."""
    with house_style():
        figure = new_figure(9, 3.6)
        left, right = figure.subplots(1, 2)
        draw_arms(left, found)
        draw_games(right, found)
    return figure


def draw_arms(ax: Axes, found: dict[str, Any]) -> Axes:
    """Time of a round of one game against the number of arms."""
    arms = (10, 100, 1000)
    for engine, style in STYLES.items():
        ax.loglog(arms, [found[f"{engine}.ms_per_round.k{k}"] for k in arms], label=engine, **style)
    ax.set_xlabel("arms")
    ax.set_ylabel("ms a round")
    ax.set_title("one game", loc="left")
    ax.legend()
    return ax


def draw_games(ax: Axes, found: dict[str, Any]) -> Axes:
    """Time of a game's round against the number of games played at once."""
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
