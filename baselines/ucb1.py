"""``ucb1``: optimism in the face of uncertainty."""

from __future__ import annotations

import numpy as np

from baselines.base import MeanPolicy, random_argmax


class UCB1(MeanPolicy):
    """Pulls the arm with the highest mean + sqrt(2 ln t / n), t pulls in all and n of this arm.

    Arms that were never pulled come first, in random order. Reference: Auer, Cesa-Bianchi and Fischer (2002),
    Finite-time Analysis of the Multiarmed Bandit Problem.
    """

    def _select(self) -> np.ndarray:
        total = self.pulls.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):  # never pulled: infinitely promising
            index = self.means + np.sqrt(2 * np.log(np.maximum(total, 2)) / self.pulls)
        return random_argmax(index, self.rng.random(self.n_games))
