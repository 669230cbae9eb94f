"""Tables for the terminal and for notebooks."""

from __future__ import annotations

import itertools
import shutil
import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from nsa_brian.errors import printable

#: Width in characters if the output is not a terminal, and smallest width that tables are fitted to.
WIDTH, NARROWEST = 120, 40
#: Smallest widths of wrapped texts: in tables that can be divided, and in others.
COMFORTABLE, BROKEN = 20, 8


@dataclass(frozen=True)
class Table:
    """Texts in rows and columns, with a caption.

    Attributes
    ----------
    caption : str
    header, rows
        Texts of the cells.
    right : collection of int
        Columns aligned to the right.
    bold : collection of int
        Rows in bold, if supported.
    """

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Collection[int] = ()
    bold: Collection[int] = ()

    def text(self, bold: bool = False, width: int | None = None) -> str:
        """Return the table for the terminal, fitted to its width, with or without bold rows."""
        rows = text_table(self.header, self.rows, self.right, self.bold if bold else (), width)
        return f"{filled(self.caption, width)}\n\n{rows}"

    def html(self) -> str:
        """Return the table as HTML."""
        head = "".join(f"<th>{escape(cell)}</th>" for cell in self.header)
        body = "\n".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in self.rows)
        caption = f"<caption>{escape(self.caption)}</caption>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>"


def terminal_width() -> int:
    """Return the width of the terminal, or ``COLUMNS``; 120 if the output is not a terminal."""
    return max(NARROWEST, shutil.get_terminal_size(fallback=(WIDTH, 24)).columns)


def filled(text: str, width: int | None = None) -> str:
    """Wrap a text to a width, by default that of the terminal."""
    return "\n".join(_wrapped(text, width or terminal_width()))


def text_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Collection[int] = (),
    bold: Collection[int] = (),
    width: int | None = None,
) -> str:
    """Return a table as text that fits the terminal.

    If it is too wide, texts are wrapped. If that is not enough, the columns are divided among several tables, each of
    which repeats the columns that name the rows.

    Parameters
    ----------
    header, rows
        Texts of the cells.
    right : collection of int
        Columns aligned to the right, which are not wrapped.
    bold : collection of int
        Rows set in bold by terminal codes.
    width : int, optional
        Width in characters, by default that of the terminal.
    """
    width = width or terminal_width()
    cells = [[printable(cell) for cell in row] for row in (header, *rows)]
    columns = list(zip(*cells, strict=True))
    parts = []
    for widths in _divided(columns, right, width):
        lines = [_lines(row, widths, right) for row in cells]
        body = [f"\033[1m{line}\033[0m" if i in bold else line for i, row in enumerate(lines[1:]) for line in row]
        parts.append("\n".join([*lines[0], "  ".join("─" * n for n in widths.values()), *body]))
    return "\n\n".join(parts)


def _divided(columns: Sequence[Sequence[str]], right: Collection[int], width: int) -> list[dict[int, int]]:
    """Divide columns among one or several tables; return the width of each column."""
    natural = {i: max(map(len, column)) for i, column in enumerate(columns)}
    least = {i: n if i in right else min(n, max(COMFORTABLE, _word(columns[i]))) for i, n in natural.items()}
    together = _shrunk(natural, least, width)
    n_keys = min(min(right, default=1) or 1, 2)
    if _total(together) <= width or len(columns) <= n_keys:
        return [_shrunk(together, _smallest(together, right), width)]
    tables = [list(range(n_keys))]
    for i in range(n_keys, len(columns)):
        if len(tables[-1]) > n_keys and _total(_shrunk(_some(natural, [*tables[-1], i]), least, width)) > width:
            tables.append(list(range(n_keys)))
        tables[-1].append(i)
    fitted = [_shrunk(_some(natural, table), least, width) for table in tables]
    return [_shrunk(widths, _smallest(widths, right), width) for widths in fitted]


def _shrunk(widths: Mapping[int, int], least: Mapping[int, int], width: int) -> dict[int, int]:
    """Shrink the widest column until all fit, or until none can shrink."""
    found = dict(widths)
    while _total(found) > width:
        wide = [i for i in found if found[i] > least[i]]
        if not wide:
            break
        found[max(wide, key=lambda i: found[i])] -= 1
    return found


def _smallest(widths: Mapping[int, int], right: Collection[int]) -> dict[int, int]:
    """Return the smallest widths of columns: words may be broken, numbers not."""
    return {i: n if i in right else min(n, BROKEN) for i, n in widths.items()}


def _some(widths: Mapping[int, int], chosen: Sequence[int]) -> dict[int, int]:
    return {i: widths[i] for i in chosen}


def _total(widths: Mapping[int, int]) -> int:
    return sum(widths.values()) + 2 * (len(widths) - 1)


def _word(column: Sequence[str]) -> int:
    return max((len(word) for cell in column for word in cell.split()), default=0)


def _lines(row: Sequence[str], widths: Mapping[int, int], right: Collection[int]) -> list[str]:
    """Return the lines of a row."""
    wrapped = [[row[i]] if i in right else _wrapped(row[i], n) for i, n in widths.items()]
    lines = []
    for parts in itertools.zip_longest(*wrapped, fillvalue=""):
        aligned = [
            part.rjust(n) if i in right else part.ljust(n) for (i, n), part in zip(widths.items(), parts, strict=True)
        ]
        lines.append("  ".join(aligned).rstrip())
    return lines


def _wrapped(text: str, width: int) -> list[str]:
    return [text] if len(text) <= width else textwrap.wrap(text, width, break_on_hyphens=False)
