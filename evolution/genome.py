"""The genome: unbounded vectors for the search, parameters within their search ranges for the model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from nsa_brian.parameters import PARAMETERS, NSAParameters, Parameter, check_names


class Genome:
    """Which parameters are searched, and how a vector of the search stands for them.

    Gene x in (-inf, inf) -> position s = (1 + sin(x / 2)) / 2 in [0, 1] -> value low + s (high - low), or on a log
    scale low (high / low)^s. Within x = -pi to pi, the low bound to the high one, this is invertible; beyond, it turns
    back. So every vector is legal, and a search whose optimum lies at a bound finds it in finite steps.

    Parameters
    ----------
    fixed : mapping, optional
        Parameters that are not searched, by name, with their values.

    Examples
    --------
    >>> genome = Genome(fixed={"w_max": 4.5})
    >>> genome.decode([0.0] * genome.size).tau_u
    38.72983346207417
    """

    def __init__(self, fixed: Mapping[str, float] | None = None) -> None:
        self.fixed = dict(fixed or {})
        check_names(self.fixed)
        NSAParameters(**self.fixed)  # refuses illegal values
        if not self.genes:
            raise ValueError("all 22 parameters are fixed: nothing is left to search")

    @cached_property
    def genes(self) -> tuple[Parameter, ...]:
        """The parameters searched, in the model's order."""
        return tuple(info for name, info in PARAMETERS.items() if name not in self.fixed)

    @property
    def size(self) -> int:
        """Genes."""
        return len(self.genes)

    def decode(self, vector: Sequence[float]) -> NSAParameters:
        """The parameters that a vector stands for."""
        if len(vector) != self.size:
            raise ValueError(f"a vector has {self.size} genes, got {len(vector)}")
        values = {
            info.name: _value(info, (1 + math.sin(x / 2)) / 2) for info, x in zip(self.genes, vector, strict=True)
        }
        return NSAParameters(**self.fixed, **values)

    def encode(self, parameters: NSAParameters) -> np.ndarray:
        """The vector of some parameters; values beyond a bound of the search are put on it."""
        positions = np.array([position(info, getattr(parameters, info.name)) for info in self.genes])
        return 2 * np.arcsin(2 * positions.clip(0, 1) - 1)


def _value(info: Parameter, s: float) -> float:
    low, high = info.search
    value = low * (high / low) ** s if info.scale == "log" else low + s * (high - low)
    return min(max(value, low), high)  # rounding must not leave the range


def position(info: Parameter, value: Any) -> Any:
    """Where a value, or an array of them, stands in its search range: 0 at the low bound, 1 at the high one."""
    low, high = info.search
    if info.scale == "log":
        return np.log(value / low) / np.log(high / low)
    return (value - low) / (high - low)
