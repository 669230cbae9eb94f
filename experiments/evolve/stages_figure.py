"""Figures of a staged search: the screening, which genes matter, the successive halving."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import accumulate

import numpy as np
import scipy  # its parts are imported when they are first used
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evolution.genome import position
from evolution.staged import StagedSearch
from experiments.core.figures import house_style, new_figure
from experiments.evolve.figure import BLUE, ORANGE, label
from nsa_brian import NSAParameters, Parameter

#: Fraction of the sets that count as good in the sensitivity analysis, and the fewest that it needs.
GOOD, FEWEST = 0.05, 10

#: Okabe and Ito's colours and two more, one for each run.
_RUNS = (ORANGE, BLUE, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255", "0.5")


def draw_screening(search: StagedSearch) -> Figure:
    """Draw regret by rank for all screened sets, and all sets in the two genes that matter most."""
    screening, genes = search.screening, search.genome.genes
    order = np.argsort(screening.regrets[0], kind="stable")
    rank = np.empty(len(order))
    rank[order] = np.arange(1, len(order) + 1)
    with house_style():
        figure = new_figure(10, 4)
        left, right = figure.subplots(1, 2)
        left.plot(rank[order], screening.regrets[0][order], color="0.6", label=f"round 1: {len(order)} random sets")
        for i, (sets, regrets) in enumerate(zip(screening.screened[1:], screening.regrets[1:], strict=True), start=2):
            text = f"round {i}: the best {len(sets)} on more games"
            left.plot(rank[sets], regrets, ".", color=(BLUE, ORANGE)[i % 2], markersize=5 - i, label=text)
        left.set_xscale("log")
        left.set_xlabel("rank in the first screening round")
        left.set_ylabel("mean regret")
        left.set_title("screening of random sets", loc="left")
        left.legend(loc="upper left")
        if len(genes) > 1:
            first, second = np.argsort(-sensitivity(search))[:2]
            _scatter(right, search, int(first), int(second), order)
        else:
            right.set_axis_off()
    return figure


def _scatter(ax: Axes, search: StagedSearch, first: int, second: int, order: np.ndarray) -> None:
    """Draw all sets in two of their genes, the worst first, so that the good ones are on top; stars are starts."""
    places = positions(search)
    shown = order[::-1]
    x, y, regret = places[shown, first], places[shown, second], search.screening.regrets[0][shown]
    dots = ax.scatter(x, y, c=regret, s=6, cmap="viridis_r", linewidths=0, rasterized=True)
    assert ax.figure is not None
    ax.figure.colorbar(dots, ax=ax, label="mean regret in the first round")
    one, other = search.genome.genes[first], search.genome.genes[second]
    numbers: dict[NSAParameters, list[str]] = {}  # of the runs from each start
    for number, run in search.runs.items():
        assert run.settings.start is not None
        numbers.setdefault(run.settings.start, []).append(str(number))
    for start, began in numbers.items():
        values = start.to_dict()
        at = (float(position(one, values[one.name])), float(position(other, values[other.name])))
        ax.plot(*at, "*", color=ORANGE, markersize=11, markeredgecolor="black", markeredgewidth=0.6)
        ax.annotate(", ".join(began), at, textcoords="offset points", xytext=(5, 4), fontsize=8)
    for axis, info in ((ax.xaxis, one), (ax.yaxis, other)):
        axis.set_ticks([0, 1], [f"{bound:.4g}" for bound in _bounds(info)])
        axis.set_label_text(label(info))
    ax.set_title("in the two most important genes" + ("; stars: starts of runs" if search.runs else ""), loc="left")


def draw_sensitivity(search: StagedSearch) -> Figure:
    """Draw where in its range each gene of the good sets lies, and the distance of that from chance."""
    genes, found = search.genome.genes, sensitivity(search)
    order = np.argsort(-found)
    good = _good(search)
    places = positions(search)[good]
    bins = 12
    # Each bin has the same share of the random sets: genes are uniform, positions are not.
    edges = (1 + np.sin(np.linspace(-math.pi, math.pi, bins + 1) / 2)) / 2
    shares = np.array([np.histogram(places[:, i], edges)[0] / len(good) * bins for i in order])
    with house_style():
        figure = new_figure(10, 1.6 + 0.23 * len(genes))
        left, right = figure.subplots(1, 2, sharey=True, width_ratios=[3, 2])
        rows = np.arange(len(genes))
        image = left.pcolormesh(np.arange(bins + 1), np.arange(len(genes) + 1), shares, cmap="Blues", vmin=0)
        left.set_yticks(rows + 0.5, [label(genes[i]) for i in order])
        left.set_xticks([0, bins / 2, bins], ["low bound", "middle", "high bound"])
        left.set_title(f"positions of the best {len(good)} of {search.screening.n_sets} random sets", loc="left")
        left.invert_yaxis()
        figure.colorbar(image, ax=left, label="times as often as by chance", location="bottom", shrink=0.6)
        right.barh(rows + 0.5, found[order], color=BLUE, height=0.7)
        chance = 1.36 / math.sqrt(len(good))
        right.axvline(chance, color="black", linestyle=":", linewidth=1)
        right.set_xlabel("distance from chance (Kolmogorov-Smirnov)\ndotted: 5% of genes that do not matter")
        right.set_title("how much a gene matters", loc="left")
    return figure


def draw_halving(search: StagedSearch, others: Mapping[str, float]) -> Figure:
    """Draw the regret of all runs against the game-rounds they have played, on their own games and on held-out ones.

    Parameters
    ----------
    search : StagedSearch
    others : mapping
        Regrets of other sets on the held-out games, by name.
    """
    with house_style():
        figure = new_figure(9, 4.5)
        ax = figure.subplots()
        for number, run in search.runs.items():
            played, colour = _played(search, number), _RUNS[(number - 1) % len(_RUNS)]
            regrets = [
                record["regret"] if "regret" in record else -record["mean"] for record in run.logbook
            ]  # minus a custom fitness
            ax.plot(played[1:], regrets, color=colour, linewidth=0.6, alpha=0.5)
            ends = [0, *(end for _, end in search.settings.spans)]
            compared = {
                played[end]: regrets[number]
                for end, regrets in zip(ends, (search.start_regrets, *search.rung_regrets), strict=False)
                if number in regrets
            }
            text = f"run {number}, σ {run.settings.sigma:g}: {list(compared.values())[-1]:.4f}"
            ax.plot(list(compared), list(compared.values()), "o-", color=colour, label=text, zorder=3)
        for (name, regret), style in zip(others.items(), ("-", "--", ":", "-."), strict=False):
            ax.axhline(regret, color="black", linewidth=0.9, linestyle=style, label=f"{name}: {regret:.4f}")
        ax.set_xlabel("game-rounds of the run (millions)")
        ax.set_ylabel("mean regret")
        ax.set_title("dots: the run's centre on held-out games; thin: its population on its own games", loc="left")
        everything = [
            regret for regrets in (search.start_regrets, *search.rung_regrets) for regret in regrets.values()
        ] + list(others.values())
        low, high = min(everything), max(everything)
        ax.set_ylim(low - 0.1 * (high - low) - 0.002, high + 0.1 * (high - low) + 0.002)
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def positions(search: StagedSearch) -> np.ndarray:
    """Return the positions of the screened sets' genes in their ranges (sets, genes), from 0 to 1."""
    return (1 + np.sin(search.screening.vectors / 2)) / 2


def sensitivity(search: StagedSearch) -> np.ndarray:
    """Return how much each gene matters: the distance of its distribution among the good sets from that of all.

    This is regional sensitivity analysis (Hornberger and Spear, 1981). It finds effects of any shape, not only monotone
    ones.
    """
    even = scipy.stats.uniform(-math.pi, 2 * math.pi).cdf
    good = search.screening.vectors[_good(search)]
    return np.array([scipy.stats.ks_1samp(good[:, i], even).statistic for i in range(good.shape[1])])


def _good(search: StagedSearch) -> np.ndarray:
    order = np.argsort(search.screening.regrets[0], kind="stable")
    return order[: max(FEWEST, round(GOOD * len(order)))]


def _played(search: StagedSearch, number: int) -> list[float]:
    """Return the game-rounds of a run, in millions, before its first generation and after each one."""
    settings = search.settings
    each = [
        settings.population * rung.iterations * settings.games.game_rounds / settings.games.iterations / 1e6
        for rung in settings.rungs
        for _ in range(rung.generations)
    ]
    return list(accumulate(each[: search.runs[number].generation], initial=0.0))


def _bounds(info: Parameter) -> tuple[float, float]:
    assert info.search is not None, f"{info.name} is not searched"
    return info.search
