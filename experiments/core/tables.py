"""Tables, and their form for the terminal."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Table:
    """Texts in rows and columns, with a caption."""

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Collection[int] = ()

    def text(self) -> str:
        """The table for the terminal."""
        return f"{self.caption}\n\n{text_table(self.header, self.rows, self.right)}"


def with_interval(found: Mapping[str, Any]) -> str:
    """A summary's mean with half its 95% interval, where there is one."""
    half = f" ±{found['ci95'][1] - found['mean']:.3f}" if found["ci95"] else ""
    return f"{found['mean']:.3f}{half}"


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
