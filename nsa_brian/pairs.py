"""U-V pairs by the batch: from rest to the end of a decision round, in one call.

The coupling is diagonal and every round starts at rest, so what a pair does in a round depends on its own weight
alone, and on that only through the option value. The fast engines are built on this.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from brian2 import Clock, ms
from brian2.codegen.codeobject import create_runner_codeobj
from brian2.core.variables import Variables
from brian2.equations.equations import SUBEXPRESSION
from brian2.groups.group import Group
from brian2.stateupdaters.base import StateUpdateMethod
from brian2.units.allunits import second
from brian2.units.fundamentalunits import DIMENSIONLESS

from nsa_brian import equations
from nsa_brian.code_objects import code_object_class
from nsa_brian.invariants import split_invariants
from nsa_brian.parameters import PARAMETERS, NSAParameters
from nsa_brian.timing import steps_of


class Pairs(Group):
    """A batch of pairs, each with its own weight and its own parameters.

    Parameters
    ----------
    parameters : sequence of NSAParameters
        One set for each pair.
    dt : Quantity
        Time step.
    method : str
        Any of Brian2's integration methods that fits the equations.
    given : {"w", "Phi_v"}
        What a round is asked for: weights, or option values.
    """

    add_to_magic_network = False

    def __init__(
        self, parameters: Sequence[NSAParameters], dt: Any = 1 * ms, method: str = "euler", given: str = "w"
    ) -> None:
        Group.__init__(self, clock=Clock(dt=dt, name="nsa_pairs_clock"), name="nsa_pairs")
        self._network = self.name  # called directly: Brian2 need not warn that no Network runs it
        self.namespace: dict[str, Any] = {}
        model = equations.pair()
        size = len(parameters)
        start = {"u": "0", "v": "0", "I": "I_ext"}
        if given == "w":
            value = equations.gaussian_sigmoid("v")["Phi_v"]
            start["Phi_v"] = value.expr.code
            used = model.identifiers | value.identifiers
        else:
            used = model.identifiers
        used = sorted((used | {"I_ext"}) & set(PARAMETERS))

        self.variables = variables = Variables(self, default_index="_idx")
        variables.add_constant("N", size)
        variables.add_arange("i", size, constant=True, read_only=True)
        variables.create_clock_variables(self._clock)
        variables.add_array("n_units", 1, dtype=np.int32, scalar=True, values=size)
        for name in ("input_steps", "round_steps"):
            variables.add_array(name, size, dtype=np.int32)
        for eq in model.values():
            if eq.type == SUBEXPRESSION:
                variables.add_subexpression(eq.varname, expr=str(eq.expr), dimensions=eq.dim)
            else:
                variables.add_array(eq.varname, size, dimensions=eq.dim, dtype=np.float64)
        if given == "w":
            variables.add_array("w", size, dtype=np.float64)
        for name in used:
            unit = second.dim if PARAMETERS[name].unit == "ms" else DIMENSIONLESS
            variables.add_array(name, size, dimensions=unit, dtype=np.float64, constant=True)

        code = StateUpdateMethod.apply_stateupdater(model, variables, method)
        invariants, step = split_invariants(code, variables, {*used, "dt", "Phi_v"})
        for name in invariants:
            variables.add_array(name, size, dtype=np.float64)
        self._enable_group_attributes()
        self._set_parameters(parameters, used, dt, method)

        begin = "\n".join(f"{name} = {expr}" for name, expr in {**start, **invariants}.items())
        self._round = create_runner_codeobj(
            self,
            {"begin": begin, "step": step},
            "round",
            run_namespace={},
            check_units=False,  # Brian2 checked those of the equations; the invariants' follow from them
            codeobj_class=code_object_class(),
        )
        self._given, self._u, self._v = (variables[name].get_value() for name in (given, "u", "v"))
        self._n_units = variables["n_units"].get_value()

    def respond(self, given: np.ndarray) -> np.ndarray:
        """Run a round of the first pairs.

        Parameters
        ----------
        given : array (n,)
            Weights, or option values, of the first n pairs.

        Returns
        -------
        array (2, n)
            The activities u and v at the round's end.
        """
        n = len(given)
        self._given[:n] = given
        self._n_units[0] = n
        self._round()
        return np.array((self._u[:n], self._v[:n]))

    def _set_parameters(self, parameters: Sequence[NSAParameters], used: Sequence[str], dt: Any, method: str) -> None:
        distinct, which = distinct_sets(parameters)
        steps = np.array([steps_of(p, dt, method) for p in distinct], dtype=np.int32)
        for column, name in enumerate(("input_steps", "round_steps")):
            self.variables[name].get_value()[:] = steps[which, column]
        for name in used:
            scale = 1e-3 if PARAMETERS[name].unit == "ms" else 1.0  # Brian2 keeps times in seconds
            values = np.array([getattr(p, name) for p in distinct], dtype=float) * scale
            self.variables[name].get_value()[:] = values[which]


def distinct_sets(parameters: Sequence[NSAParameters]) -> tuple[list[NSAParameters], np.ndarray]:
    """The different sets among many, and which of them stands at each place."""
    index: dict[NSAParameters, int] = {}
    which = [index.setdefault(p, len(index)) for p in parameters]
    return list(index), np.array(which)
