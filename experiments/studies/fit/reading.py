"""CSV and TSV files of choices and rewards."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from experiments.studies.fit.columns import CHOICE, GAIN, LOSS, OFFERED, REWARD, SUBJECT, Columns, find_columns
from experiments.studies.fit.data import Behaviour, Game, Subject
from nsa_brian.common.texts import is_number, shown
from nsa_brian.errors import printable

#: Texts, in lower case, that mark a missed trial in place of a choice.
MISSED = ("", "na", "n/a", "nan", "none", "null")
#: Most arms of a task.
MOST_ARMS = 1000


@dataclass(frozen=True)
class Reading:
    """How to read a file.

    Attributes
    ----------
    columns : mapping
        Columns by what they hold, where their names are unusual.
    condition : str
        Column of conditions, each of which has arms of its own; empty for none.
    scale : (float, float), optional
        Lowest and highest reward, which become 0 and 1.
    arms : int, optional
        Number of arms; by default as many as there are in the file.
    missed : str
        A further code of missed trials.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    condition: str = ""
    scale: tuple[float, float] | None = None
    arms: int | None = None
    missed: str = ""

    def __post_init__(self) -> None:
        if self.scale is not None and not (
            len(self.scale) == 2 and all(map(math.isfinite, self.scale)) and self.scale[0] < self.scale[1]
        ):
            raise ValueError(f"--scale-rewards takes LOW,HIGH with LOW < HIGH, got {shown(self.scale)}")
        if self.arms is not None and not 2 <= self.arms <= MOST_ARMS:
            raise ValueError(f"--arms must be a whole number from 2 to {MOST_ARMS}, got {self.arms}")


@dataclass(frozen=True)
class _Row:
    """A line of the file."""

    line: int
    subject: str
    game: str
    choice: str
    reward: float
    offered: tuple[str, ...]


def parse(content: bytes, name: str, how: Reading = Reading()) -> Behaviour:
    """Return the subjects of a CSV or TSV file; trials are in the order of its lines.

    Raises
    ------
    ValueError
        In one line with the file's name and, where possible, the number of the line.
    """
    label = printable(name)
    try:
        rows, n_missed = _rows(_text(content), how)
        codes = _codes(rows, how.arms)
        if len(codes) < 2:
            raise ValueError(f"all choices are {shown(next(iter(codes)))}: give the number of arms, --arms K")
        by_subject: dict[str, dict[str, list[_Row]]] = {}
        for row in rows:
            by_subject.setdefault(row.subject, {}).setdefault(row.game, []).append(row)
        subjects = tuple(
            Subject(subject, tuple(_game(key, part, codes) for key, part in games.items()))
            for subject, games in by_subject.items()
        )
    except ValueError as error:
        raise ValueError(f"{label}: {error}") from None
    return Behaviour(subjects, len(codes), tuple(codes), n_missed)


def _text(content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ValueError(f"line {line}: not UTF-8 text") from None
    if "\0" in text:
        raise ValueError(f"line {text[: text.index(chr(0))].count(chr(10)) + 1}: not a text file, it has a zero byte")
    if not text.strip():
        raise ValueError("the file is empty")
    return text


def _rows(text: str, how: Reading) -> tuple[list[_Row], int]:
    """Return the trials with a choice, and the number of missed ones."""
    header, *_ = text.lstrip("\r\n").splitlines()
    delimiter = max("\t;,", key=header.count)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    lines = _lines(reader)
    first, names = next(lines)
    columns = find_columns(first, names, how.columns, how.condition)
    rows, n_missed = [], 0
    for line, cells in lines:
        if len(cells) != len(names):
            raise ValueError(f"line {line}: {len(cells)} columns, but the header has {len(names)}")
        row = _row(line, cells, columns, how)
        rows += [] if row is None else [row]
        n_missed += row is None
    if not rows:
        raise ValueError(f"no choices: all {n_missed} trials are missed" if n_missed else "no trials below the header")
    return rows, n_missed


def _lines(reader: Any) -> Iterator[tuple[int, list[str]]]:
    """Return the lines that are not empty, with their numbers."""
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise ValueError(f"line {reader.line_num}: {error}") from None
        if any(cell.strip() for cell in cells):
            yield reader.line_num, [cell.strip() for cell in cells]


def _row(line: int, cells: Sequence[str], columns: Columns, how: Reading) -> _Row | None:
    """Return a trial; None if it is missed."""

    def cell(role: str) -> str:
        return cells[columns.place[role]]

    subject = cell(SUBJECT)
    if not subject:
        raise ValueError(f"line {line}: the subject is missing")
    choice = _code(cell(CHOICE))
    if choice.lower() in MISSED or (how.missed and choice == _code(how.missed)):
        return None
    if REWARD in columns.place:
        reward = _number(line, columns.names[REWARD], cell(REWARD))
    else:
        gain, loss = (_number(line, columns.names[role], cell(role)) for role in (GAIN, LOSS))
        reward = gain - abs(loss)
    game = " ".join(cells[place] for place in columns.of_game)
    offered = tuple(map(_code, cell(OFFERED).replace("|", " ").replace(";", " ").replace(",", " ").split())) if (
        OFFERED in columns.place
    ) else ()  # fmt: skip
    if OFFERED in columns.place and choice not in offered:
        raise ValueError(f"line {line}: choice {shown(choice)} is not among the offered arms {shown(cell(OFFERED))}")
    return _Row(line, subject, game, choice, _scaled(line, reward, how.scale), offered)


def _code(text: str) -> str:
    """Return a choice as text; whole numbers such as 1.0 without a fraction."""
    if is_number(text) and math.isfinite(float(text)) and float(text) == int(float(text)):
        return str(int(float(text)))
    return text


def _number(line: int, name: str, text: str) -> float:
    if not (is_number(text) and math.isfinite(float(text))):
        raise ValueError(f"line {line}: {name} must be a finite number, got {shown(text)}")
    return float(text)


def _scaled(line: int, reward: float, scale: tuple[float, float] | None) -> float:
    """Return a reward from 0 to 1."""
    if scale is None:
        if not 0 <= reward <= 1:
            raise ValueError(
                f"line {line}: a reward must be from 0 to 1, got {reward:g}; --scale-rewards=LOW,HIGH maps another "
                "range to it"
            )
        return reward
    low, high = scale
    if not low <= reward <= high:
        raise ValueError(f"line {line}: a reward must be from {low:g} to {high:g} (--scale-rewards), got {reward:g}")
    return (reward - low) / (high - low)


def _codes(rows: Sequence[_Row], arms: int | None) -> dict[str, int]:
    """Return the arm of each code: numbers from 0 or from 1, or texts in alphabetical order."""
    seen = {code: row.line for row in reversed(rows) for code in (row.choice, *row.offered)}
    numbers = {code: line for code, line in seen.items() if is_number(code)}
    if not numbers:
        if arms is not None and len(seen) > arms:
            extra = sorted(seen)[arms]
            raise ValueError(f"line {seen[extra]}: choice {shown(extra)} is one too many for {arms} arms (--arms)")
        missing = [f"arm {i + 1}" for i in range(len(seen), arms or 0)]
        return {code: i for i, code in enumerate([*sorted(seen), *missing])}
    for code, line in sorted(seen.items(), key=lambda item: item[1]):
        if code not in numbers:
            raise ValueError(f"line {line}: choices must be all numbers or all texts, got {shown(code)}")
        if not code.lstrip("-").isdigit():
            raise ValueError(f"line {line}: a choice must be a whole number, got {shown(code)}")
        if int(code) < 0:
            raise ValueError(f"line {line}: a choice must be a number from 0 up, got {code}; --missed {code} marks a "
                             "missed trial")  # fmt: skip
    lowest = min(map(int, seen))
    first = min(lowest, 1)  # files count from 0 or from 1
    n_arms = max(map(int, seen)) - first + 1 if arms is None else arms
    for code, line in sorted(seen.items(), key=lambda item: item[1]):
        if int(code) - first >= min(n_arms, MOST_ARMS):
            last = first + min(n_arms, MOST_ARMS) - 1
            raise ValueError(f"line {line}: a choice must be a whole number from {first} to {last}, got {code}")
    return {str(first + i): i for i in range(n_arms)}


def _game(label: str, rows: Sequence[_Row], codes: Mapping[str, int]) -> Game:
    arms = np.array([codes[row.choice] for row in rows])
    rewards = np.array([row.reward for row in rows])
    if not rows[0].offered:
        return Game(label, arms, rewards)
    offered = np.zeros((len(rows), len(codes)), dtype=bool)
    for mask, row in zip(offered, rows, strict=True):
        mask[[codes[code] for code in row.offered]] = True
    return Game(label, arms, rewards, None if offered.all() else offered)
