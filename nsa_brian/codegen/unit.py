"""Units of generated code: the neurons of an option, one in each population, with its synapse."""

from __future__ import annotations

from collections.abc import Collection

from brian2 import Equations
from brian2.equations.equations import DIFFERENTIAL_EQUATION, PARAMETER, SUBEXPRESSION, SingleEquation
from brian2.units.fundamentalunits import DIMENSIONLESS

from nsa_brian.model.model import Model
from nsa_brian.model.reading import names_in, plain
from nsa_brian.model.structure import closure, equation, variable


class Unit:
    """Equations and variables of an option's code, in SI units.

    Parameters
    ----------
    model : Model
    given : collection of str
        Expressions of the synapse that are inputs; its variables are inputs where equations depend on them otherwise.
    shared : collection of str
        Names that all options of a game share.

    Attributes
    ----------
    equations : Equations
        Equations of all that changes in a round, with the diagonal coupling substituted. Input from outside the option,
        and expressions of the synapse's constants, are variables.
    start : dict
        Expressions by name of the variables set at a round's start, in order.
    phases : list of dict
        For each later phase, the variable that holds the new value of each phased name, or None for 0.
    inputs : tuple of str
        Inputs at a round's start: variables of the synapse, carried-over variables, signals and inputs.
    outputs : tuple of str
        Outputs at its end: u and v, state that lasts, and variables that rules and the choice read.
    normal : dict
        Names of the random numbers of a step, by the name of their stream.
    constant : set of str
        Variables of the unit that are constant within a round.
    names : set of str
        All names in ``equations`` and ``start``.
    """

    def __init__(self, model: Model, given: Collection[str] = (), shared: Collection[str] = ()) -> None:
        structure, options = model.structure, model.structure.of_options
        populations = [structure.populations[name] for name in options]
        lines = [eq for neurons in populations for eq in neurons.equations]
        for link in structure.links:
            if link.diagonal:
                lines += [*link.helpers, equation(SUBEXPRESSION, link.variable, link.dimension, link.drive)]
            elif link.target in options:
                lines.append(variable(link.variable, link.dimension))
        # Variables of the option and game.
        above = {eq.varname: eq for eq in (*structure.synapse, *structure.signals)}
        above |= {name: variable(name, structure.dimensions[name]) for name in structure.inputs}
        above = {name: eq for name, eq in above.items() if name not in shared}
        moving = [eq for eq in structure.synapse if eq.type == DIFFERENTIAL_EQUATION]
        lines += moving
        static = {name for name in above if structure.is_static(name)}

        # Expressions of constants are computed once, the others in every step.
        self.start = {
            name: plain(text) for n in populations for name, text in n.initial.items() if name not in n.carried
        }
        self.phases: list[dict[str, str | None]] = []
        for k, phase in enumerate(structure.before):
            texts = {name: plain(phase.on.get(name, "0")) for name in structure.phased}
            if k == 0:
                self.start |= texts
                continue
            self.phases.append({name: None if text == "0" else f"_{name}_{k}" for name, text in texts.items()})
            self.start |= {f"_{name}_{k}": text for name, text in texts.items() if text != "0"}
        # Drives to other populations read them too.
        sent = [text for link in structure.crossing if link.source in options for text in link.texts]
        lines = _needed(lines, sent)
        read = _names(lines).union(*map(names_in, sent))
        phased = [name for name in structure.phased if name in read or set(structure.of_games)]
        for name in set(structure.phased) - set(phased):  # switched by phases, but not read
            self.start = {key: text for key, text in self.start.items() if not _is_value_of(key, name)}
            self.phases = [{key: value for key, value in phase.items() if key != name} for phase in self.phases]
        todo, done = read & set(above), {eq.varname for eq in moving}
        once: list[str] = []
        while todo:
            name = todo.pop()
            if name in done:
                continue
            done.add(name)
            if name in static:
                once.append(name)
            else:
                lines.append(above[name])
                todo |= names_in(str(above[name].expr)) & set(above)
        self.constant = set(once)
        lines += [variable(name, above[name].dim, "constant") for name in sorted(once)]
        inputs: list[str] = []
        for name in sorted(once):
            self._start(name, above, given, inputs)
        inputs += [eq.varname for eq in moving]
        carried = [name for neurons in populations for name in neurons.carried]
        inputs += [name for name in structure.carried if name in carried]
        self.normal = {f"_stream_{n.name}": n.normal for n in populations if n.normal}
        lines += [variable(name, DIMENSIONLESS) for name in phased]
        lines += [variable(name, DIMENSIONLESS) for names in self.normal.values() for name in names]
        self.equations = Equations([in_si(eq) for eq in lines])
        self.inputs = (*inputs, *self.normal)
        going_on = [name for name in inputs if name in {eq.varname for eq in moving} | set(carried)]
        own = {name for neurons in populations for name in neurons.state}
        asked = [name for name in sorted(structure.reads) if name in own]
        self.outputs = tuple(dict.fromkeys([*shown_states(model), *going_on, *asked, *self.normal]))
        self.names = self.equations.identifiers | set().union(*map(names_in, self.start.values()))

    def _start(self, name: str, above: dict[str, SingleEquation], given: Collection[str], inputs: list[str]) -> None:
        """Add the expression of a constant of the option to ``start``, after those that it uses."""
        if name in self.start or name in inputs:
            return
        eq = above[name]
        if name in given or eq.type == PARAMETER:
            inputs.append(name)
            return
        for other in sorted(names_in(str(eq.expr)) & set(above)):
            self._start(other, above, given, inputs)
        self.start[name] = plain(str(eq.expr))


def shown_states(model: Model) -> list[str]:
    """Return the variables of U and V among the outputs; any one if the model's choice defines the output."""
    populations = model.structure.populations
    return [name if name in populations[name].state else populations[name].state[0] for name in ("u", "v")]


def _is_value_of(key: str, name: str) -> bool:
    """Return whether a variable is a phased name, or holds its value in a later phase."""
    return key == name or key.rpartition("_")[0] == f"_{name}"


def _needed(lines: list[SingleEquation], texts: list[str]) -> list[SingleEquation]:
    """Return the equations without subexpressions that nothing integrated, and none of some texts, depends on."""
    expressions = {eq.varname: str(eq.expr) for eq in lines if eq.type == SUBEXPRESSION}
    read = _names([eq for eq in lines if eq.type != SUBEXPRESSION]).union(*map(names_in, texts))
    needed = closure(read, expressions)
    return [eq for eq in lines if eq.type != SUBEXPRESSION or eq.varname in needed]


def _names(lines: list[SingleEquation]) -> set[str]:
    return set().union(*(names_in(str(eq.expr)) for eq in lines if eq.expr is not None))


def in_si(eq: SingleEquation) -> SingleEquation:
    """Return an equation with units replaced by numbers in SI units."""
    return eq if eq.expr is None else equation(eq.type, eq.varname, eq.dim, plain(str(eq.expr)), *eq.flags)
