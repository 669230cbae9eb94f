"""A group of variables for Brian2's code generation, whose code is called directly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from brian2 import Clock, Equations
from brian2.core.variables import Variables
from brian2.equations.equations import SUBEXPRESSION
from brian2.groups.group import Group

from nsa_brian.model.functions import CANONICAL


class UnitGroup(Group):
    """Variables of units, shared variables, and parameter sets. Never part of a Network.

    Parameters
    ----------
    name : str
    dt : Quantity
    real : dtype
        Type of variables that are not given as arrays.
    """

    def __init__(self, name: str, dt: Any, real: Any = np.float64) -> None:
        Group.__init__(self, clock=Clock(dt=dt, name=f"{name}_clock"), name=name)
        self._real = real
        self._network = self.name  # keeps Brian2 from warning that no Network contains it
        self.namespace: dict[str, Any] = dict(CANONICAL)
        self.variables = Variables(self, default_index="_idx")
        self.variables.create_clock_variables(self._clock)

    def add_equations(self, model: Equations, size: int) -> None:
        """Add the variables of equations, as arrays of length ``size``."""
        for eq in model.values():
            if eq.type == SUBEXPRESSION:
                self.variables.add_subexpression(eq.varname, expr=str(eq.expr), dimensions=eq.dim)
            elif eq.varname not in self.variables:
                self.variables.add_array(eq.varname, size, dtype=self._real)
        if "N" not in self.variables:
            self.variables.add_constant("N", size)

    def add(self, arrays: Mapping[str, np.ndarray | None], size: int) -> None:
        """Add arrays with the given values, unless they exist."""
        for name, values in arrays.items():
            if name not in self.variables:
                dtype = self._real if values is None else values.dtype
                self.variables.add_array(name, size, dtype=dtype)
                if values is not None:
                    self.array(name)[: len(values)] = values

    def add_expression(self, name: str, text: str) -> None:
        """Add a scalar expression, shared by all units."""
        self.variables.add_subexpression(name, expr=text, scalar=True)

    def add_shared(self, numbers: Mapping[str, int | float]) -> None:
        """Add scalars, shared by all units."""
        for name, number in numbers.items():
            dtype = np.int32 if isinstance(number, int) else self._real
            self.variables.add_array(name, 1, dtype=dtype, scalar=True)
            self.array(name)[0] = number

    def array(self, name: str) -> np.ndarray:
        """Return the array of a variable."""
        return self.variables[name].get_value()
