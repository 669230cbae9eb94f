"""Conditions on parameters as expressions: ``"offset_u > 0.2"``, ``"tau_u < tau_v"``, ``"1 < w_max < 6"``."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nsa_brian.common.texts import shown
from nsa_brian.parameters import NSAParameters, check_names

if TYPE_CHECKING:
    from nsa_brian.model.model import Model

#: The least violation of a condition that is not met, such as a < a.
LEAST = 1e-9

_FORM = "a condition compares expressions of parameters by <, <=, > or >=, such as 'tau_u < tau_v'"
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.USub, ast.UAdd)
_COMPARES: dict[type[ast.cmpop], tuple[int, bool]] = {
    ast.Lt: (1, True),
    ast.LtE: (1, False),
    ast.Gt: (-1, True),
    ast.GtE: (-1, False),
}


@dataclass(frozen=True)
class Condition:
    """A condition on the values of parameters, each in its own unit.

    Attributes
    ----------
    text : str
    names : frozenset of str
        The parameters that it compares.
    compared : tuple
        For each comparison the functions of its left and right side, 1 if the left one must be smaller, else -1, and
        whether they must differ.
    """

    text: str
    names: frozenset[str]
    compared: tuple[tuple[Callable[..., Any], Callable[..., Any], int, bool], ...]

    @classmethod
    def read(cls, text: str, model: Model) -> Condition:
        """Parse a condition on a model's parameters; a ValueError says what is wrong with it."""
        try:
            body = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise ValueError(f"{_FORM}; got {shown(text)}") from None
        parts = body.values if isinstance(body, ast.BoolOp) and isinstance(body.op, ast.And) else [body]
        names: set[str] = set()
        comparisons = []
        for part in parts:
            if not isinstance(part, ast.Compare) or not all(type(op) in _COMPARES for op in part.ops):
                raise ValueError(f"{_FORM}, several joined by 'and'; got {shown(text)}")
            sides = [part.left, *part.comparators]
            for side in sides:
                names |= _names(side, text)
            comparisons.append((sides, part.ops))
        check_names(sorted(names), model.declared)
        if not names:
            raise ValueError(f"a condition must have a parameter, got {shown(text)}")
        compared = []
        for sides, ops in comparisons:
            try:
                functions = [_compiled(side) for side in sides]
            except (RecursionError, MemoryError, SyntaxError):
                raise ValueError(f"condition {shown(text)} is too long") from None
            for left, right, op in zip(functions, functions[1:], ops, strict=False):
                compared.append((left, right, *_COMPARES[type(op)]))
        return cls(text, frozenset(names), tuple(compared))

    def violations(self, sets: Sequence[NSAParameters]) -> np.ndarray:
        """Return how far each set is from meeting it, from 0 (met) to 1, as where a side is not finite.

        An ArithmeticError, TypeError or ValueError if its constants cannot be computed; this does not depend on sets.
        """
        plain = [each.to_dict() for each in sets]
        values: Mapping[str, Any] = {name: np.array([each[name] for each in plain], float) for name in self.names}
        found = np.zeros(len(sets))
        for left, right, sign, strict in self.compared:
            with np.errstate(all="ignore"):
                a, b = (np.broadcast_to(_computed(side, values), found.shape) for side in (left, right))
                excess = sign * (a - b)
                met = np.isfinite(excess) & (excess < 0 if strict else excess <= 0)
                share = np.nan_to_num(excess / (abs(a) + abs(b)), nan=1.0, posinf=1.0)
            found = np.maximum(found, np.where(met, 0.0, np.clip(share, LEAST, 1.0)))
        return found


def _computed(side: Callable[..., Any], values: Mapping[str, Any]) -> np.ndarray:
    """Return the values of one side; a ValueError if they are complex, or if it is a constant that is not finite."""
    found = np.asarray(side(**values))
    if np.iscomplexobj(found):
        raise ValueError("a power is a complex number")
    if not found.ndim and not np.isfinite(found):  # with a parameter, it has one value for each set
        raise ValueError(f"one side is {found}")
    return found.astype(float)


def _names(side: ast.expr, text: str) -> set[str]:
    """Return the parameters of one side; a ValueError if it is more than arithmetic."""
    from nsa_brian.model.functions import FUNCTIONS  # here: Brian2 takes a second to import

    names, called = set(), {id(node.func) for node in ast.walk(side) if isinstance(node, ast.Call)}
    for node in ast.walk(side):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else ast.unparse(node.func)
            if name not in FUNCTIONS or node.keywords:
                raise ValueError(f"condition {shown(text)}: there is no function {shown(name)}")
            n_arguments = len(FUNCTIONS[name]._arg_units)
            if len(node.args) != n_arguments:
                needed = f"{name} has {n_arguments} argument{'s' * (n_arguments > 1)}"
                raise ValueError(f"condition {shown(text)}: {needed}, got {len(node.args)}")
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, bool) or not isinstance(node.value, int | float):
                raise ValueError(f"condition {shown(text)}: {shown(node.value)} is not a number")
            if abs(node.value) > sys.float_info.max:
                raise ValueError(f"condition {shown(text)}: a number is too large")
        elif isinstance(node, ast.Name):
            if id(node) not in called:
                names.add(node.id)
        elif not isinstance(node, (ast.BinOp, ast.UnaryOp, ast.expr_context, *_OPERATORS)):
            raise ValueError(f"condition {shown(text)}: only arithmetic of parameters and numbers can be compared")
    return names


def _compiled(side: ast.expr) -> Callable[..., Any]:
    """Compile one side, its numbers as floats: a power of large integers would take forever."""
    from nsa_brian.model.expression import numpy_function  # here: Brian2 takes a second to import

    for node in ast.walk(side):
        if isinstance(node, ast.Constant):
            node.value = float(node.value)  # type: ignore[arg-type]  # _names refuses all but numbers
    return numpy_function(ast.unparse(side), {}, {})
