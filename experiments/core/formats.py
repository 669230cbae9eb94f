"""Tables as CSV, Markdown and LaTeX, with texts escaped."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from nsa_brian.errors import printable


class Entry(NamedTuple):
    """A cell of a table: a text, bold or not, and plain text after it."""

    text: str
    bold: bool = False
    after: str = ""


class Grid(NamedTuple):
    """A table with a caption; rows are grouped by their first entry."""

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[Entry]]


#: Characters that begin a formula in a spreadsheet.
_FORMULA = ("=", "+", "-", "@")

_MARKDOWN = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", **{c: f"\\{c}" for c in "\\`*_{}[]|~$#"}})

_LATEX = str.maketrans(
    {
        **{c: f"\\{c}" for c in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "`": r"\textasciigrave{}",
        **{c: f"{{{c}}}" for c in "[]*"},  # else \\ would read them as its options
        "±": r"$\pm$",
    }
)


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV with a header.

    Control characters are escaped. Texts that look like spreadsheet formulas get an apostrophe in front.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _csv_cell(value) for key, value in row.items()} for row in rows)
    return out.getvalue()


def markdown_text(text: str) -> str:
    """Escape a text for Markdown, in one line."""
    return printable(text).translate(_MARKDOWN)


def latex_text(text: str) -> str:
    """Escape a text for LaTeX, in one line."""
    return printable(text).translate(_LATEX)


def markdown_table(grid: Grid) -> str:
    """Return a Markdown table with its caption."""
    lines = [markdown_text(grid.caption), ""]
    lines += [_markdown_row(map(markdown_text, grid.header)), "|" + "---|" * len(grid.header)]
    for row in grid.rows:
        lines.append(_markdown_row(_marked(entry, markdown_text, "**{}**") for entry in row))
    return "\n".join(lines) + "\n"


def latex_table(grid: Grid) -> str:
    """Return a LaTeX table in booktabs style with its caption; the first column names each group once."""
    lines = [r"\begin{table}", r"\centering", rf"\caption{{{latex_text(grid.caption)}}}"]
    lines += [rf"\begin{{tabular}}{{ll{'c' * (len(grid.header) - 2)}}}", r"\toprule"]
    lines.append(_latex_row(map(latex_text, grid.header)))
    last = None
    for row in grid.rows:
        first, *others = (_marked(entry, latex_text, r"\textbf{{{}}}") for entry in row)
        lines += [r"\midrule"] * (first != last) + [_latex_row(["" if first == last else first, *others])]
        last = first
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}"]) + "\n"


def _csv_cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _marked(entry: Entry, escape: Any, bold: str) -> str:
    text = escape(entry.text)
    return (bold.format(text) if entry.bold else text) + escape(entry.after)


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _latex_row(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"
