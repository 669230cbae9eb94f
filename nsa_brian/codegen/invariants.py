"""Takes out of a time step what does not change from step to step, so that it is computed once a round.

Brian2's state updaters write an update as one expression for each variable, in which the same sigmoid can stand
twice and in which ``dt/tau`` is divided anew at every step. What a compiler cannot see, because the values come
from arrays, is said here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy
from brian2.core.variables import Variable
from brian2.parsing.sympytools import str_to_sympy, sympy_to_str


def split_invariants(code: str, variables: Mapping[str, Variable], constant: set[str]) -> tuple[dict[str, str], str]:
    """Split abstract code into what is computed once and what remains of the step.

    Parameters
    ----------
    code : str
        Abstract code, a plain assignment a line, as a state updater makes it.
    variables : mapping
        What the names in it mean to Brian2.
    constant : set of str
        Names whose values do not change during a round.

    Returns
    -------
    invariants : dict
        Expressions to be computed once, by the names the step knows them by.
    step : str
        The code of one step.
    """
    invariants: dict[Any, sympy.Symbol] = {}

    def is_constant(expr: Any) -> bool:
        return {symbol.name for symbol in expr.free_symbols} <= constant

    def name_of(expr: Any) -> Any:
        if expr.is_Atom:
            return expr
        return invariants.setdefault(expr, sympy.Symbol(f"invariant_{len(invariants)}", real=True))

    def hoist(expr: Any) -> Any:
        if is_constant(expr):
            return name_of(expr)
        if not (expr.is_Add or expr.is_Mul):
            return expr.func(*map(hoist, expr.args)) if expr.args else expr
        fixed = [arg for arg in expr.args if is_constant(arg)]
        moving = [hoist(arg) for arg in expr.args if not is_constant(arg)]
        return expr.func(name_of(expr.func(*fixed)), *moving) if fixed else expr.func(*moving)

    lines = []
    for line in code.strip().splitlines():
        target, _, text = line.partition(" = ")
        shared, (expr,) = sympy.cse(str_to_sympy(text, variables), symbols=sympy.numbered_symbols(f"_part_{target}_"))
        for symbol, part in [*shared, (target, expr)]:
            lines.append(f"{symbol} = {sympy_to_str(hoist(part))}")
    return {symbol.name: sympy_to_str(expr) for expr, symbol in invariants.items()}, "\n".join(lines)
