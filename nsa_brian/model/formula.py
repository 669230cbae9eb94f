"""Expressions of model strings as formulas, in the order in which they are written: LaTeX and MathML."""

from __future__ import annotations

import ast
import html
from collections.abc import Mapping
from dataclasses import dataclass

from brian2.core.namespace import DEFAULT_UNITS

from nsa_brian.model.functions import PREFIX

_LETTERS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ",
    "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ",
    "phi": "ϕ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ",
    "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip
#: Greek letters in subscripts; ``xi`` in ``g_xi`` is more often x and i.
_BELOW = {name: letter for name, letter in _LETTERS.items() if name not in ("xi", "pi", "nu")}
_COMPARE: dict[type, tuple[str, str]] = {
    ast.Gt: (">", ">"), ast.Lt: ("<", "<"), ast.GtE: (r"\geq", "≥"), ast.LtE: (r"\leq", "≤"), ast.Eq: ("=", "="),
    ast.NotEq: (r"\neq", "≠"),
}  # fmt: skip
_FENCES = {"abs": "||", "floor": "⌊⌋", "ceil": "⌈⌉"}
_FENCED = {
    "|": r"|",
    "⌊": r"\lfloor",
    "⌋": r"\rfloor",
    "⌈": r"\lceil",
    "⌉": r"\rceil",
    "⟨": r"\langle",
    "⟩": r"\rangle",
}
_FUNCTIONS = ("exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh")


@dataclass(frozen=True)
class Formula:
    """A formula, as LaTeX and as the inside of a MathML element."""

    latex: str
    mathml: str

    def __add__(self, other: Formula) -> Formula:
        space = " " if self.latex and other.latex else ""
        return Formula(f"{self.latex}{space}{other.latex}", self.mathml + other.mathml)


EMPTY = Formula("", "")


def operator(latex: str, character: str) -> Formula:
    """Return an operator or relation."""
    return Formula(latex, f"<mo>{html.escape(character)}</mo>")


ASSIGN, EQUALS, THIN = operator(r"\leftarrow", "←"), operator("=", "="), Formula(r"\,", '<mspace width="0.17em"/>')


def words(text: str) -> Formula:
    """Return words inside a formula."""
    return Formula(rf"\text{{{escaped(text)}}}", f"<mtext>{html.escape(text)}</mtext>")


def escaped(text: str) -> str:
    """Escape a text for LaTeX."""
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(c, f"\\{c}" if c in "&%$#_{}" else c) for c in text)


def row(*parts: Formula) -> Formula:
    """Return formulas as one, beside each other."""
    found = EMPTY
    for part in parts:
        found = found + part
    return Formula(found.latex, f"<mrow>{found.mathml}</mrow>")


def fraction(above: Formula, below: Formula) -> Formula:
    """Return a fraction."""
    return Formula(rf"\frac{{{above.latex}}}{{{below.latex}}}", f"<mfrac>{_one(above)}{_one(below)}</mfrac>")


def raised(base: Formula, exponent: Formula) -> Formula:
    """Return a power."""
    return Formula(f"{base.latex}^{{{exponent.latex}}}", f"<msup>{_one(base)}{_one(exponent)}</msup>")


def below(base: Formula, sub: Formula) -> Formula:
    """Return a formula with a subscript."""
    return Formula(f"{base.latex}_{{{sub.latex}}}", f"<msub>{_one(base)}{_one(sub)}</msub>")


def fenced(inner: Formula, fence: str = "()") -> Formula:
    """Return a formula in brackets."""
    left, right = (_FENCED.get(each, each) for each in fence)
    return Formula(
        rf"\left{left} {inner.latex} \right{right}",
        f"<mrow><mo>{fence[0]}</mo>{inner.mathml}<mo>{fence[1]}</mo></mrow>",
    )


def derivative(of: Formula) -> Formula:
    """Return the derivative of a variable with respect to time."""
    d = Formula(r"\mathrm{d}", "<mi mathvariant='normal'>d</mi>")
    joined = [Formula(f"{d.latex}{each.latex}", d.mathml + each.mathml) for each in (of, symbol("t"))]
    return fraction(*joined)


def total(over: str, mean: bool) -> Formula:
    """Return a sum or mean over options."""
    sign = words("mean") if mean else operator(r"\sum", "∑")
    if mean:
        return Formula(
            rf"\operatorname*{{mean}}_{{\text{{{over}}}}}", f"<munder>{sign.mathml}<mtext>{over}</mtext></munder>"
        )
    return Formula(rf"\sum_{{\text{{{over}}}}}", f"<munder>{sign.mathml}<mtext>{over}</mtext></munder>")


def _one(part: Formula) -> str:
    return f"<mrow>{part.mathml}</mrow>"


def symbol(name: str) -> Formula:
    r"""Return a name as it is written on paper: ``tau_u`` as \tau_{u}, ``gain_u`` as \mathrm{gain}_{u}."""
    if name == "dt":
        return Formula(r"\Delta t", "<mi mathvariant='normal'>Δ</mi><mi>t</mi>")
    if name == "n_arms":
        return _word("K", {})
    base, *subs = [part for part in name.split("_") if part] or [name]
    first = _word(base, _LETTERS)
    if not subs:
        return first
    parts = [_word(sub, _BELOW) for sub in subs]
    listed = Formula(", ".join(part.latex for part in parts), "<mo>,</mo>".join(part.mathml for part in parts))
    return below(first, listed)


def _word(text: str, greek: Mapping[str, str]) -> Formula:
    if text in greek:
        return Formula(f"\\{text}", f"<mi>{greek[text]}</mi>")
    if len(text) == 1:
        return Formula(text, f"<mn>{text}</mn>" if text.isdigit() else f"<mi>{text}</mi>")
    upright = text.replace("_", r"\_")
    return Formula(rf"\mathrm{{{upright}}}", f"<mi>{text}</mi>")


def expression(text: str, names: Mapping[str, Formula] | None = None) -> Formula:
    """Return an expression as a formula; ``names`` gives the formulas of names that are written otherwise."""
    return _Printer(names or {}).show(ast.parse(text.strip(), mode="eval").body)


class _Printer:
    def __init__(self, names: Mapping[str, Formula]) -> None:
        self._names, self._depth = names, 0  # fractions around what is shown

    def show(self, node: ast.AST) -> Formula:
        return getattr(self, f"_{type(node).__name__}")(node)

    def _Name(self, node: ast.Name) -> Formula:  # noqa: N802
        if node.id in self._names:
            return self._names[node.id]
        if node.id in DEFAULT_UNITS:
            return Formula(
                rf"\mathrm{{{unit_symbol(node.id)}}}", f"<mi mathvariant='normal'>{unit_symbol(node.id)}</mi>"
            )
        return symbol(node.id)

    def _Constant(self, node: ast.Constant) -> Formula:  # noqa: N802
        assert isinstance(node.value, int | float)
        return number(node.value)

    def _BinOp(self, node: ast.BinOp) -> Formula:  # noqa: N802
        left, right = node.left, node.right
        match node.op:
            case ast.Add() | ast.Sub():
                sign = operator("+", "+") if isinstance(node.op, ast.Add) else operator("-", "−")
                bracket = isinstance(node.op, ast.Sub) and _is_sum(right)
                return (
                    self.show(left)
                    + sign
                    + (fenced(self.show(right)) if bracket or _negative(right) else self.show(right))
                )
            case ast.Mult():
                numbers = isinstance(right, ast.Constant)
                return (
                    self._factor(left, first=True)
                    + (operator(r"\cdot", "·") if numbers else THIN)
                    + self._factor(right)
                )
            case ast.Div():
                if isinstance(left, ast.UnaryOp) and isinstance(left.op, ast.USub):
                    return operator("-", "−") + self._divided(left.operand, right)
                return self._divided(left, right)
            case ast.Pow():
                simple = isinstance(left, ast.Name | ast.Constant)
                return raised(self.show(left) if simple else fenced(self.show(left)), self.show(right))
            case _:
                name = "mod" if isinstance(node.op, ast.Mod) else "div"
                return self._factor(left) + THIN + words(name) + THIN + self._factor(right)

    def _divided(self, left: ast.AST, right: ast.AST) -> Formula:
        """Return a fraction; within another one, with a slash."""
        if self._depth:
            divisor = fenced(self.show(right)) if isinstance(right, ast.BinOp) else self.show(right)
            return self._factor(left, first=True) + operator("/", "/") + divisor
        self._depth += 1
        found = fraction(self.show(left), self.show(right))
        self._depth -= 1
        return found

    def _factor(self, node: ast.AST, first: bool = False) -> Formula:
        bracket = _is_sum(node) or isinstance(node, ast.Compare | ast.BoolOp) or (_negative(node) and not first)
        return fenced(self.show(node)) if bracket else self.show(node)

    def _UnaryOp(self, node: ast.UnaryOp) -> Formula:  # noqa: N802
        inner = self.show(node.operand)
        if isinstance(node.op, ast.Not):
            return operator(r"\neg", "¬") + fenced(inner)
        if isinstance(node.op, ast.UAdd):
            return inner
        return operator("-", "−") + (fenced(inner) if _is_sum(node.operand) else inner)

    def _Compare(self, node: ast.Compare) -> Formula:  # noqa: N802
        found = self.show(node.left)
        for op, right in zip(node.ops, node.comparators, strict=True):
            found = found + operator(*_COMPARE[type(op)]) + self.show(right)
        return found

    def _BoolOp(self, node: ast.BoolOp) -> Formula:  # noqa: N802
        sign = operator(r"\wedge", "∧") if isinstance(node.op, ast.And) else operator(r"\vee", "∨")
        found = self._clause(node.values[0])
        for value in node.values[1:]:
            found = found + sign + self._clause(value)
        return found

    def _clause(self, node: ast.AST) -> Formula:
        return fenced(self.show(node)) if isinstance(node, ast.BoolOp) else self.show(node)

    def _Call(self, node: ast.Call) -> Formula:  # noqa: N802
        assert isinstance(node.func, ast.Name)
        name = node.func.id.removeprefix(PREFIX)
        parts = [self.show(each) for each in node.args]
        if name in ("mod", "floordiv"):
            op = ast.Mod() if name == "mod" else ast.FloorDiv()
            return self._BinOp(ast.BinOp(node.args[0], op, node.args[1]))
        if name == "int" and isinstance(node.args[0], ast.Compare | ast.BoolOp | ast.UnaryOp):
            return fenced(parts[0], "[]")
        if name == "sqrt":
            return Formula(rf"\sqrt{{{parts[0].latex}}}", f"<msqrt>{parts[0].mathml}</msqrt>")
        if name in _FENCES:
            return fenced(parts[0], _FENCES[name])
        called = rf"\{name}" if name in _FUNCTIONS else rf"\operatorname{{{escaped(name)}}}"
        inner = Formula(", ".join(part.latex for part in parts), "<mo>,</mo>".join(part.mathml for part in parts))
        return Formula(called, f"<mi>{name}</mi>") + fenced(inner)


def _is_sum(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)


def _negative(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        return _negative(node.left)
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)


def number(value: float) -> Formula:
    """Return a number, with powers of ten where it is very large or small."""
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    mantissa, exponential, exponent = text.partition("e")
    if not exponential:
        return Formula(text, f"<mn>{text}</mn>")
    raising = str(int(exponent))
    power = raised(Formula("10", "<mn>10</mn>"), Formula(raising, f"<mn>{raising.replace('-', '−')}</mn>"))
    if mantissa == "1":
        return power
    return Formula(mantissa, f"<mn>{mantissa}</mn>") + operator(r"\cdot", "·") + power


def unit_symbol(name: str) -> str:
    """Return the symbol of a unit: s for ``second``."""
    return str(DEFAULT_UNITS[name]) if name in DEFAULT_UNITS else name
