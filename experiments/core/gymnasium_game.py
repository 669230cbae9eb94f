"""Our agents in other people's bandits: any Gymnasium environment with a discrete choice."""

from __future__ import annotations

from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete

from experiments.core.agents import Agent
from nsa_brian.common.checks import check_integer


class Played(NamedTuple):
    """What happened: arms from 0, rewards and Gymnasium's ``info`` of each round."""

    arms: np.ndarray
    rewards: np.ndarray
    infos: list[dict[str, Any]]


def play_gymnasium(
    env: gymnasium.Env[Any, Any], agent: Agent, n_rounds: int | None = None, seed: int | None = None
) -> Played:
    """Let an agent play one game of a Gymnasium environment; what it observes is not looked at.

    Parameters
    ----------
    env : gymnasium.Env
        Its actions are ``Discrete``, its rewards lie from 0 to 1, as our agents expect.
    agent : NSA, a baseline or any other with the two verbs
        Made for one game with ``int(env.action_space.n)`` arms.
    n_rounds : int, optional
        Rounds to play. An episode that ends before is followed by the next one, in which the agent goes on with what
        it has learnt. By default one episode is played, however long it is.
    seed : int, optional
        Of the environment. Take another one than the agent's: an environment that draws from Gymnasium's generator
        would have the very numbers that the agent draws, and the agent's whims would go with its luck.

    Raises
    ------
    ValueError
        For another kind of actions, a reward out of range, or an agent that is not made for this environment.
    """
    space = env.action_space
    if not isinstance(space, Discrete):
        raise ValueError(f"a bandit's action space must be Discrete(K), got {space}")
    if n_rounds is not None:
        check_integer("n_rounds", n_rounds, 1)
    arms: list[int] = []
    rewards: list[float] = []
    infos: list[dict[str, Any]] = []
    env.reset(seed=seed)
    while True:
        arm = agent.select_arm()
        if np.ndim(arm) or not 0 <= arm < space.n:
            raise ValueError(f"the agent must be made for one game with {space.n} arms, but it chose {arm}")
        _, given, terminated, truncated, info = env.step(space.start + arm)
        reward = float(given)
        if not 0 <= reward <= 1:
            raise ValueError(f"rewards must lie from 0 to 1, got {reward}; see gymnasium.wrappers.TransformReward")
        agent.update(arm, reward)
        arms.append(arm)
        rewards.append(reward)
        infos.append(info)
        over = terminated or truncated
        if len(arms) == n_rounds or (over and n_rounds is None):
            return Played(np.array(arms), np.array(rewards), infos)
        if over:
            env.reset()
