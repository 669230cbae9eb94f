"""The functions and operators of model strings: one meaning in every engine, that of numpy in double precision.

Brian2's targets differ in its functions for unusual arguments: ``int``, ``floor`` and ``ceil`` have 32 bits in some
and more in others, ``sign`` of NaN is 0 or NaN, ``clip`` with crossed bounds gives the lower or the upper one, and
``%`` and ``//`` are rounded differently, or become ``floor(a / b)`` where sympy rearranges an equation. So a model's
structure has own names for these (:func:`canonical`), with an implementation for each target. Functions that are the
same everywhere stay Brian2's.
"""

from __future__ import annotations

import ast
from importlib import resources
from typing import Any

import numpy as np
from brian2.codegen.generators.cython_generator import CythonCodeGenerator
from brian2.core.functions import DEFAULT_FUNCTIONS, Function
from brian2.parsing.rendering import NodeRenderer

#: Functions that model strings may call: Brian2's, without those that draw random numbers or read a clock.
FUNCTIONS: dict[str, Any] = {
    name: function
    for name, function in DEFAULT_FUNCTIONS.items()
    if name not in ("rand", "randn", "poisson", "timestep")
}

#: Prefix of the names that :func:`canonical` introduces; users' names cannot have it.
PREFIX = "nsa_"
#: Brian2's name for the code objects of compiled rounds, which implement these functions.
COMPILED = "nsa_compiled_round"


def _integer_part(x: Any) -> Any:
    """Return the integer part as a float: 2 for 2.7, -2 for -2.7; NaN and infinity are unchanged."""
    return np.trunc(x)


def _floor(x: Any) -> Any:
    return np.floor(x)


def _ceil(x: Any) -> Any:
    return np.ceil(x)


def _sign(x: Any) -> Any:
    return np.sign(x)


def _clip(x: Any, low: Any, high: Any) -> Any:
    return np.minimum(np.maximum(x, low), high)


def _mod(x: Any, y: Any) -> Any:
    return np.mod(np.float64(x), y)


def _floordiv(x: Any, y: Any) -> Any:
    return np.floor_divide(np.float64(x), y)


def _cython(name: str, n_arguments: int) -> str:
    """Return the Cython declaration of the C++ function of that name."""
    source = (resources.files("nsa_brian.codegen") / "templates" / "functions.hpp").read_text("utf-8")
    lines = "\n".join(f"    {line}" for line in source.splitlines())
    arguments = ", ".join(["double"] * n_arguments)
    return f"cdef extern from *:\n    '''\n{lines}\n    '''\n    double {PREFIX}{name}({arguments}) nogil\n"


def _same(unit: Any, *others: Any) -> Any:
    return unit


def _function(name: str, pyfunc: Any, units: list[Any], names: list[str], result: Any) -> Function:
    made = Function(pyfunc, arg_units=units, arg_names=names, return_unit=result)
    made.implementations.add_implementation("numpy", pyfunc)
    made.implementations.add_implementation(CythonCodeGenerator, code=_cython(name, len(names)), name=f"{PREFIX}{name}")
    made.implementations.add_implementation(COMPILED, code=None, name=f"{PREFIX}{name}")
    return made


#: Numpy implementation, units and names of the arguments, and unit of the result.
_FUNCTIONS: dict[str, tuple[Any, list[Any], list[str], Any]] = {
    "int": (_integer_part, [1], ["x"], 1),
    "floor": (_floor, [None], ["x"], _same),
    "ceil": (_ceil, [None], ["x"], _same),
    "sign": (_sign, [None], ["x"], 1),
    "clip": (_clip, [None, "x", "x"], ["x", "low", "high"], _same),
    "mod": (_mod, [None, "x"], ["x", "y"], _same),
    "floordiv": (_floordiv, [None, None], ["x", "y"], lambda x, y: x / y),
}
#: The functions that :func:`canonical` introduces, for namespaces of Brian2 objects.
CANONICAL = {f"{PREFIX}{name}": _function(name, *how) for name, how in _FUNCTIONS.items()}
_OPERATORS = {ast.Mod: "mod", ast.FloorDiv: "floordiv"}
_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}


def without_words(expression: str) -> str:
    """Return an expression with ``and`` and ``or`` as arithmetic, for equations with the flag (unless refractory).

    Brian2 keeps them in numpy code, where ``a or b`` of two arrays is an error.
    """
    tree = ast.parse(expression.strip(), mode="eval")
    if not any(isinstance(node, ast.BoolOp) for node in ast.walk(tree)):
        return expression
    return NodeRenderer().render_node(_Words().visit(tree).body)


class _Words(ast.NodeTransformer):
    """Transformer that replaces ``and`` and ``or`` by a count of true conditions."""

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        numbers = [ast.Call(ast.Name("int", ast.Load()), [value], []) for value in node.values]
        total: ast.expr = numbers[0]
        for number in numbers[1:]:
            total = ast.BinOp(total, ast.Add(), number)
        least = len(numbers) if isinstance(node.op, ast.And) else 1
        return ast.Compare(total, [ast.GtE()], [ast.Constant(least)])


def canonical(expression: str) -> str:
    """Return an expression with own names for functions and operators in which Brian2's targets differ.

    An expression without any of them is returned unchanged.
    """
    tree = ast.parse(expression.strip(), mode="eval")
    rewriter = _Rewriter()
    found = rewriter.visit(tree)
    return NodeRenderer().render_node(found.body) if rewriter.changed else expression


class _Rewriter(ast.NodeTransformer):
    """Transformer that replaces operators and functions of Brian2 by those of this module."""

    changed = False

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        name = _OPERATORS.get(type(node.op))
        if name:
            return self._call(PREFIX + name, [node.left, node.right])
        if isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant) and node.right.value == 0.5:
            return self._call("sqrt", [node.left])  # as numpy and sympy have it; C's pow differs at minus infinity
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Compare | ast.BoolOp):
            self.changed = True
            return _negated(node.operand)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in ("floor", "ceil", "sign", "clip") or (name == "int" and not any(map(is_truth, node.args))):
            return self._call(PREFIX + name, node.args)
        return node

    def _call(self, name: str, args: list[ast.expr]) -> ast.AST:
        self.changed = True
        return ast.Call(ast.Name(name, ast.Load()), args, [])


def _negated(node: ast.expr) -> ast.expr:
    """Return the opposite of a comparison, as sympy writes it: for NaN, both are false."""
    if isinstance(node, ast.Compare):
        return ast.Compare(node.left, [_OPPOSITES[type(op)]() for op in node.ops], node.comparators)
    if isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return ast.BoolOp(other, list(map(_negated, node.values)))
    return ast.UnaryOp(ast.Not(), node)


def is_truth(node: ast.AST) -> bool:
    """Return whether an expression is a condition rather than a number."""
    return isinstance(node, ast.Compare | ast.BoolOp) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    )
