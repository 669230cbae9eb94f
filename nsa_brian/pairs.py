"""U-V pairs by the batch: from rest to the end of a decision round, in one call.

The coupling is diagonal and every round starts at rest, so what a pair does in a round depends on its own weight
alone, and on that only through the option value. The fast engines are built on this.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from brian2 import Clock, Equations, ms
from brian2.codegen.codeobject import create_runner_codeobj
from brian2.core.variables import Variables
from brian2.equations.equations import FLOAT, INTEGER, SUBEXPRESSION
from brian2.groups.group import Group
from brian2.stateupdaters.base import StateUpdateMethod

from nsa_brian.code_objects import code_object_class
from nsa_brian.invariants import split_invariants
from nsa_brian.model import PAPER, Model
from nsa_brian.parameters import PARAMETERS, NSAParameters
from nsa_brian.timing import steps_of

#: Brian2's names of our units.
_UNITS = {"ms": "second", "": "1"}


class Pairs:
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
    model : Model
        The equations. They must not couple options, for a pair is integrated by itself.

    Attributes
    ----------
    run_round : callable
        Brian2's code object for a round of the pairs as they are set.
    """

    def __init__(
        self,
        parameters: Sequence[NSAParameters],
        dt: Any = 1 * ms,
        method: str = "euler",
        given: str = "w",
        model: Model = PAPER,
    ) -> None:
        pair, start = model.pair(), {"u": "0", "v": "0", "I": "I_ext"}
        used = pair.identifiers | {"I_ext"}
        if given == "w":
            value = model.function_of_weight("v")["Phi_v"]
            start["Phi_v"] = value.expr.code
            used |= value.identifiers
        constants = {name: number for name, number in model.values.items() if name in used}
        used &= set(PARAMETERS)

        self._group = group = _PairGroup(len(parameters), dt)
        group.add(pair)
        group.add(Equations("\n".join(f"{name} : {_UNITS[PARAMETERS[name].unit]}" for name in sorted(used))))
        group.add(Equations("w : 1\ninput_steps : integer\nround_steps : integer\nn_units : integer (shared)"))
        if constants:
            group.add(Equations("\n".join(f"{name} : 1" for name in constants)))
        if model.noise:
            group.add(Equations("stream : 1"))  # where each pair's random numbers begin; the template draws them
            start |= {"n_u": "stream", "n_v": "0"}
        code = StateUpdateMethod.apply_stateupdater(pair, group.variables, method)
        if not isinstance(code, str):
            raise ValueError(f"method must be one that Brian2 writes as equations, got {method!r}")
        invariants, step = split_invariants(code, group.variables, used | set(constants) | {"dt", "Phi_v"})
        if invariants:
            group.add(Equations("\n".join(f"{name} : 1" for name in invariants)))
        self._set_parameters(parameters, used, dt, method)
        for name, number in constants.items():
            group.array(name)[:] = number

        begin = "\n".join(f"{name} = {expr}" for name, expr in {**start, **invariants}.items())
        self.run_round = create_runner_codeobj(
            group,
            {"begin": begin, "step": step},
            "round",
            run_namespace={},
            check_units=False,  # Brian2 checked those of the equations; the invariants' follow from them
            codeobj_class=code_object_class(),
        )
        self._given, self._u, self._v, self._n_units = map(group.array, (given, "u", "v", "n_units"))
        self._stream = group.array("stream") if model.noise else None

    def respond(self, given: np.ndarray, luck: np.ndarray | None = None) -> np.ndarray:
        """Run a round of the first pairs.

        Parameters
        ----------
        given : array (n,)
            Weights, or option values, of the first n pairs.
        luck : array (n,), if there is noise
            Uniform numbers: each pair's noise follows from its own.

        Returns
        -------
        array (2, n)
            The activities u and v at the round's end.
        """
        n = len(given)
        self._given[:n] = given
        self._n_units[0] = n
        if self._stream is not None:
            self._stream[:n] = luck
        self.run_round()
        return np.array((self._u[:n], self._v[:n]))

    def _set_parameters(self, parameters: Sequence[NSAParameters], used: set[str], dt: Any, method: str) -> None:
        distinct, which = distinct_sets(parameters)
        steps = np.array([steps_of(p, float(dt / ms), method) for p in distinct], dtype=np.int32)
        for column, name in enumerate(("input_steps", "round_steps")):
            self._group.array(name)[:] = steps[which, column]
        for name in used:
            scale = 1e-3 if PARAMETERS[name].unit == "ms" else 1.0  # Brian2 keeps times in seconds
            values = np.array([getattr(p, name) for p in distinct], dtype=float) * scale
            self._group.array(name)[:] = values[which]


class _PairGroup(Group):
    """The variables of the pairs, as Brian2's code generation wants them. Never part of a Network."""

    def __init__(self, size: int, dt: Any) -> None:
        Group.__init__(self, clock=Clock(dt=dt, name="nsa_pairs_clock"), name="nsa_pairs")
        self._network = self.name  # its code is called directly: Brian2 need not warn that no Network runs it
        self._size = size
        self.namespace: dict[str, Any] = {}
        self.variables = Variables(self, default_index="_idx")
        self.variables.add_constant("N", size)
        self.variables.create_clock_variables(self._clock)

    def add(self, model: Equations) -> None:
        """Add the variables of some equations."""
        for eq in model.values():
            if eq.type == SUBEXPRESSION:
                self.variables.add_subexpression(eq.varname, expr=str(eq.expr), dimensions=eq.dim)
            else:
                dtype = {FLOAT: np.float64, INTEGER: np.int32}[eq.var_type]
                shared = "shared" in eq.flags
                size = 1 if shared else self._size
                self.variables.add_array(eq.varname, size, dimensions=eq.dim, dtype=dtype, scalar=shared)

    def array(self, name: str) -> np.ndarray:
        """A variable's own array."""
        return self.variables[name].get_value()


def distinct_sets(parameters: Sequence[NSAParameters]) -> tuple[list[NSAParameters], np.ndarray]:
    """The different sets among many, and which of them stands at each place."""
    index: dict[NSAParameters, int] = {}
    which = [index.setdefault(p, len(index)) for p in parameters]
    return list(index), np.array(which)
