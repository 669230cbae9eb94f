"""The comparison table as CSV, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
from typing import Any


def csv_text(found: dict[str, Any]) -> str:
    """One line for each bandit, number of arms and agent."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        [
            "env",
            "arms",
            "agent",
            "regret",
            "regret_sd",
            "regret_low",
            "regret_high",
            "published_regret",
            "published_sd",
            "paper_mean",
            "paper_sd",
            "paper_z",
            "reward",
            "entropy",
            "best",
            "level",
        ]
    )
    for cell in found["cells"]:
        for agent, values in cell["agents"].items():
            regret, published = values["regret"], values["published_regret"]
            paper = values["paper"] or {"mean": None, "sd": None, "z": None}
            low, high = regret["ci95"] or (None, None)
            row = [cell["env"], cell["arms"], agent, regret["mean"], regret["sd"], low, high, published["mean"]]
            row += [published["sd"], paper["mean"], paper["sd"], paper["z"], values["reward"], values["entropy"]]
            writer.writerow([*row, int(cell["best"] == agent), int(agent in cell["level"])])
    return out.getvalue()


def markdown(found: dict[str, Any], settings: dict[str, Any]) -> str:
    """Regrets with their intervals, the best and those level with it in bold."""
    lines = ["| bandit | agent | " + " | ".join(f"K={k}" for k in settings["arms"]) + " |"]
    lines.append("|---|---|" + "---|" * len(settings["arms"]))
    for env, agent, cells in _rows(found, settings):
        shown = [_with_interval(cell, agent, "**{}**") for cell in cells]
        lines.append(f"| {env} | {agent} | " + " | ".join(shown) + " |")
    return "\n".join(lines) + "\n"


def latex(found: dict[str, Any], settings: dict[str, Any]) -> str:
    """A booktabs table."""
    columns = "ll" + "c" * len(settings["arms"])
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    lines.append(" & ".join(["", "$K$", *(f"${k}$" for k in settings["arms"])]) + r" \\")
    last = None
    for env, agent, cells in _rows(found, settings):
        if env != last:
            lines.append(r"\midrule")
        name = env if env != last else ""
        last = env
        shown = [_with_interval(cell, agent, r"\mathbf{{{}}}").replace("±", r"\pm ") for cell in cells]
        lines.append(" & ".join([name, agent, *(f"${text}$" for text in shown)]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _rows(found: dict[str, Any], settings: dict[str, Any]) -> list[tuple[str, str, list[dict[str, Any]]]]:
    by_place = {(cell["env"], cell["arms"]): cell for cell in found["cells"]}
    return [
        (env, agent, [by_place[env, k] for k in settings["arms"]])
        for env in settings["envs"]
        for agent in settings["agents"]
    ]


def _with_interval(cell: dict[str, Any], agent: str, best: str) -> str:
    regret = cell["agents"][agent]["regret"]
    half = f" ± {regret['ci95'][1] - regret['mean']:.3f}" if regret["ci95"] else ""
    mean = f"{regret['mean']:.3f}"
    return (best.format(mean) if agent in cell["level"] else mean) + half
