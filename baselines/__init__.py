"""The policies NSA is compared with. ``make("ucb1", n_arms=10)`` builds one; ``POLICIES`` names them all.

To add your own, derive from :class:`Policy`, say which arms to pull (``_select``) and what to learn (``_learn``),
and enter the class into ``POLICIES``.
"""

import difflib
from typing import Any

from baselines.base import Policy
from baselines.epsilon_greedy import EpsilonGreedy
from baselines.thompson import Thompson
from baselines.ucb1 import UCB1
from baselines.uniform import Uniform

__all__ = ["POLICIES", "Policy", "make"]

POLICIES: dict[str, type[Policy]] = {
    "thompson": Thompson,
    "epsilon-greedy": EpsilonGreedy,
    "ucb1": UCB1,
    "random": Uniform,
}


def make(name: str, n_arms: int, **settings: Any) -> Policy:
    """Build a policy by name; settings are keywords of its class."""
    if name not in POLICIES:
        near = difflib.get_close_matches(name, POLICIES, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise ValueError(f"unknown policy {name!r}; {hint}known: {', '.join(POLICIES)}")
    return POLICIES[name](n_arms, **settings)
