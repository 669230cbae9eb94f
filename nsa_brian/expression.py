"""Brian2 expression strings as numpy functions, so that Python code can follow the equations without copying them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from brian2 import Equations
from brian2.equations.equations import SUBEXPRESSION
from brian2.parsing.rendering import NumpyNodeRenderer
from brian2.utils.stringtools import get_identifiers


def numpy_function(code: str, given: Equations, constants: dict[str, Any]) -> Callable[..., np.ndarray]:
    """Compile a Brian2 expression to a function of the names it leaves open.

    Parameters
    ----------
    code : str
        The expression, such as ``"w + Phi_eta * (R * w_max - w)"``.
    given : Equations
        Subexpressions that the code may use, such as ``Phi_eta``.
    constants : dict
        Values of names in code and subexpressions.

    Returns
    -------
    callable
        Takes the remaining names as keyword arguments (scalars or arrays) and returns the expression's value.
    """
    steps = [(eq.varname, eq.expr.code) for eq in given.ordered if eq.type == SUBEXPRESSION]
    steps = [(name, NumpyNodeRenderer().render_expr(text)) for name, text in [*steps, ("result", code)]]
    inside = {name for name, _ in steps}
    names = sorted({name for _, text in steps for name in get_identifiers(text)} - inside - set(constants))
    functions = {name: getattr(np, name) for name in names if hasattr(np, name)}
    functions["int"] = np.int_
    arguments = [name for name in names if name not in functions]
    body = "".join(f"    {name} = {text}\n" for name, text in steps)
    scope: dict[str, Any] = {**constants, **functions, "__builtins__": {}}
    exec(f"def function({', '.join(['*', *arguments])}):\n{body}    return result", scope)
    # A sigmoid far from its centre overflows exp() on the way to its limit 0, which is then exact.
    return np.errstate(over="ignore")(scope["function"])
