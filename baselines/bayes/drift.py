"""Beliefs about ``MAB-D``: probabilities that relax to targets, all of which change at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from baselines.bayes.beliefs import Beliefs, clipped_normal

#: Points of the grid for the start of a stretch and for the target.
POINTS = 21


class DriftBeliefs(Beliefs):
    """Joint posterior of start and target of each arm on a grid; the index is the mean of p + c standard deviations.

    Between two changes of the targets p = q + (s - q) d, with start s, target q and d = (1 - 1 / tau)^age, so that the
    posterior of (s, q) of an arm changes with its own outcomes only. The targets of all arms change when their mean
    distance falls below delta. The agent cannot see that, and takes the moment at which the expected distance does,
    which is nearly right with many arms. Then s is p, and q is drawn anew.

    Parameters
    ----------
    bandit : envs.drift.Drift
        Its tau, delta, distance, mean and sd are used.
    n_games, n_arms : int
    c : float
        Weight of the standard deviation.
    """

    def __init__(self, bandit: Any, n_games: int, n_arms: int, c: float = 1.5) -> None:
        self._c, self._games, self._age = c, np.arange(n_games), np.zeros(n_games)
        self._keep, self._delta = 1 - 1 / bandit.tau, bandit.delta * (1 if bandit.distance == "mean" else 1 / n_arms)
        self._points, self._prior = clipped_normal(bandit.mean, bandit.sd, POINTS)
        s, q = np.meshgrid(self._points, self._points, indexing="ij")
        self._s, self._q = s.ravel(), q.ravel()
        # Moments of (s, q) that mean and variance of p and the distance follow from, (6, games, arms).
        s, q = self._s, self._q
        self._functions = np.stack([s, q, s * s, q * q, s * q, np.abs(q - s)], axis=1)
        weights = np.outer(self._prior, self._prior).ravel()
        self._weights = np.tile(weights, (n_games, n_arms, 1))
        self._moments = np.tile((weights @ self._functions)[:, None, None], (1, n_games, n_arms))

    def index(self) -> np.ndarray:
        """Return mean + c sd of p in this round."""
        d = (self._keep**self._age)[:, None]
        s, q, ss, qq, sq, _ = self._moments
        mean = q + d * (s - q)
        second = qq + 2 * d * (sq - qq) + d * d * (ss - 2 * sq + qq)
        return mean + self._c * np.sqrt(np.maximum(second - mean**2, 0))

    def learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        """Correct the posterior of the pulled arms; draw new targets where they are due."""
        at = self._games, arms
        p = self._q + (self._keep**self._age)[:, None] * (self._s - self._q)
        r = rewards[:, None]
        weights = self._weights[at] * (r * p + (1 - r) * (1 - p))
        weights /= weights.sum(axis=1, keepdims=True)
        self._weights[at], self._moments[:, *at] = weights, (weights @ self._functions).T
        self._age += 1
        distance = self._moments[-1].mean(axis=1) * self._keep**self._age
        for game in np.flatnonzero(distance < self._delta):
            self._change(game)

    def _change(self, game: int) -> None:
        """Draw new targets of all arms of a game; p becomes the start."""
        p = self._q + self._keep ** self._age[game] * (self._s - self._q)
        place = p * (POINTS - 1)
        below = np.minimum(place.astype(int), POINTS - 2)
        share = place - below
        to_point = np.zeros((len(p), POINTS))
        to_point[np.arange(len(p)), below] = 1 - share
        to_point[np.arange(len(p)), below + 1] = share
        start = self._weights[game] @ to_point
        self._weights[game] = (start[:, :, None] * self._prior).reshape(len(start), -1)
        self._moments[:, game] = (self._weights[game] @ self._functions).T
        self._age[game] = 0
