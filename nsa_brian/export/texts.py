"""Texts of a script: Brian2 strings and numpy expressions with a model's own names, numbers with units."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Collection, Iterable

from brian2.core.namespace import DEFAULT_UNITS
from brian2.units.fundamentalunits import DIMENSIONLESS, Dimension, get_unit
from brian2.utils.stringtools import word_substitute

from nsa_brian.model.functions import PREFIX
from nsa_brian.model.names import CONSTANTS
from nsa_brian.model.reading import names_in, unit_of

#: Functions of model strings whose name in numpy is another one.
_NUMPY = {"int": "int_", "abs": "abs", "rint": "rint"}
_OPERATORS: dict[str, type[ast.operator]] = {"mod": ast.Mod, "floordiv": ast.FloorDiv}
_SIMPLE = re.compile(rf"\b{PREFIX}(int|floor|ceil|sign|clip)\b")


def brian2_text(text: str) -> str:
    """Return an expression of the structure with Brian2's names of functions and operators."""
    text = _SIMPLE.sub(r"\1", text)
    return ast.unparse(_Operators().visit(ast.parse(text, mode="eval"))) if PREFIX in text else text


class _Operators(ast.NodeTransformer):
    """Transformer that writes ``x % y`` and ``x // y`` again."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.id.removeprefix(PREFIX) if isinstance(node.func, ast.Name) else ""
        return ast.BinOp(node.args[0], _OPERATORS[name](), node.args[1]) if name in _OPERATORS else node


def numpy_text(text: str, numbers: Collection[str] = ()) -> str:
    """Return an expression as Python code with numpy's functions.

    Parameters
    ----------
    text : str
    numbers : collection of str
        Names of numbers that the engine holds in arrays: numpy's square of an array is x * x, that of a number calls
        pow, which can differ in the last bit.
    """
    return ast.unparse(_Numpy(numbers).visit(ast.parse(brian2_text(text), mode="eval")))


class _Numpy(ast.NodeTransformer):
    def __init__(self, numbers: Collection[str]) -> None:
        self._numbers = numbers

    def visit_Call(self, node: ast.Call) -> ast.AST:
        assert isinstance(node.func, ast.Name)
        node.args = [self.visit(each) for each in node.args]
        if node.func.id == "exprel":
            return node  # Brian2's
        return _call(_NUMPY.get(node.func.id, node.func.id), *node.args)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return _attribute(node.id) if node.id in CONSTANTS else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        used = {each.id for each in ast.walk(node.left) if isinstance(each, ast.Name)}
        self.generic_visit(node)
        squared = isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant) and node.right.value == 2
        return _call("square", node.left) if squared and used and used <= set(self._numbers) else node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        name = "logical_and" if isinstance(node.op, ast.And) else "logical_or"
        found = node.values[0]
        for value in node.values[1:]:
            found = _call(name, found, value)
        return found

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return _call("logical_not", node.operand) if isinstance(node.op, ast.Not) else node


def _attribute(name: str) -> ast.expr:
    return ast.Attribute(ast.Name("np", ast.Load()), name, ast.Load())


def _call(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(_attribute(name), list(arguments), [])


def units_in(texts: Iterable[str]) -> set[str]:
    """Return the names of units in Python expressions, to be imported."""
    return {name for text in texts for name in names_in(text) if name in DEFAULT_UNITS}


def unit_text(dimension: Dimension) -> str:
    """Return the unit of an equation, such as ``volt``; ``1`` for none."""
    return "1" if dimension is DIMENSIONLESS else repr(get_unit(dimension)).replace("^", "**").replace(" ", "")


def number_text(value: float, unit: str = "") -> str:
    """Return a number in SI units as Python code that gives exactly this number, if possible in a unit."""
    if not unit:
        return _plain(value)
    scale = float(unit_of(unit))
    called = unit if unit.isidentifier() else f"({unit})"
    rough = value / scale
    for near in (float(f"{rough:.12g}"), rough, math.nextafter(rough, math.inf), math.nextafter(rough, -math.inf)):
        if near * scale == value:
            return f"{_plain(near)}*{called}"
    base = unit_text(unit_of(unit).dim)
    return f"{value!r}*{base if base.isidentifier() else f'({base})'}"


def _plain(value: float) -> str:
    """Return a number without a needless ``.0``."""
    rounded = float(f"{value:.12g}")
    value = rounded if rounded == value else value
    return str(int(value)) if value == int(value) and abs(value) < 1e9 else repr(float(value))


def renamed(text: str, names: dict[str, str]) -> str:
    """Return a text with some names replaced."""
    return word_substitute(text, names) if names else text


def is_zero(text: str) -> bool:
    """Return whether an expression is the number 0."""
    try:
        return float(text) == 0
    except ValueError:
        return False


def assignment(name: str, code: str, indent: int = 4) -> list[str]:
    """Return ``name = code``, on several lines if one would be too long."""
    line = f"{name} = {code}"
    tree = ast.parse(code, mode="eval").body
    if len(line) + indent <= 120 or not (isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Add | ast.Sub)):
        return [line]
    sign = "+" if isinstance(tree.op, ast.Add) else "-"
    right = ast.unparse(tree.right)
    right = (
        f"({right})" if isinstance(tree.right, ast.BinOp) and isinstance(tree.right.op, ast.Add | ast.Sub) else right
    )
    return [f"{name} = (", f"    {ast.unparse(tree.left)}", f"    {sign} {right}", ")"]
