"""Interface of a compiled round for other compiled code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Integrator:
    """A compiled round that integrates the responses of options.

    Attributes
    ----------
    entry : list of int
        Addresses of the function and of its arrays.
    inputs, outputs : mapping
        The arrays that it reads, and those that it writes its results to.
    of_pair : array of int
        The parameter set of each unit.
    every : bool
        Integrate every option in every round, rather than those whose synapse has changed.
    shares : bool
        Whether options with equal inputs have equal responses, so that they are integrated once.
    depth : int
        Responses of a game integrated together, including those of predicted rounds.
    game_inputs : mapping
        The arrays (games,) of signals and inputs that the options of a game share.
    """

    entry: list[int]
    inputs: Mapping[str, np.ndarray]
    outputs: Mapping[str, np.ndarray]
    of_pair: np.ndarray
    every: bool
    shares: bool
    depth: int = 1
    game_inputs: Mapping[str, np.ndarray] = field(default_factory=dict)
