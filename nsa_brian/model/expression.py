"""Brian2 strings compiled to numpy functions, so that Python code does not copy a model's equations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from brian2 import Equations
from brian2.equations.equations import SUBEXPRESSION
from brian2.parsing.rendering import NumpyNodeRenderer
from brian2.units.unitsafefunctions import exprel

from nsa_brian.model.functions import CANONICAL, FUNCTIONS
from nsa_brian.model.reading import Statement, names_in, plain

_NUMPY = {name: getattr(np, name, None) for name in FUNCTIONS} | {"int": np.int_, "exprel": exprel}
_NUMPY |= {name: function.pyfunc for name, function in CANONICAL.items()}
_NUMPY |= {"logical_not": np.logical_not, "logical_and": np.logical_and, "logical_or": np.logical_or}


def numpy_function(code: str, given: Equations | Mapping[str, str], constants: Mapping[str, Any]) -> Callable[..., Any]:
    """Compile a Brian2 expression to a function of its free names.

    Parameters
    ----------
    code : str
        The expression, such as ``"w + Phi_eta * (R * w_max - w)"``.
    given : Equations or mapping
        Expressions that the code may use by name, such as ``Phi_eta``.
    constants : mapping
        Values of further names, in SI units.

    Returns
    -------
    callable
        Takes the remaining names as keyword arguments (scalars or arrays) and returns the expression's value.
    """
    return _compiled([("_result", code)], _texts(given), constants, "_result")


def numpy_rule(
    statements: Iterable[Statement], given: Mapping[str, str], constants: Mapping[str, Any], targets: Iterable[str]
) -> Callable[..., dict[str, Any]]:
    """Compile statements to a function that returns the new values of ``targets`` by name.

    As in Brian2, subexpressions in a statement are evaluated with the current values.
    """
    steps = []
    for statement in statements:
        whole = statement.expression
        if statement.operation != "=":
            whole = f"{statement.target} {statement.operation[0]} ({whole})"
        steps.append((statement.target, whole))
    made = ", ".join(f"{name!r}: {name}" for name in targets)
    return _compiled(steps, _texts(given), constants, f"{{{made}}}", set(targets))


def _texts(given: Equations | Mapping[str, str]) -> dict[str, str]:
    if isinstance(given, Equations):
        return {eq.varname: eq.expr.code for eq in given.ordered if eq.type == SUBEXPRESSION}
    return dict(given)


def _compiled(
    steps: list[tuple[str, str]],
    given: dict[str, str],
    constants: Mapping[str, Any],
    result: str,
    returned: set[str] | None = None,
) -> Callable[..., Any]:
    """Compile steps in order, each after the expressions that it uses, to a function of the free names."""
    lines, known, arguments = [], set[str](), set(returned or ())
    for target, text in steps:
        before = needed(names_in(text), given)
        for name in [*before, None]:
            expression = plain(text if name is None else given[name])
            arguments |= names_in(expression) - known - set(_NUMPY) - set(constants) - set(before)
            lines.append(f"    {name or target} = {NumpyNodeRenderer().render_expr(expression)}\n")
        known.add(target)
    functions = {name: function for name, function in _NUMPY.items() if name not in arguments}
    scope: dict[str, Any] = {**functions, **constants, "__builtins__": {}}
    taken = ", ".join([*(["*", *sorted(arguments)] if arguments else []), "**_"])
    exec(f"def _function({taken}):\n{''.join(lines)}    return {result}", scope)
    # exp() overflows in a sigmoid far from its centre, whose limit 0 is then exact. Callers check for finite results.
    return np.errstate(all="ignore")(scope["_function"])


def needed(names: set[str], given: Mapping[str, str]) -> list[str]:
    """Return the given expressions that names depend on, each after those that it uses."""
    found: dict[str, None] = {}
    for name in sorted(names & set(given)):
        for inner in [*needed(names_in(given[name]), given), name]:
            found.setdefault(inner)
    return list(found)
