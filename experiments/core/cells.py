"""Cells: the pieces of work of a study, each computed once and kept in a file until all are done."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from urllib.parse import quote

import numpy as np

from experiments.core.files import write_atomically
from experiments.core.workers import run_jobs

Arrays = dict[str, np.ndarray]
#: Hears how much work was done since it was last called.
Progress = Callable[[int], None]

#: Of a cell's file name; a file system allows about 250.
MOST_CHARACTERS = 200


def untold(done: int) -> None:
    """No progress bar."""


class Cell:
    """A piece of work: a picklable function that makes arrays, and what it is given.

    One that can be divided among workers says how (``split`` and ``join``), and a long one how much ``work`` it is, in
    the units of its study's progress bar.
    """

    def __init__(self, function: Callable[..., Arrays], *given: object) -> None:
        self.function, self.given = function, given

    @property
    def work(self) -> int:
        """What it tells ``progress`` in all."""
        return 1

    def __call__(self, progress: Progress = untold) -> Arrays:
        """Compute it."""
        found = self.function(*self.given)
        progress(1)
        return found

    def split(self, n: int) -> Sequence[Cell]:
        """Up to n cells that come to the same."""
        return [self]

    def join(self, parts: Sequence[Arrays]) -> Arrays:
        """What this cell is, from what the parts of :meth:`split` are."""
        (only,) = parts
        return only


def compute(
    cells: Mapping[str, Cell], workers: int, done: Callable[[str, Arrays], None], progress: Progress = untold
) -> None:
    """Compute cells in this process or in several; ``done`` hears of each when it is complete."""
    if workers == 1:
        for name, cell in cells.items():
            done(name, cell(progress))
        return
    parts = {name: cell.split(workers) for name, cell in cells.items()}
    found: dict[str, dict[int, Arrays]] = {name: {} for name in cells}

    def part_done(place: tuple[str, int], arrays: Arrays) -> None:
        name, i = place
        found[name][i] = arrays
        progress(parts[name][i].work)
        if len(found[name]) == len(parts[name]):
            complete = found.pop(name)
            done(name, cells[name].join([complete[i] for i in sorted(complete)]))

    run_jobs({(name, i): part for name, of_cell in parts.items() for i, part in enumerate(of_cell)}, workers, part_done)


def compute_missing(
    cells: Mapping[str, Cell], folder: Path, marks: Mapping[str, str], workers: int, progress: Progress = untold
) -> dict[str, Arrays]:
    """All cells, those that a folder has read from it and the others written to it.

    Parameters
    ----------
    cells : mapping
        By name.
    folder : Path
        Of a run that was stopped, or of a new one. Removed again if it is stopped before the first cell is done.
    marks : mapping
        What the cells depend on beside their settings, such as versions: what was made with others is made anew.
    workers : int
    progress : callable
    """
    _begin(folder, json.dumps(marks))
    missing = {name: cell for name, cell in cells.items() if not _cell_path(folder, name).exists()}
    progress(sum(cell.work for name, cell in cells.items() if name not in missing))
    try:
        compute(missing, workers, partial(_write, folder), progress)
    except BaseException:
        if not any(folder.glob("*.npz")):
            shutil.rmtree(folder)
        raise
    return {name: _read(_cell_path(folder, name)) for name in cells}


def _begin(folder: Path, marks: str) -> None:
    """A folder with cells of the same making, or with none."""
    path = folder / "versions.json"
    if folder.exists() and not (path.exists() and path.read_text() == marks):
        shutil.rmtree(folder)
    folder.mkdir(exist_ok=True)
    write_atomically(path, lambda file: file.write(marks.encode()))


def _cell_path(folder: Path, name: str) -> Path:
    """A file of its own for each cell, whatever its name."""
    stem = quote(name, safe=" ")
    if len(stem) > MOST_CHARACTERS:
        stem = f"{stem[:100]}-{hashlib.sha256(name.encode()).hexdigest()}"
    return folder / f"{stem}.npz"


def _write(folder: Path, name: str, found: Arrays) -> None:
    write_atomically(_cell_path(folder, name), lambda file: np.savez(file, **found))  # type: ignore[arg-type]  # numpy's stubs


def _read(path: Path) -> Arrays:
    with np.load(path, allow_pickle=False) as file:
        return dict(file)
