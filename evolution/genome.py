"""The genome: maps unbounded vectors of the search to parameters within their search ranges, and back."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from nsa_brian.parameter_set import load
from nsa_brian.parameters import PARAMETERS, NSAParameters, Parameter, check_names

if TYPE_CHECKING:
    from nsa_brian.model.model import Model


#: Set with the values of parameters that a model does not search. It is not the default set: when that changes, the
#: vectors of a resumed search would be decoded to other parameters.
VALUES_OF_UNUSED = "evolved"


class Genome:
    """The parameters that are searched, and their mapping to unbounded vectors.

    Gene x in (-inf, inf) -> position s = (1 + sin(x / 2)) / 2 in [0, 1] -> value low + s (high - low), or on a log
    scale low (high / low)^s. This is invertible from x = -pi, the low bound, to x = pi, the high one; beyond, it folds
    back. So every vector is legal, and an optimum at a bound is reached in finite steps.

    Parameters
    ----------
    fixed : mapping, optional
        Parameters that are not searched, by name, with their values.
    model : Model, optional
        By default the paper's. Its genes are the 22 parameters and the model's own that have a search range; those
        without one keep their defaults.

    Examples
    --------
    >>> genome = Genome(fixed={"w_max": 4.5})
    >>> genome.decode([0.0] * genome.size).tau_u
    38.72983346207417
    """

    def __init__(self, fixed: Mapping[str, float] | None = None, model: Model | None = None) -> None:
        self._declared: Mapping[str, Parameter] = PARAMETERS if model is None else model.declared
        self._searched = tuple(PARAMETERS) if model is None else model.searched
        #: Those of the 22 that a model does not search, with their values, unless they are fixed.
        self.unused = {
            name: value
            for name, value in load(VALUES_OF_UNUSED).parameters.to_dict().items()
            if name not in self._searched and name not in (fixed or {})
        }
        self.fixed = {**self.unused, **(fixed or {})}
        check_names(self.fixed, self._declared)
        for name, value in self.fixed.items():
            self._declared[name].check(value)
        if not self.genes:
            raise ValueError(f"all {len(self._declared)} parameters are fixed: nothing is left to search")

    @cached_property
    def genes(self) -> tuple[Parameter, ...]:
        """The parameters searched, in the model's order: the 22 first."""
        return tuple(self._declared[name] for name in self._searched if name not in self.fixed)

    @property
    def places(self) -> dict[int, Parameter]:
        """The same by their index among all parameters of the model."""
        searched = {gene.name for gene in self.genes}
        return {i: info for i, (name, info) in enumerate(self._declared.items()) if name in searched}

    @property
    def size(self) -> int:
        """Number of genes."""
        return len(self.genes)

    def decode(self, vector: Sequence[float]) -> NSAParameters:
        """Return the parameters that a vector stands for."""
        if len(vector) != self.size:
            raise ValueError(f"a vector has {self.size} genes, got {len(vector)}")
        values = {
            info.name: _value(info, (1 + math.sin(x / 2)) / 2) for info, x in zip(self.genes, vector, strict=True)
        }
        return NSAParameters.from_dict({**self.fixed, **values}, self._declared)

    def encode(self, parameters: NSAParameters) -> np.ndarray:
        """Return the vector of some parameters; values outside their search ranges are clipped to the bounds."""
        return 2 * np.arcsin(2 * self._positions(parameters).clip(0, 1) - 1)

    def perturb(self, parameters: NSAParameters, by: np.ndarray) -> NSAParameters:
        """Return parameters with their genes moved by fractions of their search ranges, reflected at the bounds.

        Parameters that are not genes, or lie outside their ranges, do not change.
        """
        positions = self._positions(parameters)
        reflected = 1 - abs(1 - (positions + by) % 2)
        moved = {
            info.name: _value(info, s)
            for info, before, s in zip(self.genes, positions, reflected.tolist(), strict=True)
            if 0 <= before <= 1
        }
        return NSAParameters.from_dict({**parameters.to_dict(), **moved}, self._declared)

    def near(self, parameters: NSAParameters, by: np.ndarray) -> NSAParameters:
        """Perturb parameters; deprecated, use :meth:`perturb`."""
        warnings.warn("Genome.near is now Genome.perturb", DeprecationWarning, stacklevel=2)
        return self.perturb(parameters, by)

    def _positions(self, parameters: NSAParameters) -> np.ndarray:
        """Return the position of each gene in its search range."""
        given = parameters.to_dict()
        return np.array([position(info, given.get(info.name, info.default)) for info in self.genes])


def _value(info: Parameter, s: float) -> float:
    low, high = _range(info)
    value = low * (high / low) ** s if info.scale == "log" else low + s * (high - low)
    return min(max(value, low), high)  # rounding must not leave the range


def position(info: Parameter, value: Any) -> Any:
    """Return the position of a value, or of an array of values, in its search range: 0 is the low bound, 1 the high."""
    low, high = _range(info)
    if info.scale == "log":
        return np.log(value / low) / np.log(high / low)
    return (value - low) / (high - low)


def _range(info: Parameter) -> tuple[float, float]:
    assert info.search is not None, f"{info.name} is not searched"
    return info.search
