"""Takes out of a time step what does not change from step to step, so that it is computed once a round.

Brian2's state updaters write an update as one expression for each variable, in which the same sigmoid can stand
twice and in which ``dt/tau`` is divided anew at every step. What a compiler cannot see, because the values come
from arrays, is said here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy
from brian2 import Equations
from brian2.core.variables import Variable
from brian2.parsing.sympytools import str_to_sympy, sympy_to_str
from brian2.stateupdaters.base import StateUpdateMethod
from brian2.utils.stringtools import word_substitute
from sympy.logic.boolalg import Boolean


def time_step(equations: Equations, variables: Mapping[str, Variable], method: str) -> str:
    """Abstract code of a time step, a plain assignment a line, as Brian2's state updater writes it.

    Brian2 has the new value of ``x`` in ``_x``; here it is ``_next_x``, which no template has for anything else.
    """
    code: Any = StateUpdateMethod.apply_stateupdater(equations, variables, method)
    if not isinstance(code, str):
        raise ValueError(f"method must be one that Brian2 writes as equations, got {method!r}")
    return word_substitute(code, {f"_{name}": f"_next_{name}" for name in equations.diff_eq_names})


def taken_out(expr: Any, is_ready: Callable[[Any], bool], name: Callable[[Any], Any]) -> Any:
    """A sympy expression with names in place of its largest parts that are ready.

    Of a sum or a product, the terms or factors that are ready become one part.
    """

    def inside(part: Any) -> Any:
        return taken_out(part, is_ready, name)

    if isinstance(expr, Boolean):  # a name stands for a number, and true or false is none
        return expr.func(*map(inside, expr.args)) if expr.args else expr
    if is_ready(expr):
        return name(expr)
    if not (expr.is_Add or expr.is_Mul):
        return expr.func(*map(inside, expr.args)) if expr.args else expr
    ready = [arg for arg in expr.args if is_ready(arg)]
    waiting = [inside(arg) for arg in expr.args if not is_ready(arg)]
    return expr.func(name(expr.func(*ready)), *waiting) if ready else expr.func(*waiting)


class Invariants:
    """What was found not to change.

    Parameters
    ----------
    constant : set of str
        Names whose values do not change during a round.
    """

    def __init__(self, constant: set[str]) -> None:
        self._constant = constant
        self._symbols: dict[Any, sympy.Symbol] = {}

    @property
    def found(self) -> dict[str, str]:
        """Expressions to be computed once, by the names the step knows them by."""
        return {symbol.name: sympy_to_str(expr) for expr, symbol in self._symbols.items()}

    @property
    def names(self) -> dict[str, set[str]]:
        """The constants that each of them is made of."""
        return {symbol.name: {s.name for s in expr.free_symbols} for expr, symbol in self._symbols.items()}

    def hoist(self, expr: Any) -> Any:
        """A sympy expression with names in place of what does not change."""
        return taken_out(expr, self._is_constant, self._name)

    def split(self, code: str, variables: Mapping[str, Variable]) -> str:
        """What remains of abstract code, as :func:`time_step` makes it."""
        lines = []
        for line in code.strip().splitlines():
            target, _, text = line.partition(" = ")
            symbols = sympy.numbered_symbols(f"_part_{target}_")
            shared, (expr,) = sympy.cse(str_to_sympy(text, variables), symbols=symbols)
            for symbol, part in [*shared, (target, expr)]:
                lines.append(f"{symbol} = {sympy_to_str(self.hoist(part))}")
        return "\n".join(lines)

    def _is_constant(self, expr: Any) -> bool:
        return {symbol.name for symbol in expr.free_symbols} <= self._constant

    def _name(self, expr: Any) -> Any:
        if expr.is_Atom:
            return expr
        return self._symbols.setdefault(expr, sympy.Symbol(f"_invariant_{len(self._symbols)}", real=True))
