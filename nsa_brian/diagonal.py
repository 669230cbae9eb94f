"""What the fast engines have in common: they use that each option decides for itself."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from nsa_brian.engine import Engine


class Diagonal(Engine):
    """Activities pair by pair: one round changes one weight of a game, so one pair of it needs a new answer.

    A subclass says how a pair answers to its weight.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.model.lateral:
            names = ", ".join(lateral.variable for lateral in self.model.lateral)
            raise ValueError(
                f"{type(self).__name__} integrates each option by itself, but the model couples options ({names}): "
                "use the engine network"
            )
        self.w = np.zeros((self.n_games, self.n_arms))
        self.activity = np.zeros((2, self.n_games, self.n_arms))
        self._pulled: np.ndarray | None = None  # places in the flattened weights

    @abstractmethod
    def _answer(self, w: np.ndarray) -> np.ndarray:
        """The activities (2, games) at a round's end of one pair in each game, for its weight (games,)."""

    def respond(self) -> None:
        """Bring u and v up to date where a weight has changed."""
        if self._pulled is not None:
            self._renew(self._pulled)
            self._pulled = None

    def learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        """Apply the plasticity rule to the pulled arm of each game."""
        self.respond()  # in case nobody looked since the last time
        super().learn(arms, rewards)
        self._pulled = self._first + arms

    def reset(self) -> None:
        """Forget everything: all weights 0, and so one answer for all arms of a game."""
        self.w[:] = 0
        self.activity[:] = self._answer(self.w[:, 0])[:, :, None]
        self._pulled = None

    def set_weights(self, w: np.ndarray) -> None:
        """Put in weights (games, arms), or (arms,) for all games."""
        super().set_weights(w)
        self._pulled = None
        for arm in range(self.n_arms):
            self._renew(self._first + arm)

    def _renew(self, places: np.ndarray) -> None:
        self.activity.reshape(2, -1)[:, places] = self._answer(self.w.reshape(-1)[places])
