"""Predictive check: statistics of choices that fitted agents make, beside those of the subjects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from experiments.studies.fit.candidates import Candidate, Values
from experiments.studies.fit.data import Game, Subject

#: Parts of a game in learning curves.
PARTS = 10
#: Trials of the subject, nearest in time, from which the reward of a simulated choice is drawn.
NEAREST = 10
#: A reward of at least this is a win.
WIN = 0.5


@dataclass(frozen=True)
class Statistics:
    """Statistics of choices.

    Attributes
    ----------
    switch : float
        Share of choices that differ from the one before.
    win_stay, lose_shift : float
        Share of repeated choices after a win, and of other choices after a loss; None if there were none.
    reward : list of float
        Mean reward in each tenth of a game: the learning curve; None where there are no trials.
    """

    switch: float | None
    win_stay: float | None
    lose_shift: float | None
    reward: list[float | None]

    @classmethod
    def of_array(cls, found: np.ndarray) -> Statistics:
        """Return statistics from numbers in the order of the attributes, nan for None."""
        switch, win_stay, lose_shift, *reward = (None if np.isnan(x) else float(x) for x in found)
        return cls(switch, win_stay, lose_shift, reward)


def statistics(played: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Return the statistics of games, arms and rewards (repetitions, trials) of each, as :class:`Statistics` takes."""
    stays, wins, sums, counts = [], [], np.zeros(PARTS), np.zeros(PARTS)
    for arms, rewards in played:
        stays.append((arms[:, 1:] == arms[:, :-1]).ravel())
        wins.append((rewards[:, :-1] >= WIN).ravel())
        part = np.arange(arms.shape[1]) * PARTS // arms.shape[1]
        np.add.at(sums, part, rewards.mean(axis=0))
        np.add.at(counts, part, 1)
    stay, win = np.concatenate(stays), np.concatenate(wins)
    with np.errstate(invalid="ignore"):
        curve = sums / counts
    return np.array([1 - _mean(stay), _mean(stay[win]), 1 - _mean(stay[~win]), *curve])


def of_subject(subject: Subject) -> np.ndarray:
    """Return the statistics of a subject."""
    return statistics([(game.arms[None], game.rewards[None]) for game in subject.games])


def of_agent(
    agent: Candidate, values: Values, subject: Subject, n_arms: int, n: int, rng: np.random.Generator
) -> np.ndarray:
    """Return the statistics of n simulated subjects with the values (1,) of an agent's parameters.

    They play the subject's games: as many trials, with the same arms offered. How arms paid is known only where the
    subject chose them: the reward of a simulated choice is one that the subject got from the same arm, drawn from
    those nearest in time.
    """
    repeated = {name: np.repeat(value, n) for name, value in values.items()}
    return statistics([simulated(agent, repeated, game, n_arms, n, rng) for game in subject.games])


def simulated(
    agent: Candidate, values: Values, game: Game, n_arms: int, n: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return arms and rewards (n, trials) of simulated subjects in a subject's game."""
    pays = _rewards_nearby(game, n_arms)
    player = agent.player(values, n_arms, n, rng.spawn(1)[0])
    arms, rewards = np.empty((n, len(game)), dtype=np.intp), np.empty((n, len(game)))
    for t in range(len(game)):
        probable = player.probabilities(None if game.offered is None else game.offered[t])
        arms[:, t] = draw(probable, rng.random(n))
        rewards[:, t] = pays[t, arms[:, t], (rng.random(n) * NEAREST).astype(np.intp)]
        player.learn(arms[:, t], rewards[:, t])
    return arms, rewards


def draw(probabilities: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """Draw an arm of each game from probabilities (games, arms) by uniform random numbers (games,)."""
    upto = probabilities.cumsum(axis=1)
    found = (upto <= (uniform * upto[:, -1])[:, None]).sum(axis=1)
    return np.minimum(found, probabilities.shape[1] - 1)


def _rewards_nearby(game: Game, n_arms: int) -> np.ndarray:
    """Return the rewards (trials, arms, NEAREST) of the pulls of each arm that are nearest in time to each trial."""
    found = np.empty((len(game), n_arms, NEAREST))
    for arm in range(n_arms):
        times = np.flatnonzero(game.arms == arm)
        if not times.size:  # never chosen: any reward of the game
            times = np.arange(len(game))
        order = np.abs(times - np.arange(len(game))[:, None]).argsort(axis=1, kind="stable")[:, :NEAREST]
        found[:, arm] = game.rewards[times[order[:, np.arange(NEAREST) % order.shape[1]]]]
    return found


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if values.size else float("nan")
