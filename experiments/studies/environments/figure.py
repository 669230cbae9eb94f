"""Figure of ``nsa environments``."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from experiments.core.figures import house_style, new_figure
from experiments.core.results import Results
from experiments.studies.environments.study import Settings, Summary


def draw(results: Results[Settings, Summary]) -> Figure:
    """Draw the probabilities of the arms over the rounds, one panel per bandit."""
    settings = results.settings
    n_rounds = settings.trials * settings.rounds
    with house_style():
        figure = new_figure(9, 0.8 + 1.5 * len(settings.envs))
        axes = figure.subplots(len(settings.envs), 1, sharex=True, squeeze=False)[:, 0]
        for ax, env in zip(axes, settings.envs, strict=True):
            image = ax.imshow(
                results.cells[env]["probabilities"], aspect="auto", origin="lower", cmap="Greys", vmin=0, vmax=1,
                extent=(0, n_rounds, -0.5, settings.arms - 0.5), interpolation="nearest",
            )  # fmt: skip
            for trial in range(1, settings.trials):
                ax.axvline(trial * settings.rounds, color="#0072B2", linestyle="--", linewidth=1)
            ax.set_ylabel("arm")
            ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
            ax.set_title(env, loc="left", pad=2)
        axes[-1].set_xlabel("round")
        figure.colorbar(image, ax=list(axes), label="probability of reward", shrink=0.6)
    return figure
