"""A compiled round, as other compiled code calls it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Integrator:
    """Answers that are integrated, by compiled code with arrays of its own.

    Attributes
    ----------
    entry : list of int
        Addresses of the function and of its arrays.
    inputs, outputs : mapping
        The arrays that it takes what is given from, and leaves its answers in.
    of_pair : array of int
        The parameter set of each unit.
    every : bool
        Every option in every round, rather than those whose synapse has changed.
    depth : int
        Answers of a game that are integrated together, those to come included, where the game can be foreseen.
    game_inputs : mapping
        The arrays (games,) that it takes signals and inputs of a game from, where it has them for all options.
    """

    entry: list[int]
    inputs: Mapping[str, np.ndarray]
    outputs: Mapping[str, np.ndarray]
    of_pair: np.ndarray
    every: bool
    depth: int = 1
    game_inputs: Mapping[str, np.ndarray] = field(default_factory=dict)
