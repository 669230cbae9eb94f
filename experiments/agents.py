"""All agents by name: NSA and the baselines."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

import baselines
from nsa_brian import NSAParameters


def names() -> tuple[str, ...]:
    """All agents, those included that a user has entered into ``baselines.POLICIES``."""
    return ("nsa", *baselines.POLICIES)


#: The agents of the paper's comparison, and chance.
PAPER = ("nsa", "thompson", "epsilon-greedy", "ucb1", "random")


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
        if name not in known:
            near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]}? " if near else ""
            raise ValueError(f"unknown agent {name!r}; {hint}known: {', '.join(known)}")
        if list(chosen).count(name) > 1:
            raise ValueError(f"agent {name!r} is named twice")


def make_agent(
    name: str, n_arms: int, n_games: int, rng: np.random.Generator, parameters: NSAParameters, engine: str, ties: str
) -> Agent:
    """Build an agent for many games at once; the last three arguments matter to ``nsa`` only."""
    if name == "nsa":
        from nsa_brian import NSA  # here, so that the baselines play without Brian2

        return NSA(n_arms, parameters, engine, n_games=n_games, ties=ties, rng=rng)
    return baselines.make(name, n_arms, n_games=n_games, rng=rng)
