"""What every engine has in common: weights, the agreement rule, the plasticity rule, and the order of a round."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from brian2 import get_device

from nsa_brian.expression import numpy_function
from nsa_brian.model import PAPER, Model
from nsa_brian.parameters import PARAMETERS, NSAParameters
from nsa_brian.selection import N_LUCK, TIES, select

#: Asks the bandits of all games for the reward of the arms pulled: (games,) -> (games,).
Pull = Callable[[np.ndarray], np.ndarray]


class Engine(ABC):
    """A way to run the model. A subclass says how the activities come about; the rest is the same for all.

    Parameters
    ----------
    n_arms : int
        Options K, at least 2.
    parameters : NSAParameters, or a sequence of them
        One set for all games, or one for each, where the engine can do that.
    n_games : int
        Games played side by side, each with its own weights and luck.
    ties, tolerance
        See :func:`nsa_brian.selection.select`.
    rng : numpy.random.Generator
        Source of tie breaks and random arms, the only randomness of the model. Drawn outside the simulator, so
        that engines can be compared choice for choice.
    model : Model
        The equations, by default the paper's.

    Attributes
    ----------
    activity : array (2, games, arms)
        The activities u and v at the end of the last round.
    u, v, w : array (games, arms)
        The activities one by one, and the weights.
    agreed : array of bool (games,)
        Whether U and V agreed in the last decision.
    """

    activity: np.ndarray
    w: np.ndarray

    def __init__(
        self,
        n_arms: int,
        parameters: NSAParameters | Sequence[NSAParameters],
        n_games: int = 1,
        ties: str = "random",
        tolerance: float = 1e-6,
        rng: np.random.Generator | None = None,
        model: Model = PAPER,
    ) -> None:
        if type(get_device()).__name__ != "RuntimeDevice":
            raise ValueError("NSA asks the bandit after each round and so needs Brian2's runtime device")
        if n_arms < 2:
            raise ValueError(f"n_arms must be at least 2, got {n_arms}")
        if n_games < 1:
            raise ValueError(f"n_games must be at least 1, got {n_games}")
        if ties not in TIES:
            raise ValueError(f"ties must be one of {', '.join(TIES)}, got {ties!r}")
        if not tolerance >= 0:
            raise ValueError(f"tolerance must be a number from 0 up, got {tolerance}")
        self.n_arms, self.n_games = n_arms, n_games
        self.parameters = [parameters] * n_games if isinstance(parameters, NSAParameters) else list(parameters)
        if len(self.parameters) != n_games:
            raise ValueError(f"parameters must be one set or {n_games}, one for each game, got {len(self.parameters)}")
        self.ties, self.tolerance, self.model = ties, tolerance, model
        self.rng = np.random.default_rng() if rng is None else rng
        self.agreed = np.zeros(n_games, dtype=bool)
        self._first = np.arange(n_games) * n_arms  # where each game's arms begin in flattened weights
        self._plasticity = numpy_function(
            self.model.plasticity, self.model.function_of_weight("eta"), self._constants()
        )

    def _constants(self) -> dict[str, Any]:
        """Values of all that has a name in the equations: numbers, or arrays (games,) where games differ."""
        return {**by_name(self.parameters), **self.model.values}

    @property
    def u(self) -> np.ndarray:
        """Activity of U."""
        return self.activity[0]

    @property
    def v(self) -> np.ndarray:
        """Activity of V."""
        return self.activity[1]

    @abstractmethod
    def respond(self) -> None:
        """Run both phases of one round from rest: bring u and v to the end of phase 2 for the present weights."""

    def select(self) -> np.ndarray:
        """Apply the agreement rule to u and v; the arm of each game."""
        luck = self.rng.random((self.n_games, N_LUCK))
        arms, self.agreed = select(self.activity, luck, self.ties, self.tolerance)
        return arms

    def learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        """Apply the plasticity rule, eq. (3), to the pulled arm of each game."""
        w, pulled = self.w.reshape(-1), self._first + arms
        w[pulled] = self._plasticity(w=w[pulled], R=rewards)

    def reset(self) -> None:
        """Forget everything: all weights 0."""
        self.set_weights(np.zeros(self.n_arms))

    def set_weights(self, w: np.ndarray) -> None:
        """Put in weights (games, arms), or (arms,) for all games, such as those of an earlier game."""
        self.w[:] = w

    def play(self, pull: Pull, n_rounds: int) -> None:
        """Play rounds one after the other: respond, select, pull, learn."""
        for _ in range(n_rounds):
            self.respond()
            arms = self.select()
            self.learn(arms, pull(arms))


def by_name(parameters: list[NSAParameters]) -> dict[str, Any]:
    """Values by name: numbers where all games share a set, else arrays (games,)."""
    if len(set(parameters)) == 1:
        return parameters[0].to_dict()
    return {name: np.array([getattr(p, name) for p in parameters]) for name in PARAMETERS}
