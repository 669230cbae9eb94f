"""Brian2 expression strings as numpy functions, so that Python code can follow the equations without copying them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from brian2 import Equations
from brian2.equations.equations import SUBEXPRESSION
from brian2.parsing.rendering import NumpyNodeRenderer


def numpy_function(code: str, given: Equations, constants: dict[str, float]) -> Callable[..., np.ndarray]:
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
    compiled = [(name, _compile(text)) for name, text in [*steps, ("", code)]]
    names = {name for _, step in compiled for name in step.co_names}
    scope = {name: getattr(np, name) for name in names if hasattr(np, name) and name not in constants}
    scope.update(constants, int=np.int_, __builtins__={})

    def evaluate(**values: Any) -> np.ndarray:
        result: Any = None
        # A sigmoid far from its centre overflows exp() on the way to its limit 0, which is then exact.
        with np.errstate(over="ignore"):
            for name, step in compiled:
                result = values[name] = eval(step, scope, values)
        return np.asarray(result)

    return evaluate


def _compile(text: str) -> Any:
    return compile(NumpyNodeRenderer().render_expr(text), "<equation>", "eval")
