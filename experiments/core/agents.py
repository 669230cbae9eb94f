"""All agents by name: NSA, with any parameters and model, and the baselines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any, Protocol

import baselines
from experiments.core.nsa_agents import is_nsa
from experiments.core.randomness import GameStreams
from nsa_brian.errors import closest, shown

#: The agents of the paper's comparison, and chance.
PAPER_AGENTS = ("nsa", "thompson", "epsilon-greedy", "ucb1", "random")

#: A name that stands for NSA and all policies, with their tuned parameters where there are any.
STATE_OF_THE_ART = "state-of-the-art"


def names() -> tuple[str, ...]:
    """All agents but those of the kind ``nsa:WHAT``; those included that a user entered into ``baselines.POLICIES``."""
    return ("nsa", *baselines.POLICIES, *(f"{name}:tuned" for name in tuned()))


@cache
def tuned() -> dict[str, dict[str, float]]:
    """The parameters that ``nsa tune`` found for the policies, as shipped."""
    record = json.loads((resources.files("experiments") / "data" / "tuned.json").read_text("utf-8"))
    return {name: found["settings"] for name, found in record["policies"].items()}


def expand(chosen: Sequence[str]) -> tuple[str, ...]:
    """The agents that are meant, in place of ``state-of-the-art``: every policy, tuned where it was."""
    group = ("nsa", *(f"{name}:tuned" if name in tuned() else name for name in baselines.POLICIES))
    return tuple(name for given in chosen for name in (group if given == STATE_OF_THE_ART else (given,)))


def sees_the_bandit(name: str) -> bool:
    """Whether an agent is told what it could not know: a mark on the scale rather than a contender."""
    return hasattr(baselines.POLICIES.get(name.partition(":")[0]), "watch")


class Agent(Protocol):
    """The two verbs of an agent."""

    def select_arm(self) -> Any:
        """The arm to pull next."""

    def update(self, arm: Any, reward: Any) -> None:
        """Learn from its reward."""


def check_names(chosen: Sequence[str]) -> None:
    """Refuse an unknown, repeated or missing name."""
    known = names()
    if not chosen:
        raise ValueError(f"no agent was named; known: {', '.join(known)}")
    for name in chosen:
        if name not in known and not is_nsa(name):
            near = closest(name, known, 0.5)
            hint = f"did you mean {near}? " if near else ""
            raise ValueError(f"unknown agent {shown(name)}; {hint}known: {', '.join(known)}")
        if list(chosen).count(name) > 1:
            raise ValueError(f"agent {shown(name)} is named twice")


def make_policy(name: str, n_arms: int, n_games: int, rng: GameStreams) -> Agent:
    """Return a baseline for many games at once, tuned if its name says so."""
    policy, _, variant = name.partition(":")
    return baselines.make(policy, n_arms, n_games=n_games, rng=rng, **(tuned()[policy] if variant else {}))
