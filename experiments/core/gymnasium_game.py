"""Our agents in Gymnasium environments with discrete actions."""

from __future__ import annotations

from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete

from experiments.core.agents import Agent
from nsa_brian.common.checks import check_integer


class Played(NamedTuple):
    """Arms (from 0), rewards and Gymnasium's ``info`` of each round."""

    arms: np.ndarray
    rewards: np.ndarray
    infos: list[dict[str, Any]]


def play_gymnasium(
    env: gymnasium.Env[Any, Any], agent: Agent, n_rounds: int | None = None, seed: int | None = None
) -> Played:
    """Play one game in a Gymnasium environment; observations are ignored.

    Parameters
    ----------
    env : gymnasium.Env
        Actions must be ``Discrete``, rewards in [0, 1].
    agent : NSA, a baseline or any other Agent
        Made for one game with ``int(env.action_space.n)`` arms.
    n_rounds : int, optional
        Rounds to play. If an episode ends earlier, the next one follows, and the agent keeps what it has learnt. By
        default one episode is played.
    seed : int, optional
        Seed of the environment. Use another one than the agent's: with the same seed, agent and environment would
        share one random stream.

    Raises
    ------
    ValueError
        If the actions are not discrete, a reward is out of range, or the agent has other arms or several games.
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
            raise ValueError(f"rewards must be in [0, 1], got {reward}; see gymnasium.wrappers.TransformReward")
        agent.update(arm, reward)
        arms.append(arm)
        rewards.append(reward)
        infos.append(info)
        over = terminated or truncated
        if len(arms) == n_rounds or (over and n_rounds is None):
            return Played(np.array(arms), np.array(rewards), infos)
        if over:
            env.reset()
