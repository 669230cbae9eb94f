"""Batches of U-V pairs: a whole decision round in one call.

If options are not coupled, the response of a pair of neurons depends only on its own state and synapse. The fast
engines are built on this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from brian2 import ms
from brian2.codegen.codeobject import create_runner_codeobj

from nsa_brian.codegen.code_objects import NumpyRound, code_object_class, entry_of
from nsa_brian.codegen.group import UnitGroup
from nsa_brian.codegen.integrator import Integrator
from nsa_brian.codegen.invariants import Invariants, time_step
from nsa_brian.codegen.unit import Unit
from nsa_brian.model.course import Course
from nsa_brian.model.model import PAPER, Model
from nsa_brian.parameters import NSAParameters


class Pairs:
    """A batch of pairs, each with its own synapse and one of several parameter sets.

    Parameters
    ----------
    values : sequence of mapping
        The parameter sets: values in SI units by name.
    size : int
        Maximal number of pairs.
    dt : Quantity
        Time step.
    method : str
        Any of Brian2's integration methods that suits the equations.
    given : sequence of str
        Expressions of the synapse, such as ``"Phi_v"``, that are inputs in place of the synapse's variables.
    model : Model
        It must not couple options, since pairs are integrated independently.

    Attributes
    ----------
    size : int
    inputs, outputs : tuple of str
        Names of what :meth:`respond` takes and returns.
    run_round : callable
        Brian2's code object for a round.
    """

    def __init__(
        self,
        values: Sequence[Mapping[str, float]],
        size: int,
        dt: Any = 1 * ms,
        method: str = "euler",
        given: Sequence[str] = (),
        model: Model = PAPER,
    ) -> None:
        unit = Unit(model, given)
        self.size = size
        self.inputs, self.outputs = unit.inputs, unit.outputs
        used = [name for name in values[0] if name in unit.names]
        code_object = code_object_class()
        # Numpy computes all pairs at once, so each pair needs a copy of its parameters.
        self._by_pair = issubclass(code_object, NumpyRound)

        self._group = group = UnitGroup("nsa_pairs", dt)
        sets = size if self._by_pair else len(values)
        self._used, self._way = used, (model, float(dt), method)
        self._sets = self._tables(values)
        steps = [name for name in self._sets if name.startswith("_border_")]
        group.add_equations(unit.equations, size)
        group.add(dict.fromkeys([*self.inputs, *(name for name in unit.start if name.startswith("_"))]), size)
        group.add({name: np.resize(values, sets) for name, values in self._sets.items()}, sets)
        group.add({"_which": np.zeros(size, np.int32)}, size)
        group.add_shared({"_n_units": 0, **({"n_arms": 0.0} if "n_arms" in unit.names else {})})
        invariants = Invariants({*used, "dt", "n_arms", *unit.constant})
        step = invariants.split(time_step(unit.equations, group.variables, method), group.variables)
        group.add(dict.fromkeys(invariants.found), size)
        lines = {**unit.start, **{name: "0" for names in unit.normal.values() for name in names}, **invariants.found}
        self.run_round = create_runner_codeobj(
            group,
            {"begin": "\n".join(f"{name} = {expr}" for name, expr in lines.items()), "step": step},
            "round",
            run_namespace={},
            needed_variables=[*steps, *unit.normal, *self.outputs],
            check_units=False,  # checked when the model was made
            template_kwds={
                "_of_sets": () if self._by_pair else tuple(self._sets),
                "_inputs": self.inputs,
                "_outputs": [name for name in self.outputs if name not in unit.normal],
                "_borders": steps,
                "_phases": unit.phases,
                "_normal": unit.normal,
                "_state": sorted(unit.equations.diff_eq_names),
            },
            codeobj_class=code_object,
        )
        self._arrays = {name: group.array(name) for name in (*self.inputs, *self.outputs, "_which", "_n_units")}
        self._n_arms = group.array("n_arms") if "n_arms" in unit.names else None

    def _tables(self, values: Sequence[Mapping[str, float]], borders: Any = None) -> dict[str, np.ndarray]:
        """Return an array over the parameter sets of each value that a round reads, and of the ends of phases."""
        model, dt, method = self._way
        if borders is None:
            borders = [Course.of(model, each, dt, method).borders for each in values]
        tables = {name: np.array([each[name] for each in values]) for name in self._used}
        return tables | {f"_border_{k}": each for k, each in enumerate(np.array(borders, dtype=np.int32).T)}

    def set_values(self, values: Sequence[Mapping[str, float]], borders: Any = None) -> None:
        """Replace the parameter sets by as many others, without generating code again.

        Parameters
        ----------
        values : sequence of mapping
            Values in SI units by name.
        borders : array of int (sets, phases), optional
            The time steps at which phases end, if they are known; see :class:`nsa_brian.model.course.Course`.
        """
        for name, array in self._tables(values, borders).items():
            self._sets[name][:] = array
            if not self._by_pair:
                self._group.array(name)[:] = array

    def respond(self, which: np.ndarray, given: Mapping[str, np.ndarray], n_arms: int = 0) -> np.ndarray:
        """Run a round of some pairs.

        Parameters
        ----------
        which : array of int (n,)
            The parameter set of each pair.
        given : mapping
            The :attr:`inputs` by name, each (n,).
        n_arms : int
            Options of a game, for models whose equations use it.

        Returns
        -------
        array (outputs, n)
            The :attr:`outputs`, u and v first, at the round's end.
        """
        n = len(which)
        self._set_n_arms(n_arms)
        if self._by_pair:
            for name, values in self._sets.items():
                self._group.array(name)[:n] = values[which]
        self._arrays["_which"][:n] = which
        self._arrays["_n_units"][0] = n
        for name in self.inputs:
            self._arrays[name][:n] = given[name]
        self.run_round()
        return np.array([self._arrays[name][:n] for name in self.outputs])

    def integrator(self, which: np.ndarray | None, n_arms: int, depth: int, shares: bool) -> Integrator:
        """Return the compiled round, to be called from compiled code.

        Parameters
        ----------
        which : array of int (n,), optional
            The parameter set of each pair, if all of them are run in every round.
        n_arms : int
            Options of a game.
        depth : int
            Pairs of a game that are run together, if only those with a changed synapse are run.
        shares : bool
            Whether to run pairs with equal inputs once.
        """
        self._set_n_arms(n_arms)
        if which is not None:
            self._arrays["_which"][: len(which)] = which
        inputs = {name: self._arrays[name] for name in self.inputs}
        outputs = {name: self._arrays[name] for name in self.outputs}
        of_pair, every = self._arrays["_which"], which is not None
        return Integrator(entry_of(self.run_round), inputs, outputs, of_pair, every, shares, depth)

    def _set_n_arms(self, n_arms: int) -> None:
        """Set ``n_arms`` if the equations use it."""
        if self._n_arms is not None:
            if n_arms < 1:
                raise ValueError(f"n_arms must be at least 1, since the model's equations use it, got {n_arms}")
            self._n_arms[0] = n_arms


def distinct_sets(parameters: Sequence[NSAParameters]) -> tuple[list[NSAParameters], np.ndarray]:
    """Return the distinct parameter sets, and the index of each given set among them."""
    index: dict[NSAParameters, int] = {}
    which = [index.setdefault(p, len(index)) for p in parameters]
    return list(index), np.array(which)


def distinct_values(values: Sequence[Mapping[str, float]]) -> tuple[list[Mapping[str, float]], np.ndarray]:
    """Return the distinct sets of values, and the index of each; equal sets are the same object."""
    index = {id(each): each for each in values}
    places = {key: i for i, key in enumerate(index)}
    return list(index.values()), np.array([places[id(each)] for each in values])


def answers(
    parameters: NSAParameters | Sequence[NSAParameters],
    values: np.ndarray,
    given: str = "w",
    dt: Any = 1 * ms,
    method: str = "euler",
    model: Model = PAPER,
) -> np.ndarray:
    """Return the activities (2, n) of pairs at a round's end for given weights or option values.

    Parameters
    ----------
    parameters : NSAParameters, or a sequence of n
        One set for all pairs, or one for each.
    values : array (n,)
    given : {"w", "Phi_v"}
        What the values are.
    dt, method, model
        See :class:`Pairs`.
    """
    each = [parameters] * len(values) if isinstance(parameters, NSAParameters) else list(parameters)
    sets, which = distinct_sets(each)
    numbers = [model.values_in_si(p) for p in sets]
    pairs = Pairs(numbers, len(values), dt, method, (given,), model)
    return pairs.respond(which, {given: values})[:2]
