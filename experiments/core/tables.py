"""Tables, and their forms for the terminal and for notebooks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape


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
        Rows that stand out, where that can be shown.
    """

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Collection[int] = ()
    bold: Collection[int] = ()

    def text(self, bold: bool = False) -> str:
        """The table for the terminal, with codes for bold rows or without."""
        rows = text_table(self.header, self.rows, self.right, self.bold if bold else ())
        return f"{self.caption}\n\n{rows}"

    def html(self) -> str:
        """The table for a notebook."""
        head = "".join(f"<th>{escape(cell)}</th>" for cell in self.header)
        body = "\n".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in self.rows)
        caption = f"<caption>{escape(self.caption)}</caption>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>"


def text_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int] = (), bold: Collection[int] = ()
) -> str:
    """Columns side by side under a header.

    Parameters
    ----------
    header, rows
        Texts of the cells.
    right : collection of int
        Columns aligned to the right.
    bold : collection of int
        Rows set in bold by terminal codes.
    """
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        aligned = [c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(cells, widths, strict=True))]
        return "  ".join(aligned).rstrip()

    body = [f"\033[1m{line(row)}\033[0m" if i in bold else line(row) for i, row in enumerate(rows)]
    return "\n".join([line(header), line(["─" * width for width in widths]), *body])
