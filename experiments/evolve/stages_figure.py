"""The figures of a search in stages: what the look found, which genes matter, how the runs raced."""

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

#: The part of the sets that counts as good where genes are told apart, and the fewest that say something.
GOOD, FEWEST = 0.05, 10

#: Okabe and Ito's colours and two more, one for each run.
_RUNS = (ORANGE, BLUE, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255", "0.5")


def draw_look(search: StagedSearch) -> Figure:
    """Regret of all sets by rank, and of those looked at again; all sets in the two genes that matter most."""
    look, genes = search.look, search.genome.genes
    order = np.argsort(look.regrets[0], kind="stable")
    rank = np.empty(len(order))
    rank[order] = np.arange(1, len(order) + 1)
    with house_style():
        figure = new_figure(10, 4)
        left, right = figure.subplots(1, 2)
        left.plot(rank[order], look.regrets[0][order], color="0.6", label=f"look 1: {len(order)} random sets")
        for i, (sets, regrets) in enumerate(zip(look.looked_at[1:], look.regrets[1:], strict=True), start=2):
            text = f"look {i}: the best {len(sets)} by more games"
            left.plot(rank[sets], regrets, ".", color=(BLUE, ORANGE)[i % 2], markersize=5 - i, label=text)
        left.set_xscale("log")
        left.set_xlabel("rank in the first look")
        left.set_ylabel("mean regret")
        left.set_title("the best of many random sets", loc="left")
        left.legend(loc="upper left")
        if len(genes) > 1:
            first, second = np.argsort(-telling(search))[:2]
            _scatter(right, search, int(first), int(second), order)
        else:
            right.set_axis_off()
    return figure


def _scatter(ax: Axes, search: StagedSearch, first: int, second: int, order: np.ndarray) -> None:
    """All sets in two of their genes, the worst first, so that the good ones are seen; stars where runs began."""
    places = positions(search)
    shown = order[::-1]
    x, y, regret = places[shown, first], places[shown, second], search.look.regrets[0][shown]
    dots = ax.scatter(x, y, c=regret, s=6, cmap="viridis_r", linewidths=0, rasterized=True)
    assert ax.figure is not None
    ax.figure.colorbar(dots, ax=ax, label="mean regret in the first look")
    one, other = search.genome.genes[first], search.genome.genes[second]
    numbers: dict[NSAParameters, list[str]] = {}  # of the runs that began at each start
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
    ax.set_title("in the two genes that tell most" + ("; stars: where runs began" if search.runs else ""), loc="left")


def draw_sensitivity(search: StagedSearch) -> Figure:
    """Where in its range each gene of the good sets lies, and how far that is from where chance would put it."""
    genes, found = search.genome.genes, telling(search)
    order = np.argsort(-found)
    good = _good(search)
    places = positions(search)[good]
    bins = 12
    # Equal shares of the sets that were drawn fall into each bin, since genes are drawn evenly and positions are not.
    edges = (1 + np.sin(np.linspace(-math.pi, math.pi, bins + 1) / 2)) / 2
    shares = np.array([np.histogram(places[:, i], edges)[0] / len(good) * bins for i in order])
    with house_style():
        figure = new_figure(10, 1.6 + 0.23 * len(genes))
        left, right = figure.subplots(1, 2, sharey=True, width_ratios=[3, 2])
        rows = np.arange(len(genes))
        image = left.pcolormesh(np.arange(bins + 1), np.arange(len(genes) + 1), shares, cmap="Blues", vmin=0)
        left.set_yticks(rows + 0.5, [label(genes[i]) for i in order])
        left.set_xticks([0, bins / 2, bins], ["low bound", "middle", "high bound"])
        left.set_title(f"where the best {len(good)} of {search.look.n_sets} random sets lie", loc="left")
        left.invert_yaxis()
        figure.colorbar(image, ax=left, label="times as often as by chance", location="bottom", shrink=0.6)
        right.barh(rows + 0.5, found[order], color=BLUE, height=0.7)
        chance = 1.36 / math.sqrt(len(good))
        right.axvline(chance, color="black", linestyle=":", linewidth=1)
        right.set_xlabel("distance from chance (Kolmogorov-Smirnov)\ndotted: 5% of genes that do not matter")
        right.set_title("how much a gene matters", loc="left")
    return figure


def draw_race(search: StagedSearch, others: Mapping[str, float]) -> Figure:
    """Regret of all runs against the game-rounds they have played: on their own games, and on those held out.

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
            ax.plot(played[1:], [record["regret"] for record in run.logbook], color=colour, linewidth=0.6, alpha=0.5)
            ends = [0, *(end for _, end in search.settings.spans)]
            judged = {
                played[end]: regrets[number]
                for end, regrets in zip(ends, (search.began, *search.judged), strict=False)
                if number in regrets
            }
            text = f"run {number}, σ {run.settings.sigma:g}: {list(judged.values())[-1]:.4f}"
            ax.plot(list(judged), list(judged.values()), "o-", color=colour, label=text, zorder=3)
        for (name, regret), style in zip(others.items(), ("-", "--", ":", "-."), strict=False):
            ax.axhline(regret, color="black", linewidth=0.9, linestyle=style, label=f"{name}: {regret:.4f}")
        ax.set_xlabel("game-rounds of the run (millions)")
        ax.set_ylabel("mean regret")
        ax.set_title("dots: the run's centre on held-out games; thin: its population on games of its own", loc="left")
        everything = [regret for regrets in (search.began, *search.judged) for regret in regrets.values()] + list(
            others.values()
        )
        low, high = min(everything), max(everything)
        ax.set_ylim(low - 0.1 * (high - low) - 0.002, high + 0.1 * (high - low) + 0.002)
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def positions(search: StagedSearch) -> np.ndarray:
    """Where in its range each gene of the sets of the look is (sets, genes), from 0 to 1."""
    return (1 + np.sin(search.look.vectors / 2)) / 2


def telling(search: StagedSearch) -> np.ndarray:
    """How much each gene matters: how far its distribution among the good sets is from that of all.

    This is regional sensitivity analysis (Hornberger and Spear, 1981): a gene whose values are the same among good sets
    and all sets does not tell them apart. It sees what matters in any way, not only what is better the higher.
    """
    even = scipy.stats.uniform(-math.pi, 2 * math.pi).cdf
    good = search.look.vectors[_good(search)]
    return np.array([scipy.stats.ks_1samp(good[:, i], even).statistic for i in range(good.shape[1])])


def _good(search: StagedSearch) -> np.ndarray:
    order = np.argsort(search.look.regrets[0], kind="stable")
    return order[: max(FEWEST, round(GOOD * len(order)))]


def _played(search: StagedSearch, number: int) -> list[float]:
    """Game-rounds of a run, in millions, after each of its generations, from none on."""
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
