"""Parser of model strings: equations, values with helper lines, and statements, with their names and units."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from brian2 import DimensionMismatchError, Equations, Quantity
from brian2.core.namespace import DEFAULT_UNITS
from brian2.core.variables import Variable
from brian2.equations.equations import EquationError, SingleEquation
from brian2.parsing.expressions import parse_expression_dimensions
from brian2.parsing.rendering import NodeRenderer
from brian2.units.fundamentalunits import Dimension
from brian2.utils.stringtools import get_identifiers, word_substitute

from nsa_brian.errors import ModelError, closest, printable
from nsa_brian.model.functions import FUNCTIONS, canonical, is_truth
from nsa_brian.model.names import CONSTANTS, KNOWN_IN, PYTHON, REFUSED, check_ascii

#: Largest number in expressions.
LARGEST = 1e300
_ARITHMETIC: dict[type, Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}

_HELPER = re.compile(r"^(\w+)\s*=(?!=)\s*(.+?)\s*:\s*([^:]+)$")
_STATEMENT = re.compile(r"^(\w+)\s*(=|\+=|-=|\*=|/=)(?!=)\s*(.+)$")


@dataclass(frozen=True)
class Value:
    """An expression, with helper lines before it."""

    helpers: tuple[tuple[str, str, str], ...]
    expression: str


@dataclass(frozen=True)
class Statement:
    """``target op expression`` in a learning rule."""

    target: str
    operation: str
    expression: str


def texts_of(rule: Value | tuple[Statement, ...]) -> list[str]:
    """Return all expressions of a value or of statements."""
    if isinstance(rule, Value):
        return [*(text for _, text, _ in rule.helpers), rule.expression]
    return [statement.expression for statement in rule]


def canonical_rule(rule: Value | tuple[Statement, ...]) -> Any:
    """Return a value or statements with functions and operators that mean the same in every engine."""
    if isinstance(rule, Value):
        helpers = tuple((name, canonical(text), unit) for name, text, unit in rule.helpers)
        return Value(helpers, canonical(rule.expression))
    return tuple(Statement(s.target, s.operation, canonical(s.expression)) for s in rule)


def lines_of(text: str) -> list[str]:
    """Return lines without comments and empty lines; a line continues while a bracket is open."""
    lines: list[str] = []
    for raw in text.splitlines():
        line = raw.partition("#")[0].strip()
        if lines and lines[-1].count("(") > lines[-1].count(")"):
            lines[-1] += " " + line
        elif line:
            lines.append(line)
    return lines


def read_value(where: str, text: Any) -> Value:
    """Parse an expression with helper lines, ``name = expression : unit``, before it."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        text = repr(text)
    if not isinstance(text, str) or not lines_of(text):
        raise ModelError(f"{where} must be an expression, got {text!r}")
    check_ascii(where, "\n".join(lines_of(text)))
    *before, last = lines_of(text)
    helpers = []
    for line in before:
        found = _HELPER.match(line)
        if not found:
            raise ModelError(f"{where}: a helper line is written 'name = expression : unit', got {line!r}")
        helpers.append((found[1], found[2], found[3]))
    if _HELPER.match(last) or _STATEMENT.match(last):
        raise ModelError(f"{where} must end with an expression, got {last!r}")
    return Value(tuple(helpers), last)


def read_rule(where: str, text: Any) -> Value | tuple[Statement, ...]:
    """Parse a learning rule: an expression for the new weight, or statements."""
    if not isinstance(text, str) or not lines_of(text):
        raise ModelError(f"{where} must be an expression or statements, got {text!r}")
    lines = lines_of(text)
    check_ascii(where, "\n".join(lines))
    if any(_HELPER.match(line) for line in lines) or not _STATEMENT.match(lines[-1]):
        return read_value(where, text)
    statements = []
    for line in lines:
        found = _STATEMENT.match(line)
        if not found:
            raise ModelError(
                f"{where}: a statement is written 'name = expression' or 'name += expression', got {line!r}"
            )
        if found[1] in PYTHON or not found[1].isidentifier():
            raise ModelError(f"{where}: {found[1]!r} is not a valid name of a variable, in {line!r:.80}")
        statements.append(Statement(found[1], found[2], found[3]))
    return tuple(statements)


def read_equations(where: str, text: Any, **renamed: str) -> list[SingleEquation]:
    """Parse Brian2 equations into single ones."""
    if not isinstance(text, str):
        raise ModelError(f"{where} must be equations, got {text!r}")
    check_ascii(where, "\n".join(lines_of(text)))
    for word in re.findall(r"[A-Za-z_]\w*", "\n".join(lines_of(text))):
        if word in PYTHON - {"and", "or", "not"}:
            raise ModelError(f"{where}: the name {word!r} is taken, by a word of Python")
    marks = re.findall(r"\{\w*\}", text)
    if marks:
        raise ModelError(f"{where}: unknown mark {marks[0]}; only rate_u and rate_v have one, {{noise}}")
    try:
        return list(Equations("\n".join(lines_of(text)), **renamed).ordered) if lines_of(text) else []
    except (EquationError, SyntaxError, ValueError, TypeError, KeyError, RecursionError, MemoryError) as error:
        circle = _circle(lines_of(text)) if "contain a cycle" in str(error) else ""
        message = f"{circle} is circular: it depends on itself" if circle else first_line(error)
        raise ModelError(f"{where}: {message}") from None


def _circle(lines: Iterable[str]) -> str:
    """Return the first subexpression that depends on itself; empty if there is none."""
    found = [match for line in lines if (match := _HELPER.match(line))]
    expressions = {match[1]: match[2] for match in found}
    for name in expressions:
        made_of, todo = set[str](), [name]
        while todo:
            new = (names_in(expressions[todo.pop()]) & set(expressions)) - made_of
            made_of |= new
            todo += new
        if name in made_of:
            return name
    return ""


def names_in(expression: str) -> set[str]:
    """Return all names in an expression, including those of functions."""
    return set(get_identifiers(expression)) - {"and", "or", "not", "True", "False"}


def check_syntax(where: str, expression: str) -> None:
    """Raise ModelError for an expression that Brian2 cannot parse, or with invalid or huge constants."""
    try:
        _refuse_odd_constants(ast.parse(expression.strip(), mode="eval"))
        NodeRenderer().render_expr(expression)
    except (SyntaxError, ValueError, KeyError, TypeError, RecursionError, MemoryError) as error:
        raise ModelError(f"{where}: cannot read {expression[:200]!r}: {first_line(error)}") from None


def _is_truth(node: ast.AST) -> bool:
    """Return whether a condition stands where a number should, except in int(...)."""
    if is_truth(node):
        return True
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "int":
        return False
    return any(map(_is_truth, ast.iter_child_nodes(node)))


def _refuse_odd_constants(tree: ast.Expression) -> None:
    """Raise ValueError for constants that are not real, not finite (0/0), or powers too large to compute.

    Brian2 evaluates exponents when it parses them, and 3**4**5**6 has more digits than fit into memory.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            if any(isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Pow) for inner in ast.walk(node.right)):
                raise ValueError("a power of a power")
            if isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant):
                _refuse_large(_real(node.left.value), _real(node.right.value))
        elif isinstance(node, ast.Constant):
            _refuse_large(_real(node.value))
    _constant(tree.body)


def _constant(node: ast.expr) -> float | None:
    """Return the value of an expression without names, or None; raise ValueError if it is not finite."""
    inner = [_constant(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
    if isinstance(node, ast.Constant):
        return float(_real(node.value))
    if isinstance(node, ast.Call):
        function, inner = FUNCTIONS.get(getattr(node.func, "id", "")), inner[1:]
        compute: Any = function.pyfunc if function else None
    else:
        compute = _ARITHMETIC.get(type(getattr(node, "op", None)))
    if isinstance(node, ast.BinOp) and inner[1] == 0 and isinstance(node.op, ast.Div | ast.Mod | ast.FloorDiv):
        raise ValueError("a division by zero")
    if compute is None or not inner or None in inner:
        return None
    with np.errstate(all="ignore"):
        found = float(compute(*map(np.float64, inner)))
    if not math.isfinite(found):
        raise ValueError(f"{ast.unparse(node):.80} is not a finite number")
    return found


def _real(value: Any) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"only numbers and names are allowed, got {value!r:.80}")
    return value


def _refuse_large(base: float, exponent: float = 1) -> None:
    try:
        if abs(float(base) ** float(exponent)) <= LARGEST:
            return
    except ArithmeticError:  # overflow, or 0 to a negative power
        pass
    raise ValueError("a number too large")


def dimension_of(where: str, expression: str, dimensions: Mapping[str, Dimension]) -> Dimension:
    """Return the dimension of an expression whose names are all known."""
    check_syntax(where, expression)
    if _is_truth(ast.parse(expression.strip(), mode="eval").body):
        raise ModelError(f"{where}: {expression!r} has a condition where a number is needed; write int(...)")
    known: dict[str, Any] = {**FUNCTIONS, **DEFAULT_UNITS}
    for name in names_in(expression):
        if name in dimensions:
            known[name] = Variable(name, dimensions=dimensions[name])
        elif name in CONSTANTS:
            known[name] = Variable(name)
    try:
        return parse_expression_dimensions(expression, known)
    except DimensionMismatchError as error:
        raise ModelError(f"{where}: units do not fit in {expression!r}: {first_line(error)}") from None
    except (SyntaxError, ValueError, TypeError, KeyError) as error:
        raise ModelError(f"{where}: cannot read {expression!r}: {first_line(error)}") from None


def nearest(name: object, known: Iterable[str]) -> str:
    """Return a hint: the closest known name, or all known names."""
    known = list(known)
    near = closest(str(name), known)
    return f"did you mean {near}?" if near else f"known: {', '.join(known)}"


def unknown(where: str, name: str, known: Iterable[str], also: Iterable[str] = ()) -> ModelError:
    """Return the error for an unknown name, with the closest known one, or the closest in ``also``."""
    if name in REFUSED:
        return ModelError(f"{where}: {REFUSED[name]}")
    if name == "dt":
        return ModelError(f"{where}: dt can only be used in equations that are integrated, not between rounds")
    if name in KNOWN_IN:
        return ModelError(f"{where}: unknown name {name!r}; it is known in {KNOWN_IN[name]}")
    near = closest(name, also, 0.8) or closest(name, [*known, *FUNCTIONS], 0.5)
    hint = f"did you mean {near}?" if near else f"known here: {', '.join(sorted(known))}"
    return ModelError(f"{where}: unknown name {name!r}; {hint}")


def first_line(error: BaseException) -> str:
    """Return the message of an error in one line."""
    said = printable(" ".join(str(error).split()))
    return said[:300] or type(error).__name__


#: Other spellings of units, and Brian2's names for them.
WRITTEN = {
    **dict.fromkeys(("s", "sec", "secs", "seconds"), "second"),
    **dict.fromkeys(("msec", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("usec", "microsecond", "microseconds", "µs", "μs"), "us"),
    **dict.fromkeys(("V", "v", "volts"), "volt"),
    **dict.fromkeys(("millivolt", "millivolts"), "mV"),
    **dict.fromkeys(("A", "amps", "ampere", "amperes"), "amp"),
    **dict.fromkeys(("Ohm", "ohms", "Ω"), "ohm"),
    **dict.fromkeys(("S", "mho"), "siemens"),
    **dict.fromkeys(("F", "f", "farads"), "farad"),
    **dict.fromkeys(("hz", "hertz"), "Hz"),
    **dict.fromkeys(("khz", "kilohertz"), "kHz"),
    **dict.fromkeys(("C", "coulombs"), "coulomb"),
    **dict.fromkeys(("m", "meter", "meters"), "metre"),
    **dict.fromkeys(("K", "kelvins"), "kelvin"),
    "g": "gram",
    "M": "molar",
    "1/s": "1/second",
    "1/sec": "1/second",
}


def unit_of(text: str, where: str = "") -> Quantity:
    """Return the Brian2 unit of a text such as ``"ms"`` or ``"1/second"``; 1 for an empty one."""
    try:
        return _unit_of(text)
    except ModelError as error:
        raise ModelError(f"{where}: {error}" if where else str(error)) from None


@cache
def _unit_of(text: str) -> Quantity:
    if not text:
        return Quantity(1.0)
    check_ascii("unit", text)
    try:
        unit = Quantity(_unit(ast.parse(text, mode="eval").body))
        if not 0 < float(unit) <= LARGEST:
            raise ValueError(text)
        return unit
    except (SyntaxError, KeyError, TypeError, ValueError, ArithmeticError, RecursionError, MemoryError):
        near = WRITTEN.get(text) or WRITTEN.get(text.lower(), "") or closest(text, DEFAULT_UNITS)
        hint = f"did you mean {near}?" if near else "a unit is written as Brian2 does: ms, mV, nS, 1/second"
        raise ModelError(f"unknown unit {text[:200]!r}; {hint}") from None


def _unit(node: ast.expr) -> Any:
    if isinstance(node, ast.Name):
        return DEFAULT_UNITS[node.id]
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)  # powers of a float overflow, those of an integer fill the memory
    if isinstance(node, ast.BinOp):
        left, right = _unit(node.left), _unit(node.right)
        if isinstance(node.op, ast.Mult):
            return left * right
        if isinstance(node.op, ast.Div):
            return left / right
        if isinstance(node.op, ast.Pow) and isinstance(right, float) and right.is_integer():
            return left ** int(right)
    raise ValueError(node)


def plain(expression: str) -> str:
    """Replace the names of units and constants in an expression by numbers in SI units."""
    units = {name: float(DEFAULT_UNITS[name]) for name in names_in(expression) if name in DEFAULT_UNITS}
    numbers = {**units, **{name: CONSTANTS[name] for name in names_in(expression) if name in CONSTANTS}}
    return word_substitute(expression, {name: repr(number) for name, number in numbers.items()})
