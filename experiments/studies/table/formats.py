"""The comparison table as Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from experiments.studies.table.comparison import Comparison

if TYPE_CHECKING:
    from experiments.studies.table.study import Settings, Summary


def markdown(found: Summary, settings: Settings) -> str:
    """Regrets with their intervals, the best and those level with it in bold."""
    lines = ["| bandit | agent | " + " | ".join(f"K={k}" for k in settings.arms) + " |"]
    lines.append("|---|---|" + "---|" * len(settings.arms))
    for env, agent, cells in _rows(found, settings):
        shown = [_with_interval(cell, agent, "**{}**") for cell in cells]
        lines.append(f"| {env} | {agent} | " + " | ".join(shown) + " |")
    return "\n".join(lines) + "\n"


def latex(found: Summary, settings: Settings) -> str:
    """A booktabs table."""
    columns = "ll" + "c" * len(settings.arms)
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    lines.append(" & ".join(["", "$K$", *(f"${k}$" for k in settings.arms)]) + r" \\")
    last = None
    for env, agent, cells in _rows(found, settings):
        if env != last:
            lines.append(r"\midrule")
        name = env if env != last else ""
        last = env
        shown = [_with_interval(cell, agent, r"\mathbf{{{}}}").replace("±", r"\pm ") for cell in cells]
        lines.append(" & ".join([name, agent, *(f"${text}$" for text in shown)]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _rows(found: Summary, settings: Settings) -> Iterator[tuple[str, str, list[Comparison]]]:
    places = found.by_place
    for env in settings.envs:
        for agent in settings.agents:
            yield env, agent, [places[env, k] for k in settings.arms]


def _with_interval(cell: Comparison, agent: str, best: str) -> str:
    regret = cell.agents[agent].regret
    half = f" ± {regret.ci95[1] - regret.mean:.3f}" if regret.ci95 else ""
    mean = f"{regret.mean:.3f}"
    return (best.format(mean) if agent in cell.level else mean) + half
