"""Parts of a description, in no format: headings, paragraphs with formulas, numbered equations, tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from nsa_brian.model.formula import Formula

#: Words and formulas of a sentence.
Inline = str | Formula


@dataclass(frozen=True)
class Heading:
    """A heading of a section."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """Words and formulas."""

    parts: tuple[Inline, ...]


@dataclass(frozen=True)
class Equations:
    """Numbered equations in two parts, of which the second begins with the relation."""

    rows: tuple[tuple[Formula, Formula], ...]
    first: int


@dataclass(frozen=True)
class Table:
    """A table with a caption; cells are words or formulas."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[Inline, ...], ...]


Block = Heading | Paragraph | Equations | Table


@dataclass
class Document:
    """A description: a title and blocks, with equations numbered throughout."""

    title: str
    blocks: list[Block] = field(default_factory=list)
    _next: int = 1

    def head(self, text: str) -> None:
        """Add a heading."""
        self.blocks.append(Heading(text))

    def say(self, *parts: Inline) -> None:
        """Add a paragraph."""
        self.blocks.append(Paragraph(parts))

    def equations(self, rows: Sequence[tuple[Formula, Formula]]) -> None:
        """Add equations, numbered."""
        if rows:
            self.blocks.append(Equations(tuple(rows), self._next))
            self._next += len(rows)

    def table(self, caption: str, header: Sequence[str], rows: Sequence[Sequence[Inline]]) -> None:
        """Add a table."""
        self.blocks.append(Table(caption, tuple(header), tuple(map(tuple, rows))))


def listed(parts: Sequence[Inline], last: str = "and") -> list[Inline]:
    """Return parts with commas between them, and a word before the last."""
    found: list[Inline] = []
    for i, part in enumerate(parts):
        if i:
            found.append(f" {last} " if i == len(parts) - 1 else ", ")
        found.append(part)
    return found
