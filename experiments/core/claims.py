"""What the paper says, held against what came out, with a number and a verdict each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

AGREES, PARTLY, NO = "agrees", "partly", "no"


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, our number, and whether they agree."""

    study: str
    statement: str
    evidence: str
    verdict: str


def claims(summaries: Mapping[str, dict[str, Any]]) -> list[Claim]:
    """All claims that the studies at hand can judge; summaries are by the study's name."""
    made: list[Claim] = []
    if "table" in summaries:
        made += [_solid(summaries["table"]), _large_k(summaries["table"])]
    if "entropy" in summaries:
        found = summaries["entropy"]
        made += [_lowest_entropy(found), _greedy_then_exploring(found), _constant_entropy(found), _second_trial(found)]
    if "updates" in summaries:
        made.append(_signs(summaries["updates"]))
    return made


def _solid(found: dict[str, Any]) -> Claim:
    won, cells = found["cells_won_or_level"]["nsa"], len(found["cells"])
    most = max(value for agent, value in found["cells_won_or_level"].items() if agent != "nsa")
    verdict = AGREES if won > cells / 2 and won >= most else PARTLY if won >= cells / 3 else NO
    evidence = f"best or level with the best in {won} of {cells} cells; the next best agent in {most}"
    return Claim("table", "NSA is most of the time as good as the other algorithms or better", evidence, verdict)


def _large_k(found: dict[str, Any]) -> Claim:
    by_arms: dict[int, list[float]] = {}
    for cell in found["cells"]:
        by_arms.setdefault(cell["arms"], []).append(cell["agents"]["nsa"]["regret"]["mean"])
    means = {arms: sum(values) / len(values) for arms, values in by_arms.items()}
    few, many = means[min(means)], means[max(means)]
    verdict = AGREES if many < 1.25 * few else PARTLY if many < 2 * few else NO
    evidence = f"mean regret {few:.3f} at {min(means)} arms, {many:.3f} at {max(means)}"
    return Claim("table", "a large number of arms is no significant challenge for NSA", evidence, verdict)


def _lowest_entropy(found: dict[str, Any]) -> Claim:
    entropy = {agent: values["entropy"] for agent, values in found["over_time"].items()}
    ranked = sorted(entropy, key=lambda agent: entropy[agent])
    evidence = ", ".join(f"{agent} {entropy[agent]:.2f}" for agent in ranked) + " nats"
    verdict = AGREES if ranked[0] == "nsa" else PARTLY if ranked[1] == "nsa" else NO
    return Claim("entropy", "NSA's choices have the lowest entropy of all agents on average", evidence, verdict)


def _by_level(found: dict[str, Any], agent: str, measure: str) -> list[list[float]]:
    """Trial 1 and 2 of a measure at each level, from the most certain rewards to the least."""
    levels = sorted(found["peaked"], key=lambda level: level["reward_entropy"])
    return [level["agents"][agent][measure] for level in levels]


def _greedy_then_exploring(found: dict[str, Any]) -> Claim:
    entropy = [trials[0] for trials in _by_level(found, "nsa", "entropy")]
    low, high = entropy[0], entropy[-1]
    verdict = AGREES if high > 3 * low else PARTLY if high > low else NO
    evidence = f"choice entropy in trial 1: {low:.2f} nats at the most certain rewards, {high:.2f} at the least certain"
    return Claim("entropy", "NSA is greedy while rewards are certain and explores when they are not", evidence, verdict)


def _constant_entropy(found: dict[str, Any]) -> Claim:
    entropy = [trials[0] for trials in _by_level(found, "epsilon-greedy", "entropy")]
    ratio = max(entropy) / min(entropy)
    verdict = AGREES if ratio < 1.3 else PARTLY if ratio < 2 else NO
    evidence = f"from {min(entropy):.2f} to {max(entropy):.2f} nats in trial 1"
    return Claim("entropy", "the entropy of epsilon-greedy's choices stays the same throughout", evidence, verdict)


def _second_trial(found: dict[str, Any]) -> Claim:
    def loss(agent: str) -> float:
        trials = _by_level(found, agent, "regret")
        return sum(second - first for first, second in trials) / len(trials)

    change = {agent: loss(agent) for agent in ("thompson", "epsilon-greedy", "nsa", "ucb1")}
    suffer = [change[agent] > 0.02 for agent in ("thompson", "epsilon-greedy")]
    more = min(change["thompson"], change["epsilon-greedy"]) > change["nsa"]
    verdict = AGREES if all(suffer) and more else PARTLY if any(suffer) else NO
    evidence = "regret of trial 2 minus trial 1: " + ", ".join(f"{agent} {x:+.2f}" for agent, x in change.items())
    statement = "Thompson sampling and epsilon-greedy suffer in the second trial, NSA and UCB less"
    return Claim("entropy", statement, evidence, verdict)


def _signs(found: dict[str, Any]) -> Claim:
    first, second = (trial["early"] for trial in found["trials"][:2])
    rises = first["update"] > 2 * first["update_se"]
    falls = second["update"] < -2 * second["update_se"]
    verdict = AGREES if rises and falls else PARTLY if rises and second["update"] < first["update"] else NO
    shown = [f"{part['update']:+.4f} ± {part['update_se']:.4f}" for part in (first, second)]
    evidence = (
        f"mean weight change in the first {found['early_rounds']} rounds: {shown[0]} in trial 1, {shown[1]} in trial 2"
    )
    statement = "weight updates are positive at first, and negative after the bandit has changed"
    return Claim("updates", statement, evidence, verdict)
