"""Claims of the paper about the comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.core.claims import Claim, verdict

if TYPE_CHECKING:
    from experiments.studies.table.study import Summary


def claims(found: Summary) -> list[Claim]:
    """Return all claims with verdicts."""
    return [_solid(found), _large_k(found)]


def _solid(found: Summary) -> Claim:
    won, cells = found.cells_won_or_level["nsa"], len(found.cells)
    most = max(value for agent, value in found.cells_won_or_level.items() if agent != "nsa")
    evidence = f"best or level with the best in {won} of {cells} cells; the next best agent in {most}"
    statement = "NSA is most of the time as good as the other algorithms or better"
    return Claim("table", statement, evidence, verdict(won > cells / 2 and won >= most, partly=won >= cells / 3))


def _large_k(found: Summary) -> Claim:
    by_arms: dict[int, list[float]] = {}
    for cell in found.cells:
        by_arms.setdefault(cell.arms, []).append(cell.agents["nsa"].regret.mean)
    means = {arms: sum(values) / len(values) for arms, values in by_arms.items()}
    few, many = means[min(means)], means[max(means)]
    evidence = f"mean regret {few:.3f} at {min(means)} arms, {many:.3f} at {max(means)}"
    statement = "a large number of arms is no significant challenge for NSA"
    return Claim("table", statement, evidence, verdict(many < 1.25 * few, partly=many < 2 * few))
