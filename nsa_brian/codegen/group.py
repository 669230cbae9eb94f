"""A group of variables as Brian2's code generation wants it, whose code is called directly."""

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
    """Variables of units, of what they share, and of sets that they refer to. Never part of a Network."""

    def __init__(self, name: str, dt: Any) -> None:
        Group.__init__(self, clock=Clock(dt=dt, name=f"{name}_clock"), name=name)
        self._network = self.name  # its code is called directly: Brian2 need not warn that no Network runs it
        self.namespace: dict[str, Any] = dict(CANONICAL)
        self.variables = Variables(self, default_index="_idx")
        self.variables.create_clock_variables(self._clock)

    def add_equations(self, model: Equations, size: int) -> None:
        """Add the variables of some equations, ``size`` of each."""
        for eq in model.values():
            if eq.type == SUBEXPRESSION:
                self.variables.add_subexpression(eq.varname, expr=str(eq.expr), dimensions=eq.dim)
            elif eq.varname not in self.variables:
                self.variables.add_array(eq.varname, size, dtype=np.float64)
        if "N" not in self.variables:
            self.variables.add_constant("N", size)

    def add(self, arrays: Mapping[str, np.ndarray | None], size: int) -> None:
        """Add arrays, filled with what is given, unless they are there already."""
        for name, values in arrays.items():
            if name not in self.variables:
                dtype = np.float64 if values is None else values.dtype
                self.variables.add_array(name, size, dtype=dtype)
                if values is not None:
                    self.array(name)[: len(values)] = values

    def add_expression(self, name: str, text: str) -> None:
        """Add an expression of numbers that all units share."""
        self.variables.add_subexpression(name, expr=text, scalar=True)

    def add_shared(self, numbers: Mapping[str, int | float]) -> None:
        """Add single numbers that all units share."""
        for name, number in numbers.items():
            dtype = np.int32 if isinstance(number, int) else np.float64
            self.variables.add_array(name, 1, dtype=dtype, scalar=True)
            self.array(name)[0] = number

    def array(self, name: str) -> np.ndarray:
        """A variable's own array."""
        return self.variables[name].get_value()
