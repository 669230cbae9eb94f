"""Cells: the pieces of work of a study, each computed once and kept in a file until all are done."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from experiments.core.files import file_stem
from experiments.core.outside import note
from experiments.core.workers import run_jobs
from nsa_brian.common.archive import ArchiveFormat, Arrays, DamagedError
from nsa_brian.common.memory import check_memory

CELL = ArchiveFormat("nsa-cell", 1, "a cell of a study")

#: Hears how much work was done since it was last called.
Progress = Callable[[int], None]


def no_progress(done: int) -> None:
    """No progress bar."""


@runtime_checkable
class TakesMemory(Protocol):
    """What knows how much it is."""

    @property
    def memory(self) -> float:
        """Bytes that it takes at least."""


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

    @property
    def memory(self) -> float:
        """Bytes that it takes at least: what the games or settings take that it is given."""
        return max((each.memory for each in self.given if isinstance(each, TakesMemory)), default=0.0)

    def __call__(self, progress: Progress = no_progress) -> Arrays:
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
    cells: Mapping[str, Cell], workers: int, done: Callable[[str, Arrays], None], progress: Progress = no_progress
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


def check_fit(cells: Mapping[str, Cell], workers: int) -> None:
    """Refuse what will not fit into memory: the largest cells side by side."""
    largest = sorted((cell.memory for cell in cells.values()), reverse=True)[:workers]
    check_memory(sum(largest), "games of that size" if len(largest) < 2 else f"{len(largest)} such games at once")


def compute_missing(
    cells: Mapping[str, Cell], folder: Path, made: Mapping[str, Any], workers: int, progress: Progress = no_progress
) -> dict[str, Arrays]:
    """All cells, those that a folder has read from it and the others written to it.

    Parameters
    ----------
    cells : mapping
        By name.
    folder : Path
        Of a run that was stopped, or of a new one.
    made : mapping
        All that cells depend on, such as settings and versions: what was made with others is made anew.
    workers : int
    progress : callable
    """
    made = json.loads(json.dumps(made))
    found: dict[str, Arrays] = {}
    for name in cells:
        path = _cell_path(folder, name)
        if path.exists():
            try:
                found[name] = _read(path, {**made, "cell": name})
            except ValueError as error:
                note(f"{error.damage if isinstance(error, DamagedError) else error}; it is computed anew")
    progress(sum(cells[name].work for name in found))

    def done(name: str, arrays: Arrays) -> None:
        # There are many and they soon go: one that a power cut has damaged is seen when it is read, and made anew.
        CELL.write(_cell_path(folder, name), {**made, "cell": name}, arrays, lasting=False)
        found[name] = arrays

    compute({name: cell for name, cell in cells.items() if name not in found}, workers, done, progress)
    return {name: found[name] for name in cells}


def clear(folder: Path) -> None:
    """Remove the cells of a folder, which are no longer needed."""
    for path in [*folder.glob("*.npz"), *folder.glob(".*.part")]:
        path.unlink(missing_ok=True)


def _cell_path(folder: Path, name: str) -> Path:
    """A file of its own for each cell, whatever its name."""
    return folder / f"{file_stem(name)}.npz"


def _read(path: Path, wanted: Mapping[str, Any]) -> Arrays:
    meta, arrays = CELL.read(path)
    if any(meta.get(key) != value for key, value in wanted.items()):
        raise ValueError(f"{path} was made with other settings or versions")
    return arrays
