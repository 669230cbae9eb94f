"""Loop-invariant code motion: expressions that are constant within a round are computed once, not in every step.

Brian2's state updaters write an update as one expression per variable, which can contain the same sigmoid twice and
divides ``dt/tau`` in every step. A compiler cannot simplify this, because the values come from arrays.
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
    """Return the abstract code of a time step from Brian2's state updater, one assignment per line.

    Brian2 calls the new value of ``x`` ``_x``; here it is ``_next_x``, which no template uses.
    """
    code: Any = StateUpdateMethod.apply_stateupdater(equations, variables, method)
    if not isinstance(code, str):
        raise ValueError(f"method must be one that Brian2 writes as equations, got {method!r}")
    return word_substitute(code, {f"_{name}": f"_next_{name}" for name in equations.diff_eq_names})


def taken_out(expr: Any, is_ready: Callable[[Any], bool], name: Callable[[Any], Any]) -> Any:
    """Return a sympy expression with its largest subexpressions that are ready replaced by names.

    The ready terms of a sum, or factors of a product, become one subexpression.
    """

    def inside(part: Any) -> Any:
        return taken_out(part, is_ready, name)

    if isinstance(expr, Boolean):  # names stand for numbers, not for truth values
        return expr.func(*map(inside, expr.args)) if expr.args else expr
    if is_ready(expr):
        return name(expr)
    if not (expr.is_Add or expr.is_Mul):
        return expr.func(*map(inside, expr.args)) if expr.args else expr
    ready = [arg for arg in expr.args if is_ready(arg)]
    waiting = [inside(arg) for arg in expr.args if not is_ready(arg)]
    return expr.func(name(expr.func(*ready)), *waiting) if ready else expr.func(*waiting)


class Invariants:
    """Expressions that are constant within a round, found in the code of a time step.

    Parameters
    ----------
    constant : set of str
        Names whose values are constant within a round.
    """

    def __init__(self, constant: set[str]) -> None:
        self._constant = constant
        self._symbols: dict[Any, sympy.Symbol] = {}

    @property
    def found(self) -> dict[str, str]:
        """Expressions to be computed once, by their names in the step."""
        return {symbol.name: sympy_to_str(expr) for expr, symbol in self._symbols.items()}

    @property
    def names(self) -> dict[str, set[str]]:
        """The constants that each expression depends on."""
        return {symbol.name: {s.name for s in expr.free_symbols} for expr, symbol in self._symbols.items()}

    def hoist(self, expr: Any) -> Any:
        """Return a sympy expression with its constant subexpressions replaced by names."""
        return taken_out(expr, self._is_constant, self._name)

    def split(self, code: str, variables: Mapping[str, Variable]) -> str:
        """Remove constant expressions from the code of :func:`time_step`; return what remains."""
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
