"""Code of a game's time step if options are coupled: units send, pools receive and step, units step.

All sums and steps use the state at the step's start. Common subexpressions of sending and stepping, such as a neuron's
response, are computed once, and terms independent of the sums are computed first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy
from brian2 import Equations
from brian2.core.variables import Variable
from brian2.equations.equations import SUBEXPRESSION
from brian2.parsing.sympytools import str_to_sympy, sympy_to_str

from nsa_brian.codegen.invariants import Invariants, taken_out, time_step
from nsa_brian.codegen.unit import in_si
from nsa_brian.model.model import Model
from nsa_brian.model.reading import plain
from nsa_brian.model.structure import Link, equation, variable


@dataclass(frozen=True)
class StepCode:
    """Abstract code of a time step.

    Attributes
    ----------
    send, step : str
        Code of each unit: what it sends, with the terms of its step that can be computed ahead; the rest of its step.
    pool : str
        Code of the game: input and output of pools, and their steps.
    parts : list of str
        Terms that are computed ahead and stored for the step.
    of_game, of_unit : dict
        Constants within a round, by name: of the game, and of each unit.
    """

    send: str
    step: str
    pool: str
    parts: list[str]
    of_game: dict[str, str]
    of_unit: dict[str, str]


def sent_by_options(model: Model) -> list[Link]:
    """Return the links whose contributions are summed over a game's options."""
    return [link for link in model.structure.crossing if link.source in model.structure.of_options]


def unit_equations(model: Model, unit: Equations) -> Equations:
    """Return the equations of a unit, with sums over options in place of the input from them."""
    sums = {}
    for link in sent_by_options(model):
        if link.target in model.structure.of_options:
            own = f" - _sent_{link.variable}" if link.to == "others" else ""
            sums[link.variable] = mean_over(link, f"_sum_{link.variable}{own}")
    lines = []
    for eq in unit.values():
        known = eq.varname in sums
        lines.append(equation(SUBEXPRESSION, eq.varname, eq.dim, sums[eq.varname]) if known else eq)
    return Equations(lines)


def mean_over(link: Link, total: str) -> str:
    """Return the input from options: the sum of what they send, or its mean."""
    if link.over == "sum":
        return total
    return f"({total}) / (n_arms{' - 1' if link.to == 'others' else ''})"


def step_code(
    model: Model,
    unit: Equations,
    variables: Mapping[str, Variable],
    method: str,
    game_constants: set[str],
    unit_constants: set[str],
) -> StepCode:
    """Return the code of a time step; ``unit`` as returned by :func:`unit_equations`."""
    invariants = Invariants(game_constants | unit_constants)
    ahead = _Ahead(_arriving(model))
    sent = {f"_sent_{link.variable}": _substituted(unit, link, variables) for link in sent_by_options(model)}
    code = time_step(unit, variables, method)
    step = code
    if method == "euler":  # uses only the state at the step's start
        lines = [line.partition(" = ")[::2] for line in code.strip().splitlines()]
        step = "\n".join(
            f"{target} = {sympy_to_str(ahead.take(str_to_sympy(text, variables)))}" for target, text in lines
        )
    wanted = {**{name: str_to_sympy(text, variables) for name, text in sent.items()}, **ahead.taken}
    shared, expressions = sympy.cse(list(wanted.values()), symbols=sympy.numbered_symbols("_part_"))
    send = [*((symbol.name, part) for symbol, part in shared), *zip(wanted, expressions, strict=True)]
    send_code = "\n".join(f"{name} = {sympy_to_str(invariants.hoist(expr))}" for name, expr in send)
    step = invariants.split(step, variables)
    of_game = {name: text for name, text in invariants.found.items() if invariants.names[name] <= game_constants}
    of_unit = {name: text for name, text in invariants.found.items() if name not in of_game}
    return StepCode(send_code, step, _pool_code(model, variables, method), list(ahead.taken), of_game, of_unit)


class _Ahead:
    """Extractor of the terms of a step that do not depend on the sums, so that costly functions are computed together.

    ``taken`` are the extracted expressions, by name; ``later`` the names that are known only afterwards.
    """

    def __init__(self, later: set[str]) -> None:
        self.taken: dict[str, Any] = {}
        self._later = later

    def take(self, expr: Any) -> Any:
        """Return the expression with names in place of the terms computed ahead."""
        return taken_out(expr, self._is_ready, self._name)

    def _is_ready(self, expr: Any) -> bool:
        return not {symbol.name for symbol in expr.free_symbols} & self._later

    def _name(self, expr: Any) -> Any:
        if not expr.has(sympy.Function):  # cheaper to compute than to store
            return expr
        name = next((name for name, taken in self.taken.items() if taken == expr), f"_ahead_{len(self.taken)}")
        self.taken[name] = expr
        return sympy.Symbol(name, real=True)


def _arriving(model: Model) -> set[str]:
    """Return the names of input that options receive from elsewhere within a step."""
    sums = {f"_sum_{link.variable}" for link in sent_by_options(model)}
    options = model.structure.of_options
    return sums | {link.variable for link in model.structure.crossing if link.source not in options}


def _pool_code(model: Model, variables: Mapping[str, Variable], method: str) -> str:
    """Return the code of pools: what they receive, what they send, and their steps."""
    structure, options = model.structure, model.structure.of_options
    lines, pools = [], {place: pool_equations(model, place) for place in structure.of_games}
    for link in structure.crossing:
        if link.source in options and link.target not in options:
            lines.append(f"{link.variable} = {mean_over(link, f'_sum_{link.variable}')}")
        elif link.source not in options:
            lines.append(f"{link.variable} = {_substituted(pools[link.source], link, variables)}")
    for pool in pools.values():
        if pool.diff_eq_names:
            lines.append(time_step(pool, variables, method))
    return "\n".join(lines)


def pool_equations(model: Model, place: str) -> Equations:
    """Return the equations of a pool, with variables for its input."""
    structure = model.structure
    lines = list(map(in_si, structure.places[place]))
    lines += [variable(link.variable, link.dimension) for link in structure.links if link.target == place]
    return Equations(lines)


def _substituted(given: Equations, link: Link, variables: Mapping[str, Variable]) -> str:
    """Return a link's drive in terms of state variables and parameters."""
    lines = map(in_si, link.helpers)
    drive = equation(SUBEXPRESSION, f"drive_of_{link.variable}", link.dimension, plain(link.drive))
    whole = Equations([*given.values(), *lines, drive])
    found = dict(whole.get_substituted_expressions(variables, include_subexpressions=True))
    return found[drive.varname].code
