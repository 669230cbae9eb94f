"""Claims of the paper about the entropy of choices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.core.claims import Claim, verdict

if TYPE_CHECKING:
    from experiments.studies.entropy.study import Summary


def claims(found: Summary) -> list[Claim]:
    """Return all claims with verdicts."""
    return [_lowest_entropy(found), _greedy_then_exploring(found), _constant_entropy(found), _second_trial(found)]


def _lowest_entropy(found: Summary) -> Claim:
    entropy = {agent: values.entropy for agent, values in found.over_time.items()}
    ranked = sorted(entropy, key=lambda agent: entropy[agent])
    evidence = ", ".join(f"{agent} {entropy[agent]:.2f}" for agent in ranked) + " nats"
    statement = "NSA's choices have the lowest entropy of all agents on average"
    return Claim("entropy", statement, evidence, verdict(ranked[0] == "nsa", partly=ranked[1] == "nsa"))


def _greedy_then_exploring(found: Summary) -> Claim:
    entropy = [level.agents["nsa"].entropy[0] for level in found.by_certainty]
    low, high = entropy[0], entropy[-1]
    evidence = f"choice entropy in trial 1: {low:.2f} nats at the most certain rewards, {high:.2f} at the least certain"
    statement = "NSA is greedy while rewards are certain and explores when they are not"
    return Claim("entropy", statement, evidence, verdict(high > 3 * low, partly=high > low))


def _constant_entropy(found: Summary) -> Claim:
    entropy = [level.agents["epsilon-greedy"].entropy[0] for level in found.by_certainty]
    ratio = max(entropy) / min(entropy)
    evidence = f"from {min(entropy):.2f} to {max(entropy):.2f} nats in trial 1"
    statement = "the entropy of epsilon-greedy's choices stays the same throughout"
    return Claim("entropy", statement, evidence, verdict(ratio < 1.3, partly=ratio < 2))


def _second_trial(found: Summary) -> Claim:
    def loss(agent: str) -> float:
        trials = [level.agents[agent].regret for level in found.by_certainty]
        return sum(second - first for first, second in trials) / len(trials)

    change = {agent: loss(agent) for agent in ("thompson", "epsilon-greedy", "nsa", "ucb1")}
    suffer = [change[agent] > 0.02 for agent in ("thompson", "epsilon-greedy")]
    more = min(change["thompson"], change["epsilon-greedy"]) > change["nsa"]
    evidence = "regret of trial 2 minus trial 1: " + ", ".join(f"{agent} {x:+.2f}" for agent, x in change.items())
    statement = "Thompson sampling and epsilon-greedy suffer in the second trial, NSA and UCB less"
    return Claim("entropy", statement, evidence, verdict(all(suffer) and more, partly=any(suffer)))
