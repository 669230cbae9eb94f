"""All agents by name: NSA, with any parameters and model, and the baselines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any, Protocol

import baselines
from experiments.core.nsa_agents import is_nsa
from nsa_brian.common.game_streams import GameStreams
from nsa_brian.errors import closest, shown
from nsa_brian.parameter_set import BEST

#: The agents of the paper's comparison, and random choice.
PAPER_AGENTS = ("nsa", "thompson", "epsilon-greedy", "ucb1", "random")

#: Name of the group of NSA and the policies that it is compared with, with tuned parameters if available.
STATE_OF_THE_ART = "state-of-the-art"


def names() -> tuple[str, ...]:
    """Return the names of all agents, users' entries in ``baselines.POLICIES`` included, except ``nsa:WHAT``."""
    return ("nsa", *baselines.POLICIES, *(f"{name}:tuned" for name in tuned()))


@cache
def tuned() -> dict[str, dict[str, float]]:
    """Return the shipped parameters of policies tuned by ``nsa tune``."""
    record = json.loads((resources.files("experiments") / "data" / "tuned.json").read_text("utf-8"))
    return {name: found["settings"] for name, found in record["policies"].items()}


def expand(chosen: Sequence[str]) -> tuple[str, ...]:
    """Replace ``state-of-the-art`` by NSA, the best NSA, and every policy they are compared with, tuned if possible."""
    group = ("nsa", f"nsa:{BEST}", *(f"{name}:tuned" if name in tuned() else name for name in baselines.compared()))
    return tuple(name for given in chosen for name in (group if given == STATE_OF_THE_ART else (given,)))


def sees_the_bandit(name: str) -> bool:
    """Return whether an agent sees the bandit: it is a reference point, not a contender."""
    return hasattr(baselines.POLICIES.get(name.partition(":")[0]), "watch")


class Agent(Protocol):
    """Interface of agents."""

    def select_arm(self) -> Any:
        """Return the arm to pull next."""

    def update(self, arm: Any, reward: Any) -> None:
        """Learn from the reward of an arm."""


def check_names(chosen: Sequence[str]) -> None:
    """Raise a ValueError for unknown or repeated agents, or if there are none."""
    known, policies = names(), ", ".join(("nsa", *baselines.POLICIES))
    if not chosen:
        raise ValueError(f"no agent was given; known: {policies}")
    for name in chosen:
        if name not in known and not is_nsa(name):
            near = closest(name, known, 0.5)
            hint = f"did you mean {near}? " if near else ""
            raise ValueError(
                f"unknown agent {shown(name)}; {hint}known: {policies}; most policies take :tuned behind their name"
            )
        if list(chosen).count(name) > 1:
            raise ValueError(f"agent {shown(name)} is given twice")


def check_bandit(chosen: Sequence[str], bandit: Any) -> None:
    """Raise a ValueError if an agent cannot play the bandit."""
    for name in chosen:
        if not is_nsa(name):
            baselines.POLICIES[name.partition(":")[0]].check_bandit(bandit)


def make_policy(name: str, n_arms: int, n_games: int, rng: GameStreams) -> Agent:
    """Return a baseline for a batch of games, tuned if its name ends in ``:tuned``."""
    policy, _, variant = name.partition(":")
    return baselines.make(policy, n_arms, n_games=n_games, rng=rng, **(tuned()[policy] if variant else {}))
