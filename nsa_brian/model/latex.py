"""A model's equations as LaTeX, for notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from brian2.parsing.sympytools import str_to_sympy
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanFunction
from sympy.printing.conventions import split_super_sub
from sympy.printing.latex import LatexPrinter, translate

from nsa_brian.model.reading import Statement, Value
from nsa_brian.model.structure import Link, Neurons, Structure

SUMS = {"sum": r"\sum", "mean": r"\operatorname{mean}"}


def latex(structure: Structure) -> str:
    """Return all equations of a model, by population, synapse and signals, as one displayed formula."""
    lines = []
    for title, rows in _groups(structure):
        lines += [rf"&\text{{{title}:}}", *rows] if rows else []
    return "$$\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$$"


def _groups(structure: Structure) -> Iterator[tuple[str, list[str]]]:
    for name, neurons in structure.populations.items():
        links = [_link(link, structure) for link in structure.links if link.target == name]
        yield _title(neurons), [*_equations(neurons.equations), *links, *_spikes(neurons)]
    yield "Synapse", _equations(structure.synapse)
    yield "Signals", [*_equations(structure.signals), *_rule(structure.signal_update)]
    yield "Learning", [*_rule(structure.rule), *_rule(structure.contact_rule)]


def _title(neurons: Neurons) -> str:
    count = "many neurons" if isinstance(neurons.count, str) else f"{neurons.count} neurons"
    count = "one neuron" if neurons.count == 1 else count
    name = neurons.name.upper() if neurons.name in ("u", "v") else _escaped(neurons.name)
    return f"{name}, {count} of each {neurons.per}"


def _equations(equations: Any) -> list[str]:
    """Return differential equations and expressions; a variable without either has no line."""
    rows = []
    for eq in equations:
        if eq.expr is not None:
            name = _symbol(eq.varname)
            left = rf"\frac{{\mathrm{{d}}{name}}}{{\mathrm{{d}}t}}" if eq.type == "differential equation" else name
            rows.append(f"{left} &= {_expression(str(eq.expr))}")
    return rows


def _link(link: Link, structure: Structure) -> str:
    """Return what arrives through a coupling; angle brackets are means over the neurons that send."""
    drive, helpers = _expression(link.drive), _equations(link.helpers)
    source, target = structure.populations[link.source], structure.populations[link.target]
    if source.count != 1:
        drive = rf"\left\langle {drive} \right\rangle"
    if source.of_options and not link.diagonal:
        options = "other options" if target.of_options and link.to == "others" else "options"
        drive = rf"{SUMS[link.over]}_{{\text{{{options}}}}} {drive}"
    return " \\\\\n".join([*helpers, f"{_symbol(link.variable)} &= {drive}"])


def _spikes(neurons: Neurons) -> list[str]:
    if not neurons.spikes:
        return []
    return [rf"\text{{spike if }} &{_expression(neurons.threshold)}", *_rule(neurons.reset)]


def _rule(rule: Value | tuple[Statement, ...]) -> list[str]:
    if isinstance(rule, Value):
        helpers = [f"{_symbol(name)} &= {_expression(text)}" for name, text, _ in rule.helpers]
        return [*helpers, rf"w &\leftarrow {_expression(rule.expression)}"]
    return [rf"{_symbol(each.target)} &\leftarrow {_expression(_assigned(each))}" for each in rule]


def _assigned(each: Statement) -> str:
    """Return the new value: that of ``x += 1`` is ``x + 1``."""
    operator = each.operation.removesuffix("=")
    return f"{each.target} {operator} ({each.expression})" if operator else each.expression


def _expression(text: str) -> str:
    return _Printer({"mul_symbol": r" \, "}).doprint(str_to_sympy(text))


def _symbol(name: str) -> str:
    r"""Return a name as it is written on paper: ``tau_u`` as \tau_{u}, ``gain_u`` as \mathrm{gain}_{u}."""
    if name == "dt":
        return r"\Delta t"
    base, supers, subs = split_super_sub(name.replace("_of_", "_"))
    below = ", ".join(map(_word, [*subs, *supers]))
    return f"{_word(base)}_{{{below}}}" if below else _word(base)


def _word(text: str) -> str:
    known = translate(text)
    return known if known.startswith("\\") or len(known) == 1 else rf"\mathrm{{{known}}}"


class _Printer(LatexPrinter):
    """Sympy's printer, with upright words, and ``int(condition)`` in brackets: 1 if the condition holds, else 0."""

    def _print_Symbol(self, expr: Any, style: str = "plain") -> str:  # noqa: N802
        return _symbol(expr.name)

    def _print_Function(self, expr: Any, exp: str | None = None) -> str:  # noqa: N802
        name = expr.func.__name__.removeprefix("nsa_").rstrip("_")
        arguments = ", ".join(map(self._print, expr.args))
        if name == "int" and isinstance(expr.args[0], Relational | BooleanFunction):
            shown = rf"\left[ {arguments} \right]"
        elif name == "sqrt":
            shown = rf"\sqrt{{{arguments}}}"
        elif isinstance(expr, AppliedUndef):
            shown = rf"\operatorname{{{_escaped(name)}}}\left( {arguments} \right)"
        else:
            return super()._print_Function(expr, exp)
        return f"{shown}^{{{exp}}}" if exp else shown


def _escaped(text: str) -> str:
    return text.replace("_", r"\_")
