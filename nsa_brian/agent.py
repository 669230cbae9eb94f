"""The model as an agent with two verbs, ``select_arm`` and ``update``, for use in anybody's own loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nsa_brian.engines.base import Engine, Pull
from nsa_brian.engines.registry import DEFAULT_ENGINE, engine_class
from nsa_brian.parameter_set import DEFAULT_SET, load
from nsa_brian.parameters import NSAParameters


class NSA:
    """The Neural Selection Agreement model playing one bandit, or many at once.

    Parameters
    ----------
    n_arms : int
        Options K.
    parameters : NSAParameters, str, Path, mapping or sequence
        Parameters, the name of a shipped set, a parameter file, the 22 values by name, or a set for each game.
    engine : str
        One of ``nsa_brian.ENGINES``, by name.
    seed : int, optional
        Same seed, same rewards: same choices.
    n_games : int, optional
        Games played at once. Arms and rewards are then arrays (games,); by default they are plain numbers.
    ties, tolerance
        See :func:`nsa_brian.model.agreement.select`; by default the engine's own tolerance, in its activities' unit.
    rng : numpy.random.Generator, optional
        Instead of ``seed``.
    **options
        The engine's own, such as ``dt`` and ``method``.

    Examples
    --------
    >>> agent = NSA(n_arms=3, seed=0)
    >>> arm = agent.select_arm()
    >>> agent.update(arm, reward=1)
    """

    def __init__(
        self,
        n_arms: int,
        parameters: NSAParameters | str | Path | Mapping[str, float] | Sequence[NSAParameters] = DEFAULT_SET,
        engine: str = DEFAULT_ENGINE,
        seed: int | None = None,
        n_games: int | None = None,
        ties: str = "random",
        tolerance: float | None = None,
        rng: np.random.Generator | None = None,
        **options: Any,
    ) -> None:
        self._single = n_games is None
        rng = np.random.default_rng(seed) if rng is None else rng
        if tolerance is not None:
            options["tolerance"] = tolerance
        self.engine: Engine = engine_class(engine)(
            n_arms, _as_parameters(parameters), 1 if n_games is None else n_games, ties, rng=rng, **options
        )

    def select_arm(self) -> Any:
        """Run one decision; the chosen arm (of each game)."""
        self.engine.respond()
        arms = self.engine.select()
        return int(arms[0]) if self._single else arms

    def update(self, arm: Any, reward: Any) -> None:
        """Learn from the reward of the arm that was pulled (in each game)."""
        arms, rewards = np.atleast_1d(arm), np.atleast_1d(reward)
        if (arms.astype(np.uintp) >= self.engine.n_arms).any():  # a negative one turns into a large one
            raise ValueError(f"arm must be from 0 to {self.engine.n_arms - 1}, got {arm}")
        self.engine.learn(arms, rewards)

    def play(self, pull: Pull, n_rounds: int) -> None:
        """Play many rounds against ``pull(arms) -> rewards``, in the way the engine does it best."""
        self.engine.play(pull, n_rounds)


def _as_parameters(given: Any) -> NSAParameters | Sequence[NSAParameters]:
    if isinstance(given, Mapping):
        return NSAParameters.from_dict(given)
    if isinstance(given, str | Path):
        return load(given).parameters
    return given
