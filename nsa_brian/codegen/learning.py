"""The learning rule as lines of code, and what it does to options that are not chosen."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from nsa_brian.model.model import PAPER, Model
from nsa_brian.model.reading import Value, plain


def rule_lines(model: Model) -> tuple[list[str], dict[str, str]]:
    """Return the learning rule as lines of code, and the expressions by name that it may use."""
    rule, lines = model.structure.rule, model.structure.expressions
    if isinstance(rule, Value):
        return [f"w = {plain(rule.expression)}"], {**lines, **{name: text for name, text, _ in rule.helpers}}
    return [f"{each.target} {each.operation} {plain(each.expression)}" for each in rule], lines


def idle_lines(learn: Sequence[str], lines: Mapping[str, str]) -> list[str]:
    """Return what statements do to an option that is not chosen.

    Of ``w += chosen * ...`` only factors remain that may not be finite, such as quotients, so that rules which fail for
    options that are not chosen still fail; if there are none, the statement is left out.
    """
    found = []
    for line in learn:
        target, operation, expression = line.split(maxsplit=2)
        factors = _factors(_parsed(expression))
        if operation in ("+=", "-=") and ("*", "chosen") in [(op, ast.unparse(node)) for op, node in factors]:
            risky = [(op, node) for op, node in factors if op == "/" or not _is_finite(node, lines)]
            if not risky:
                continue
            line = " ".join([target, operation, "chosen", *(f"{op} ({ast.unparse(node)})" for op, node in risky)])
        found.append(line)
    return found


def _factors(node: ast.expr) -> list[tuple[str, ast.expr]]:
    """Return the factors and divisors of a product, with ``*`` or ``/`` before each."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        return [*_factors(node.left), ("*" if isinstance(node.op, ast.Mult) else "/", node.right)]
    return [("*", node)]


def _is_finite(node: ast.expr, lines: Mapping[str, str]) -> bool:
    """Return whether an expression is finite for all values of its variables, overflow apart."""
    if isinstance(node, ast.Name):
        text = lines.get(node.id)
        return text is None or text == PAPER.structure.expressions.get(node.id) or _is_finite(_parsed(text), lines)
    if isinstance(node, ast.BinOp):
        simple = isinstance(node.op, ast.Add | ast.Sub | ast.Mult)
        return simple and _is_finite(node.left, lines) and _is_finite(node.right, lines)
    if isinstance(node, ast.UnaryOp):
        return _is_finite(node.operand, lines)
    if isinstance(node, ast.Compare):
        return all(_is_finite(each, lines) for each in (node.left, *node.comparators))
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) in ("int", "abs", "clip") and all(_is_finite(each, lines) for each in node.args)
    return isinstance(node, ast.Constant)


def _parsed(expression: str) -> ast.expr:
    """Return the syntax tree of an expression."""
    return ast.parse(expression.strip(), mode="eval").body
