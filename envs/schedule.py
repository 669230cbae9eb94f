"""``schedule``: a table of probabilities, given by the user or recorded from another bandit."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Any

import numpy as np

from envs.base import Bandit, check_laid_out
from envs.draws import Randomness
from nsa_brian.common.texts import is_number

#: Size limit of a file and of its table: 8,000 rounds of 4,000 arms.
MOST_BYTES = 1 << 28


class Schedule(Bandit):
    """Play a table of probabilities (rounds x arms) from the first row to the last; all games play the same.

    Parameters
    ----------
    n_arms : int, optional
        If given, must equal the number of columns.
    table : array, list of lists, or path of a .npy or .csv file
        One row per round, one column per arm, values from 0 to 1. A .csv file may have a header line.
    **settings
        See :class:`envs.base.Bandit`.
    """

    default_arms = None

    def __init__(self, n_arms: int | None = None, *, table: Any, **settings: Any) -> None:
        self.table = read_table(table) if isinstance(table, str | Path) else _check(np.asarray(table), "the schedule")
        columns = self.table.shape[1]
        if n_arms is not None and n_arms != columns:
            raise ValueError(f"the schedule has {columns} arms (columns), but {n_arms} arms were asked for")
        super().__init__(columns, **settings)

    @property
    def horizon(self) -> int:
        """The number of rows of the table."""
        return len(self.table)

    def _begin(self) -> np.ndarray:
        return self._next()

    def _next(self) -> np.ndarray:
        if self.round >= self.horizon:
            raise ValueError(f"the schedule has {self.horizon} rounds (rows), round {self.round + 1} was asked for")
        return np.broadcast_to(self.table[self.round], (self.n_games, self.n_arms))

    def _lay_out(self, n_rounds: int) -> np.ndarray:
        rows = self.table[self.round : self.round + n_rounds, None]
        if len(rows) < n_rounds:
            return super()._lay_out(n_rounds)  # raises the error
        return np.broadcast_to(rows, (n_rounds, self.n_games, self.n_arms))


def record(bandit: Bandit, n_rounds: int, rng: Randomness) -> np.ndarray:
    """Return the probabilities (rounds, arms) of one game of a bandit, as a table for :class:`Schedule`.

    A schedule that is reset with the same ``rng`` plays the same game again, rewards included.

    Parameters
    ----------
    bandit : Bandit
        A bandit with one game; it is reset with ``rng``.
    n_rounds : int
        Rounds to record.
    rng : numpy.random.Generator
        Generator of all probabilities.
    """
    if bandit.n_games != 1:
        raise ValueError(f"record() needs a bandit with one game, got {bandit.n_games} games")
    if n_rounds < 1:
        raise ValueError(f"n_rounds must be a whole number from 1 up, got {n_rounds}")
    bandit.reset(rng)
    table = np.empty((n_rounds, bandit.n_arms))
    for t in range(n_rounds):
        if t:
            bandit.step()
        check_laid_out(bandit, bandit.probabilities, (bandit.n_games, bandit.n_arms))
        table[t] = bandit.probabilities[0]
    return table


def to_csv(table: np.ndarray) -> str:
    """Return a table as CSV text with a header line, each number with all its digits."""
    header = ",".join(f"arm {arm}" for arm in range(table.shape[1]))
    return "\n".join([header, *(",".join(map(repr, row)) for row in table.tolist()), ""])


def read_table(path: str | Path) -> np.ndarray:
    """Read a table from a .npy or .csv file; raise a ValueError if it is illegal."""
    path = Path(path)
    _check_suffix(path)
    try:
        if path.exists() and not path.is_file():  # a fifo would block, a device may never end
            raise OSError("not a regular file")
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ValueError(f"schedule {_label(path)}: cannot be read: {error.strerror or error}") from None
    return parse_table(content, path)


def parse_table(content: bytes, path: str | Path) -> np.ndarray:
    """Read a table from the content of a file; the suffix of ``path`` gives its format."""
    path = Path(path)
    _check_suffix(path)
    label = _label(path)
    try:
        _check_size(len(content))
        table = _PARSERS[path.suffix](content)
        _check_size(table.size * np.dtype(float).itemsize)
    except OSError as error:
        raise ValueError(f"schedule {label}: cannot be read: {error}") from None
    except (ValueError, EOFError, OverflowError) as error:
        why = " but an archive" if content.startswith(b"PK") else f": {error}"
        raise ValueError(f"schedule {label}: not a table of numbers{why}") from None
    return _check(table, f"schedule {label}")


def _parse_csv(content: bytes) -> np.ndarray:
    lines = [line.split(",") for line in content.decode("utf-8-sig").splitlines() if line.strip()]
    header = bool(lines) and not any(map(is_number, lines[0]))
    return np.array([[float(cell) for cell in line] for line in lines[header:]])


def _parse_npy(content: bytes) -> np.ndarray:
    """Return a view of the content, so that no header can allocate more memory than the file has."""
    npy: Any = np.lib.format  # untyped
    file = io.BytesIO(content)
    first = npy.read_magic(file) == (1, 0)
    shape, by_column, dtype = (npy.read_array_header_1_0 if first else npy.read_array_header_2_0)(file)
    table = np.frombuffer(content, dtype, math.prod(shape), file.tell())
    return table.reshape(shape, order="F" if by_column else "C")


_PARSERS = {".csv": _parse_csv, ".npy": _parse_npy}


def _check_size(n_bytes: int) -> None:
    if n_bytes > MOST_BYTES:
        raise OSError(f"longer than {MOST_BYTES >> 20} MB")


def _check_suffix(path: Path) -> None:
    if path.suffix not in _PARSERS:
        raise ValueError(f"a schedule must be a .npy or .csv file, got {_label(path)}")


def _label(path: Path) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(path))


def _check(table: np.ndarray, label: str) -> np.ndarray:
    if table.ndim != 2 or table.shape[0] < 1 or table.shape[1] < 2 or table.dtype.kind not in "fiub":
        raise ValueError(f"{label} must be a table of numbers, rounds x at least 2 arms, got shape {table.shape}")
    table = np.array(table, dtype=float)
    bad = np.argwhere(~((table >= 0) & (table <= 1)))
    if bad.size:
        row, column = bad[0]
        raise ValueError(
            f"{label} must hold probabilities from 0 to 1, got {table[row, column]} (round {row + 1}, arm {column})"
        )
    return table
