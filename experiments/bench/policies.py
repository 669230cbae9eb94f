"""Time per round of each policy that NSA is compared with, in a batch of games and in a single game."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import baselines
import envs
from experiments.bench.plain_policies import PLAIN
from nsa_brian.common.game_streams import streams

ARMS = (10, 200)
GAMES = 256
#: Rounds timed together.
STRETCH = 10


def measure(
    n_rounds: int, tick: Callable[[str], None] = lambda what: None, names: Iterable[str] = baselines.compared()
) -> dict[str, float]:
    """Return microseconds per game and round of selection and learning, by policy and number of arms."""
    found = {}
    for name in names:
        tick(f"{name}, {GAMES} games")
        for k in ARMS:
            found[f"policy.{name}.us_per_game_round.k{k}"] = 1e6 * policy_round(name, k, n_rounds) / GAMES
            if name in PLAIN:
                ours, plain = single_rounds(name, k, n_rounds)
                found[f"single.{name}.us_per_round.k{k}"] = 1e6 * ours
                found[f"plain.{name}.us_per_round.k{k}"] = 1e6 * plain
                found[f"ratio.single_over_plain.{name}.k{k}"] = ours / plain
    return found


def single_rounds(name: str, n_arms: int, n_rounds: int) -> tuple[float, float]:
    """Return seconds per round of a single game: of a policy, and of the same in plain Python. Both take turns.

    Each is the median over stretches; the first rounds, in which each arm is pulled once, are not counted.
    """
    players: tuple[Any, Any] = baselines.make(name, n_arms, seed=0), PLAIN[name](n_arms)
    chances = np.linspace(0.1, 0.9, n_arms).tolist()
    times: list[list[float]] = [[], []]
    for start in range(0, n_arms + n_rounds, STRETCH):
        uniform = np.random.default_rng(start).random(STRETCH).tolist()
        for player, found in zip(players, times, strict=True):
            begin = time.perf_counter()
            for number in uniform:
                arm = player.select_arm()
                player.update(arm, int(number < chances[arm]))
            if start >= n_arms:
                found.append((time.perf_counter() - begin) / STRETCH)
    ours, plain = np.median(times, axis=1)
    return float(ours), float(plain)


def policy_round(name: str, n_arms: int, n_rounds: int) -> float:
    """Return seconds per round of a policy in a batch of games."""
    policy = baselines.make(name, n_arms, n_games=GAMES, rng=streams(0, "agent", range(GAMES)))
    return agent_round(policy, n_arms, n_rounds)


def agent_round(policy: Any, n_arms: int, n_rounds: int) -> float:
    """Return the best time per round, in seconds, of selection and learning in a batch of games on MAB-P.

    The first rounds, in which each arm is pulled once, are not counted.
    """
    bandit = envs.make("MAB-P", n_arms, n_games=GAMES)
    bandit.reset(streams(0, "bandit", range(GAMES)))
    if hasattr(policy, "watch"):
        policy.watch(bandit)
    times = []
    for _ in range(n_arms + n_rounds):
        start = time.perf_counter()
        arms = policy.select_arm()
        selected = time.perf_counter()
        rewards = bandit.pull(arms)
        paid = time.perf_counter()
        policy.update(arms, rewards)
        times.append(selected - start + time.perf_counter() - paid)
        bandit.step()
    return min(sum(times[i : i + STRETCH]) for i in range(n_arms, n_arms + n_rounds - STRETCH + 1, STRETCH)) / STRETCH
