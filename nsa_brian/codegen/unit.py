"""A neuron of U, its partner in V and the synapse between them as one unit of generated code."""

from __future__ import annotations

from brian2 import Equations
from brian2.equations.equations import DIFFERENTIAL_EQUATION, PARAMETER, SUBEXPRESSION, SingleEquation

from nsa_brian.model.model import Model
from nsa_brian.model.reading import names_in, plain
from nsa_brian.model.structure import SYNAPSE, U, V, equation, variable


class Unit:
    """What the code of a pair is made from; every number in SI units.

    Parameters
    ----------
    model : Model
    given : str
        An expression of the synapse that is given as a number; empty: the synapse's variables are given.

    Attributes
    ----------
    equations : Equations
        Of all that changes in a round, the diagonal coupling substituted in. What arrives from outside the pair
        stands as a variable, and so does what the synapse's constants come to.
    start : dict
        What is set at a round's start, in this order: expressions by name.
    inputs : tuple of str
        What must be given at a round's start: variables of the synapse, what is carried over.
    outputs : tuple of str
        What is asked at its end: u and v, what goes on, what the learning rule reads.
    constant : set of str
        Variables of the pair that do not change within a round.
    names : set of str
        All names in equations and start.
    """

    def __init__(self, model: Model, given: str = "") -> None:
        structure = model.structure
        neurons = [*structure.places[U], *structure.places[V]]
        lines = list(neurons)
        for link in structure.links:
            if link.diagonal:
                lines += [*link.helpers, equation(SUBEXPRESSION, link.variable, link.dimension, link.drive)]
            elif link.target in (U, V):
                lines.append(variable(link.variable, link.dimension))
        synapse = {eq.varname: eq for eq in structure.places[SYNAPSE]}
        moving = [eq for eq in synapse.values() if eq.type == DIFFERENTIAL_EQUATION]
        lines += moving
        static = {name for name in synapse if structure.is_static(name)}

        # Expressions of the synapse's constants are computed once, the others in every step.
        self.start = {
            name: plain(structure.initial[name])
            for place in (U, V)
            for name in structure.state(place)
            if name not in model.carried
        } | {"I": "I_ext"}
        todo, done = _names(lines) & set(synapse), {eq.varname for eq in moving}
        once: list[str] = []
        while todo:
            name = todo.pop()
            if name in done:
                continue
            done.add(name)
            if name in static:
                once.append(name)
            else:
                lines.append(synapse[name])
                todo |= names_in(str(synapse[name].expr)) & set(synapse)
        self.constant = set(once)
        lines += [variable(name, synapse[name].dim, "constant") for name in sorted(once)]
        inputs: list[str] = []
        for name in sorted(once):
            self._start(name, synapse, given, inputs)
        inputs += [eq.varname for eq in moving]
        inputs += [name for name in model.carried if name in (*structure.state(U), *structure.state(V))]
        lines.append(variable("I", structure.dimensions["I"]))
        if model.noise:
            lines += [variable(name, structure.dimensions[name]) for name in ("n_u", "n_v")]
        self.equations = Equations([in_si(eq) for eq in lines])
        self.inputs = tuple(inputs)
        going_on = [name for name in inputs if name in {eq.varname for eq in moving} | set(model.carried)]
        read = [name for name in sorted(structure.rule_reads) if name in (*structure.state(U), *structure.state(V))]
        self.outputs = tuple(dict.fromkeys(["u", "v", *going_on, *read]))
        self.names = self.equations.identifiers | set().union(*map(names_in, self.start.values()))

    def _start(self, name: str, synapse: dict[str, SingleEquation], given: str, inputs: list[str]) -> None:
        """Add what computes a constant of the synapse at a round's start, each line after those that it uses."""
        if name in self.start or name in inputs:
            return
        eq = synapse[name]
        if name == given or eq.type == PARAMETER:
            inputs.append(name)
            return
        for other in sorted(names_in(str(eq.expr)) & set(synapse)):
            self._start(other, synapse, given, inputs)
        self.start[name] = plain(str(eq.expr))


def _names(lines: list[SingleEquation]) -> set[str]:
    return set().union(*(names_in(str(eq.expr)) for eq in lines if eq.expr is not None))


def in_si(eq: SingleEquation) -> SingleEquation:
    """An equation with numbers in SI units in place of units."""
    return eq if eq.expr is None else equation(eq.type, eq.varname, eq.dim, plain(str(eq.expr)))
