"""``glr-klucb``: kl-UCB that restarts when a generalized likelihood ratio test finds a change."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from baselines.bernoulli import divergence
from baselines.index import KLPolicy
from baselines.scalars import any_of, column
from baselines.tunable import POSITIVE, Tunable
from nsa_brian.common.texts import shown

RESTARTS = ("local", "global")
#: Every tenth pull of an arm is a test, and a possible change point of later tests, as in the paper.
STRIDE = 10


class GLRKLUCB(KLPolicy):
    """Pull the arm with the largest q, n kl(mean, q) <= xi ln t, since its last change; sometimes all arms in turn.

    The arms take turns in the first K of every floor(K / alpha) rounds (in random order), counted from the last global
    restart, so that turns are not synchronous with periodic changes of a bandit. An arm has changed if its n
    rewards, of mean m, can be split into the first s, of mean m1, and the rest, of mean m2, such that s kl(m1, m) +
    (n - s) kl(m2, m) >= ln(3 n^(3/2) / delta): the generalized likelihood ratio test. Reference: Besson, Kaufmann,
    Maillard and Seznec (2022), Efficient Change-Point Detection for Tackling Piecewise-Stationary Bandits.

    Parameters
    ----------
    delta : float
        Approximate probability of a false alarm; values above 1 lower the threshold further.
    epsilon : float
        alpha, share of rounds in which the arms take turns.
    exploration : float
        xi, 1 in the paper.
    restart : {"local", "global"}
        Whether a change resets its arm or all arms. The paper has both and prefers the first if arms change singly.
    **settings
        See :class:`baselines.base.Policy`.
    """

    tunable: ClassVar[dict[str, Tunable]] = {
        "delta": Tunable(1e-6, 0.9, "log", (1e-300, 1e9), meaning="probability of a false alarm, roughly"),
        "epsilon": Tunable(0.001, 0.5, "log", meaning="share alpha of rounds in which the arms take turns"),
        "exploration": Tunable(0.001, 4, "log", POSITIVE, meaning="weight xi of the uncertainty"),
    }

    def __init__(
        self,
        n_arms: int,
        *,
        delta: Any = 0.01,
        epsilon: Any = 0.05,
        exploration: Any = 1.0,
        restart: str = "global",
        **settings: Any,
    ) -> None:
        super().__init__(n_arms, **settings)
        if restart not in RESTARTS:
            raise ValueError(f"restart must be one of {', '.join(RESTARTS)}, got {shown(restart)}")
        self.delta, self.epsilon = self._tuned("delta", delta), self._tuned("epsilon", epsilon)
        self.exploration, self.restart = self._tuned("exploration", exploration), restart
        self._round, self._since = 0, np.zeros((self.n_games, n_arms))
        self._since_of = self._cells(self._since)
        # A log for each game: arm, number of pulls and sum of rewards after every tenth pull of an arm.
        self._noted = np.zeros(self.n_games, np.intp)
        self._arm = np.full((self.n_games, 64), -1)
        self._pulls_then = np.zeros((self.n_games, 64))
        self._sum_then = np.zeros((self.n_games, 64))

    def _budget(self) -> Any:
        return column(self.exploration) * np.log(np.maximum(self._round - self._since, 1))

    def _select(self) -> Any:
        return self._take_turns(self.epsilon, self._turns())

    def _probabilities(self, offered: np.ndarray) -> np.ndarray:
        return self._turn_probabilities(self.epsilon, self._turns(), offered)

    def _turns(self) -> Any:
        """Return the rounds since the turns of the arms began."""
        # A local restart does not restart the turns of the other arms, which would cost regret with many arms.
        return self._round - (self._since_of[self._at(0)] if self.restart == "global" else 0)

    def _learn(self, arms: Any, rewards: Any) -> None:
        super()._learn(arms, rewards)
        self._round += 1
        due = self._pulls[self._at(arms)] % STRIDE == 0
        if any_of(due):
            games, arms = np.flatnonzero(due), np.atleast_1d(arms)
            changed = self._changed(games, arms[games])
            self._start_anew(games[changed], arms[games[changed]])
            self._note(games[~changed], arms[games[~changed]])

    def _changed(self, games: np.ndarray, arms: np.ndarray) -> np.ndarray:
        """Return whether the test finds a change in the given arm of each of these games."""
        known = slice(self._noted[games].max())
        mine = self._arm[games, known] == arms[:, None]
        n, total = self.pulls[games, arms][:, None], self._sums[games, arms][:, None]
        s = np.where(mine, self._pulls_then[games, known], 1)
        first = np.where(mine, self._sum_then[games, known], 0)
        before, after, mean = first / s, (total - first) / np.maximum(n - s, 1), total / n
        ratio = s * divergence(before, mean) + (n - s) * divergence(after, mean)
        threshold = np.log(3 * n**1.5 / column(self.delta if self._alone else self.delta[games]))
        return (mine & (ratio >= threshold)).any(axis=1)

    def _note(self, games: np.ndarray, arms: np.ndarray) -> None:
        """Add pulls and sum of the arm of each of these games to the log."""
        if games.size and self._noted[games].max() == self._arm.shape[1]:
            self._arm = np.concatenate([self._arm, np.full_like(self._arm, -1)], axis=1)
            self._pulls_then, self._sum_then = (
                np.concatenate([past, np.zeros_like(past)], axis=1) for past in (self._pulls_then, self._sum_then)
            )
        at = games, self._noted[games]
        self._arm[at], self._pulls_then[at] = arms, self.pulls[games, arms]
        self._sum_then[at] = self._sums[games, arms]
        self._noted[games] += 1

    def _start_anew(self, games: np.ndarray, arms: np.ndarray) -> None:
        """Reset the arm of each of these games, or all their arms."""
        if self.restart == "global":
            self._forget(games)
            self._since[games], self._arm[games], self._noted[games] = self._round, -1, 0
            return
        self._forget(games, arms)
        self._since[games, arms] = self._round
        self._arm[games] = np.where(self._arm[games] == arms[:, None], -1, self._arm[games])
