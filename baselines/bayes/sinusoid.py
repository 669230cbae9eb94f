"""Beliefs about ``MAB-sin`` and ``MAB-sinP``: sine waves of unknown frequency and phase, and constant arms."""

from __future__ import annotations

from typing import Any

import numpy as np

from baselines.bayes.beliefs import Beliefs

#: Points of the grid: frequencies, phases, and probabilities of constant arms.
FREQUENCIES, PHASES, CONSTANTS = 40, 24, 40


class SinusoidBeliefs(Beliefs):
    """Posterior of frequency and phase of each arm on a grid; the index is the mean of p + c standard deviations.

    The parameters of an arm do not change, so that the posterior of an arm changes with its own outcomes only. Mean and
    standard deviation of p in a round follow from the first two Fourier coefficients of the phase for each frequency.
    The first arms of ``MAB-sinP`` are known to be constant, and have a posterior of p.

    Parameters
    ----------
    bandit : envs.sinusoid.Sinusoid
        Its ranges of frequencies and constants are used.
    n_games, n_arms : int
    c : float
        Weight of the standard deviation.
    """

    def __init__(self, bandit: Any, n_games: int, n_arms: int, c: float = 1.25) -> None:
        self._c, self._round, self._n_still = c, 0, n_arms // 2 if hasattr(bandit, "constant_low") else 0
        self._games, shape = np.arange(n_games), (n_games, n_arms)
        self._mean, self._sd = np.full(shape, 0.5), np.full(shape, 8**-0.5)  # of a sine wave at a random phase
        self._omega = 2 * np.pi * _middles(bandit.f_low, bandit.f_high, FREQUENCIES) / bandit.period
        self._phase = _middles(0, 2 * np.pi, PHASES)
        angles = np.stack([self._phase, 2 * self._phase])
        self._harmonics = np.concatenate([np.cos(angles), np.sin(angles)]).T  # cos, cos 2, sin, sin 2 (phases, 4)
        self._rows = _Rows(shape, (FREQUENCIES, PHASES))
        self._moments = np.empty((0, FREQUENCIES * 4))
        if self._n_still:
            self._constant = _middles(bandit.constant_low, bandit.constant_high, CONSTANTS)
            self._still = _Rows(shape, (CONSTANTS,))
            self._mean[:, : self._n_still], self._sd[:, : self._n_still] = self._constant.mean(), self._constant.std()

    def index(self) -> np.ndarray:
        """Return mean + c sd of p in this round."""
        self._predict()
        return self._mean + self._c * self._sd

    def learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        """Correct the posterior of the pulled arms."""
        still = arms < self._n_still
        for learn, games in ((self._learn_still, np.flatnonzero(still)), (self._learn_wave, np.flatnonzero(~still))):
            if games.size:
                learn(games, arms[games], rewards[games])
        self._round += 1

    def _learn_wave(self, games: np.ndarray, arms: np.ndarray, rewards: np.ndarray) -> None:
        p = 0.5 + 0.5 * np.sin(self._omega[:, None] * self._round + self._phase)
        weights, rows = self._rows.correct(games, arms, rewards, p)
        if len(self._moments) < self._rows.capacity:
            grown = np.zeros((self._rows.capacity, self._moments.shape[1]))
            grown[: len(self._moments)] = self._moments
            self._moments = grown
        self._moments[rows] = (weights @ self._harmonics).reshape(len(rows), -1)

    def _learn_still(self, games: np.ndarray, arms: np.ndarray, rewards: np.ndarray) -> None:
        weights, _ = self._still.correct(games, arms, rewards, self._constant)
        mean = (weights * self._constant).sum(axis=1)
        self._mean[games, arms] = mean
        self._sd[games, arms] = np.sqrt(np.maximum((weights * self._constant**2).sum(axis=1) - mean**2, 0))

    def _predict(self) -> None:
        """Set mean and sd of p of all waves that were pulled."""
        angle = self._omega * self._round
        zero = np.zeros(FREQUENCIES)
        first = np.stack([np.sin(angle), zero, np.cos(angle), zero], axis=1).ravel()  # E[sin(angle + phase)]
        second = np.stack([zero, np.cos(2 * angle), zero, -np.sin(2 * angle)], axis=1).ravel()  # E[cos 2 (...)]
        sine, double = (self._moments[: self._rows.used] @ np.stack([first, second], axis=1)).T
        at = self._rows.places
        self._mean.reshape(-1)[at] = 0.5 + 0.5 * sine
        self._sd.reshape(-1)[at] = 0.5 * np.sqrt(np.maximum((1 - double) / 2 - sine**2, 0))


class _Rows:
    """Weights on a grid for those arms of a batch of games that were pulled: with many arms, few are."""

    def __init__(self, shape: tuple[int, int], grid: tuple[int, ...]) -> None:
        self._row, self._grid, self.used = np.full(shape, -1), grid, 0
        self._weights, self._places = np.empty((0, *grid)), np.empty(0, dtype=np.intp)

    @property
    def capacity(self) -> int:
        """Number of rows that memory is reserved for."""
        return len(self._weights)

    @property
    def places(self) -> np.ndarray:
        """The flat index (games x arms) of the arm of each row in use."""
        return self._places[: self.used]

    def correct(
        self, games: np.ndarray, arms: np.ndarray, rewards: np.ndarray, p: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Multiply the weights of one arm per game by the likelihood; return them, normalised, and their rows."""
        rows = self._row[games, arms]
        new = np.flatnonzero(rows < 0)
        if new.size:
            rows[new] = self._add(games[new], arms[new])
        r = rewards.reshape(-1, *[1] * p.ndim)
        weights = self._weights[rows] * (r * p + (1 - r) * (1 - p))
        weights /= weights.sum(axis=tuple(range(1, weights.ndim)), keepdims=True)
        self._weights[rows] = weights
        return weights, rows

    def _add(self, games: np.ndarray, arms: np.ndarray) -> np.ndarray:
        rows = np.arange(self.used, self.used + len(games))
        self.used += len(games)
        if self.used > self.capacity:
            size = max(2 * self.capacity, self.used, 64)
            grown = np.ones((size, *self._grid))
            grown[: self.capacity] = self._weights
            places = np.zeros(size, dtype=np.intp)
            places[: self.capacity] = self._places
            self._weights, self._places = grown, places
        self._row[games, arms] = rows
        self._places[rows] = games * self._row.shape[1] + arms
        return rows


def _middles(low: float, high: float, n: int) -> np.ndarray:
    """Return the middles of n equal parts of a range."""
    return low + (np.arange(n) + 0.5) * (high - low) / n
