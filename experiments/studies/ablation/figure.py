"""Figure of ``nsa ablation``: the cost of each variant with its interval."""

from __future__ import annotations

from matplotlib.figure import Figure

from experiments.core.figures import house_style, new_figure
from experiments.core.results import Results
from experiments.studies.ablation.study import Settings, Summary
from experiments.studies.ablation.variants import KINDS

#: Okabe and Ito's colours, one for each kind of variant.
COLOURS = dict(zip(KINDS, ("#0072B2", "#E69F00", "#D55E00", "#56B4E9", "#009E73", "0.5"), strict=True))
TITLES = {"all": "all bandits", "paper's": "the paper's bandits", "others": "other bandits"}


def draw(results: Results[Settings, Summary]) -> Figure:
    """Draw horizontal bars with intervals, the costliest variant on top, a panel for each group of bandits."""
    found = results.summary
    with house_style():
        figure = new_figure(3 + 2.9 * len(found.full), 1.4 + 0.26 * len(found.variants))
        axes = figure.subplots(1, len(found.full), sharey=True, squeeze=False)[0]
        for ax, (group, regret) in zip(axes, found.full.items(), strict=True):
            for place, worth in enumerate(found.variants.values()):
                if group not in worth.cost:
                    continue
                cost = worth.cost[group]
                low, high = cost.ci95 or (cost.mean, cost.mean)
                ax.barh(place, cost.mean, color=COLOURS[worth.kind], height=0.7)
                ax.plot([low, high], [place, place], color="black", linewidth=1)
                ax.annotate(
                    f" {cost.mean:+.3f} ", (max(high, 0.0), place), va="center", fontsize=7, annotation_clip=False
                )
            ax.axvline(0, color="black", linewidth=0.8)
            ax.margins(x=0.18, y=0.01)
            ax.set_title(f"{TITLES[group]}: full model {regret:.3f}", loc="left")
        axes[0].set_yticks(range(len(found.variants)), list(found.variants))
        axes[0].invert_yaxis()
        kinds = [kind for kind in KINDS if any(worth.kind == kind for worth in found.variants.values())]
        handles = [axes[0].barh(0, 0, color=COLOURS[kind]) for kind in kinds]
        axis = "regret minus the full model's, with 95% intervals"
        figure.legend(handles, kinds, title=axis, loc="outside lower center", ncols=len(kinds))
    return figure
