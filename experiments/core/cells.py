"""Cells: the units of work of a study, each stored in a file until all are done."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from evolution.workers import Workers
from experiments.core.files import file_stem
from experiments.core.outside import note
from experiments.core.workers import run_jobs
from nsa_brian.common.archive import ArchiveFormat, Arrays, DamagedError
from nsa_brian.common.memory import check_memory

#: Upper limit of the memory of cells computed together, and of their number: jobs per worker, to balance them.
MOST_MEMORY, JOBS_A_WORKER = 1 << 29, 4

CELL = ArchiveFormat("nsa-cell", 1, "a cell of a study")

#: Called with the work done since the last call.
Progress = Callable[[int], None]


def no_progress(done: int) -> None:
    """Ignore progress."""


@runtime_checkable
class TakesMemory(Protocol):
    """An object with an estimate of its memory."""

    @property
    def memory(self) -> float:
        """Bytes needed at least."""


class Cell:
    """A unit of work: a picklable function that returns arrays, and its arguments.

    Subclasses may override ``split`` and ``join`` to divide it among workers, and ``work``, in the units of the
    study's progress bar. Or they override ``common`` and ``compute_together``, for cells that are computed faster
    together than one by one; they are not split.
    """

    def __init__(self, function: Callable[..., Arrays], *given: object) -> None:
        self.function, self.given = function, given

    @property
    def work(self) -> int:
        """Total amount of work reported to ``progress``."""
        return 1

    @property
    def memory(self) -> float:
        """Bytes needed at least: the largest of the arguments that state it."""
        return max((each.memory for each in self.given if isinstance(each, TakesMemory)), default=0.0)

    def __call__(self, progress: Progress = no_progress) -> Arrays:
        """Compute the arrays."""
        found = self.function(*self.given)
        progress(1)
        return found

    @property
    def common(self) -> object:
        """Successive cells with the same object here are computed together; None for a cell on its own."""
        return None

    def compute_together(self, cells: Sequence[Cell]) -> list[Arrays]:
        """Return the arrays of each of these cells, of which this is the first."""
        return [cell() for cell in cells]

    def split(self, n: int) -> Sequence[Cell]:
        """Return up to n cells that compute the same together."""
        return [self]

    def join(self, parts: Sequence[Arrays]) -> Arrays:
        """Return the arrays of this cell, given those of the parts of :meth:`split`."""
        (only,) = parts
        return only


class _Batch:
    """Cells that are computed by one call in one process."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self.cells = cells

    def __call__(self) -> list[Arrays]:
        return self.cells[0].compute_together(self.cells)


def batches(cells: Mapping[str, Cell], width: int) -> list[list[str]]:
    """Return the names of the cells to compute together, in their order; one cell alone if it shares nothing.

    Cells of a batch fit into ``MOST_MEMORY`` bytes, and there are enough batches for so many workers.
    """
    most = len(cells) if width == 1 else max(1, len(cells) // (JOBS_A_WORKER * width))
    made: list[list[str]] = []
    for _, group in itertools.groupby(cells, lambda name: id(cells[name].common or cells[name])):
        names = list(group)
        if len(names) == 1:
            made.append(names)
            continue
        fitting = max(1, int(MOST_MEMORY / max(1.0, *(cells[name].memory for name in names))))
        n_batches = math.ceil(len(names) / min(most, fitting))
        bounds = [len(names) * i // n_batches for i in range(n_batches + 1)]
        made += [names[start:stop] for start, stop in itertools.pairwise(bounds)]
    return made


def compute(
    cells: Mapping[str, Cell],
    workers: int | Workers,
    done: Callable[[str, Arrays], None],
    progress: Progress = no_progress,
) -> None:
    """Compute cells in so many processes, or on the given workers; call ``done`` when one is complete."""
    width = workers if isinstance(workers, int) else workers.width
    grouped = batches(cells, width)
    if width == 1:
        for names in grouped:
            if len(names) == 1:
                done(names[0], cells[names[0]](progress))
                continue
            for name, arrays in zip(names, _Batch([cells[name] for name in names])(), strict=True):
                done(name, arrays)
                progress(cells[name].work)
        return
    jobs: dict[tuple[tuple[str, ...], int], Callable[[], Any]] = {}
    parts: dict[str, Sequence[Cell]] = {}
    for names in grouped:
        if len(names) > 1:
            jobs[tuple(names), 0] = _Batch([cells[name] for name in names])
            continue
        (name,) = names
        parts[name] = cells[name].split(width)
        jobs |= {((name,), i): part for i, part in enumerate(parts[name])}
    found: dict[str, dict[int, Arrays]] = {name: {} for name in parts}

    def job_done(job: tuple[tuple[str, ...], int], result: Any) -> None:
        names, i = job
        if len(names) > 1:
            for name, arrays in zip(names, result, strict=True):
                progress(cells[name].work)
                done(name, arrays)
            return
        (name,) = names
        found[name][i] = result
        progress(parts[name][i].work)
        if len(found[name]) == len(parts[name]):
            complete = found.pop(name)
            done(name, cells[name].join([complete[i] for i in sorted(complete)]))

    run_jobs(jobs, workers, job_done)


def check_fit(cells: Mapping[str, Cell], workers: int) -> None:
    """Raise an error if the largest batches of cells, one per worker, do not fit into memory."""
    needs = [sum(cells[name].memory for name in names) for names in batches(cells, workers)]
    largest = sorted(needs, reverse=True)[:workers]
    check_memory(sum(largest), "games of that size" if len(largest) < 2 else f"{len(largest)} such games at once")


def compute_missing(
    cells: Mapping[str, Cell],
    folder: Path,
    made: Mapping[str, Any],
    workers: int | Workers,
    progress: Progress = no_progress,
) -> dict[str, Arrays]:
    """Return all cells: read those stored in a folder, compute and store the others.

    Parameters
    ----------
    cells : mapping
        Cells by name.
    folder : Path
        Folder of the run, new or to be resumed.
    made : mapping
        What cells depend on, such as settings and versions. Stored cells with other values are computed again.
    workers : int or Workers
        Number of processes, or where to compute.
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
                note(f"{error.damage if isinstance(error, DamagedError) else error}; computing it again")
    progress(sum(cells[name].work for name in found))

    def done(name: str, arrays: Arrays) -> None:
        # Not synced to disk: a cell damaged by a power cut is detected when it is read and computed again.
        CELL.write(_cell_path(folder, name), {**made, "cell": name}, arrays, lasting=False)
        found[name] = arrays

    compute({name: cell for name, cell in cells.items() if name not in found}, workers, done, progress)
    return {name: found[name] for name in cells}


def clear(folder: Path) -> None:
    """Remove the cells of a folder."""
    for path in [*folder.glob("*.npz"), *folder.glob(".*.part")]:
        path.unlink(missing_ok=True)


def _cell_path(folder: Path, name: str) -> Path:
    """Return the path of a cell's file."""
    return folder / f"{file_stem(name)}.npz"


def _read(path: Path, wanted: Mapping[str, Any]) -> Arrays:
    meta, arrays = CELL.read(path)
    if any(meta.get(key) != value for key, value in wanted.items()):
        raise ValueError(f"{path} was made with other settings or versions")
    return arrays
