"""Simulated subjects with known parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

import envs
from experiments.studies.fit.candidates import Candidate, Values
from experiments.studies.fit.predictive import draw


def typical_values(agent: Candidate, n: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Return values (n,) of the free parameters, drawn from their typical ranges."""
    return {gene.name: gene.draw(rng.random(n)) for gene in agent.genes}


def simulate(
    agent: Candidate, values: Values, bandit: envs.Bandit, n_rounds: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return arms and rewards (subjects, rounds) of subjects with the values (subjects,) of their parameters.

    Parameters
    ----------
    agent : Candidate
    values : mapping
    bandit : Bandit
        One game for each subject; it is reset.
    n_rounds : int
    rng : numpy.random.Generator
    """
    n, pairs = bandit.n_games, []
    player = agent.player(values, bandit.n_arms, n, rng.spawn(1)[0])
    bandit.reset(rng.spawn(1)[0])
    for t in range(n_rounds):
        if t:
            bandit.step()
        arms = draw(player.probabilities(), rng.random(n))
        rewards: Any = np.asarray(bandit.pull(arms), dtype=float)
        player.learn(arms, rewards)
        pairs.append((arms, rewards))
    arms, rewards = (np.array(each).T for each in zip(*pairs, strict=True))
    return arms, rewards
