"""A description as LaTeX, Markdown or HTML."""

from __future__ import annotations

import html
from collections.abc import Callable

from nsa_brian.describe.blocks import Block, Document, Equations, Heading, Inline, Paragraph, Table
from nsa_brian.describe.diagram import diagram
from nsa_brian.errors import printable
from nsa_brian.model.formula import Formula, escaped
from nsa_brian.model.latex import groups, mathml
from nsa_brian.model.model import Model

_PREAMBLE = r"""\documentclass[a4paper,10pt]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage[margin=2.5cm]{geometry}
\usepackage{amsmath,longtable,booktabs,array}
\begin{document}
"""
_STYLE = """
body { max-width: 50em; margin: 2em auto; padding: 0 1em; font: 16px/1.5 system-ui, sans-serif; }
table { border-collapse: collapse; } th, td { padding: 0.2em 0.7em; text-align: left; border-bottom: 1px solid #8886; }
.equation { display: flex; align-items: center; margin: 0.4em 0 0.4em 2em; }
.equation math { flex: 1; }
svg { max-width: 100%; height: auto; }
figure { margin: 1em 0; overflow-x: auto; }
:root { color-scheme: light dark; }
"""


def to_latex(document: Document, standalone: bool = False) -> str:
    r"""Return LaTeX, a fragment for a document with amsmath, longtable and booktabs, or a whole document."""
    title = rf"\section*{{{escaped(document.title)}}}"
    breaks = r"\allowdisplaybreaks"  # long systems of equations may continue on the next page
    text = "\n".join([breaks, title, *(_latex(block) for block in document.blocks)]) + "\n"
    if standalone:
        return f"{_PREAMBLE}{text}\\end{{document}}\n"
    return f"% needs the packages amsmath, longtable, booktabs, array\n{text}"


def _latex(block: Block) -> str:
    match block:
        case Heading():
            return rf"\subsection*{{{escaped(block.text)}}}"
        case Paragraph():
            return _inline(block.parts, lambda formula: f"${formula.latex}$", escaped) + "\n"
        case Equations():
            lines = [rf"{left.latex} &{right.latex}" for left, right in block.rows]
            return "\\begin{align}\n" + " \\\\\n".join(lines) + "\n\\end{align}"
        case Table():
            widths = r"l r l >{\raggedright\arraybackslash}p{6.5cm} >{\raggedright\arraybackslash}p{3.2cm}"
            head = " & ".join(escaped(each) for each in block.header)
            lines = [rf"\begin{{longtable}}{{{widths}}}", rf"\caption{{{escaped(block.caption)}}}\\", r"\toprule"]
            lines += [
                rf"{head} \\",
                r"\midrule",
                r"\endfirsthead",
                r"\toprule",
                rf"{head} \\",
                r"\midrule",
                r"\endhead",
            ]
            lines += [r"\bottomrule", r"\endfoot"]
            for each in block.rows:
                cells = (_inline((cell,), lambda formula: f"${formula.latex}$", escaped) for cell in each)
                lines.append(rf"{' & '.join(cells)} \\")
            return "\n".join([*lines, r"\end{longtable}"]) + "\n"


def to_markdown(document: Document) -> str:
    """Return Markdown with formulas between dollar signs."""
    return "\n\n".join([f"## {_plain(document.title)}", *(_markdown(block) for block in document.blocks)]) + "\n"


def _markdown(block: Block) -> str:
    match block:
        case Heading():
            return f"### {_plain(block.text)}"
        case Paragraph():
            return _inline(block.parts, lambda formula: f"${formula.latex}$", _plain).strip()
        case Equations():
            rows = [
                rf"{left.latex} {right.latex} \tag{{{block.first + i}}}" for i, (left, right) in enumerate(block.rows)
            ]
            return "\n\n".join(f"$$\n{each}\n$$" for each in rows)
        case Table():
            lines = [_plain(block.caption), "", f"| {' | '.join(block.header)} |", "|" + "---|" * len(block.header)]
            for each in block.rows:
                cells = (_inline((cell,), lambda formula: f"${formula.latex}$", _plain) for cell in each)
                lines.append(f"| {' | '.join(cells)} |")
            return "\n".join(lines)


def to_html(document: Document, drawing: str = "", standalone: bool = False) -> str:
    """Return HTML with formulas in MathML and the diagram in SVG, a fragment or a whole page."""
    parts = [f"<h2>{html.escape(document.title)}</h2>"]
    parts += [f"<figure>{drawing}</figure>"] if drawing else []
    text = "\n".join([*parts, *(_html(block) for block in document.blocks)]) + "\n"
    if not standalone:
        return text
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    head += f"<title>{html.escape(document.title)}</title><style>{_STYLE}</style>"
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{text}</body></html>\n'


def _html(block: Block) -> str:
    match block:
        case Heading():
            return f"<h3>{html.escape(block.text)}</h3>"
        case Paragraph():
            return f"<p>{_inline(block.parts, mathml, html.escape)}</p>"
        case Equations():
            rows = (
                f'<div class="equation">{mathml(left + right, block=True)}<span>({block.first + i})</span></div>'
                for i, (left, right) in enumerate(block.rows)
            )
            return "\n".join(rows)
        case Table():
            head = "".join(f"<th>{html.escape(each)}</th>" for each in block.header)
            rows = (
                "<tr>" + "".join(f"<td>{_inline((cell,), mathml, html.escape)}</td>" for cell in each) + "</tr>"
                for each in block.rows
            )
            caption = f"<caption>{html.escape(block.caption)}</caption>"
            return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>\n" + "\n".join(rows) + "\n</tbody></table>"


def _inline(parts: tuple[Inline, ...], formula: Callable[[Formula], str], text: Callable[[str], str]) -> str:
    return "".join(formula(part) if isinstance(part, Formula) else text(part) for part in parts)


def _plain(text: str) -> str:
    """Escape a text for Markdown."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]|~$#<>" else c for c in text)


def model_html(model: Model) -> str:
    """Return a model's diagram and equations as a fragment of HTML, for notebooks."""
    found = Document(f"Model {printable(model.name)}")
    for title, rows in groups(model):
        if rows:
            found.head(title)
            found.equations(rows)
    return to_html(found, diagram(model))
