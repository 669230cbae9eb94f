"""Engine ``rounds``: a whole decision round as one generated C++ loop, exact and fast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from brian2 import ms

from nsa_brian.diagonal import Diagonal
from nsa_brian.model import PAPER, Model, check_noise
from nsa_brian.pairs import Pairs
from nsa_brian.parameters import NSAParameters


class Rounds(Diagonal):
    """Integrates the pairs whose weight has changed.

    Parameters
    ----------
    n_arms, parameters, n_games, ties, tolerance, rng
        See :class:`nsa_brian.engine.Engine`; each game may have its own parameters.
    dt, method
        See :class:`nsa_brian.pairs.Pairs`.
    dense : bool
        Integrate every pair in every round, needed or not: the same choices, for what it costs. With noise there is
        no other way, since a pair answers differently each time.
    model : Model
        The equations. They must not couple options.
    """

    def __init__(
        self,
        n_arms: int,
        parameters: NSAParameters | Sequence[NSAParameters],
        n_games: int = 1,
        ties: str = "random",
        tolerance: float = 1e-6,
        rng: np.random.Generator | None = None,
        *,
        dt: Any = 1 * ms,
        method: str = "euler",
        dense: bool = False,
        model: Model = PAPER,
    ) -> None:
        super().__init__(n_arms, parameters, n_games, ties, tolerance, rng, model)
        check_noise(model, method)
        self.dense = dense or bool(model.noise)
        units = [p for p in self.parameters for _ in range(n_arms if self.dense else 1)]
        self.pairs = Pairs(units, dt, method, model=model)
        self.reset()

    def _answer(self, w: np.ndarray) -> np.ndarray:
        return self.pairs.respond(w)

    def respond(self) -> None:
        """Integrate the pulled arms' pairs, or all of them."""
        if self.dense:
            luck = self.rng.random(self.w.shape).ravel() if self.model.noise else None
            self.activity[:] = self.pairs.respond(self.w.ravel(), luck).reshape(self.activity.shape)
        else:
            super().respond()

    def reset(self) -> None:
        """Forget everything: all weights 0."""
        if self.model.noise:
            self.set_weights(np.zeros(self.n_arms))
        else:
            super().reset()

    def set_weights(self, w: np.ndarray) -> None:
        """Put in weights (games, arms), or (arms,) for all games."""
        if self.dense:
            self.w[:] = w
            if not self.model.noise:  # there, activities come with the next round and its noise
                self.respond()
        else:
            super().set_weights(w)
