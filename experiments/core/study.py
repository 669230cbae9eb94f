"""Base class of studies: settings, resumable cells of work, one results file.

To add a study, create a folder in ``experiments/studies`` with ``study.py``, which defines ``STUDY``, an instance of a
subclass of :class:`Study`, and ``figure.py``, which defines ``draw(results)``; then add it to
``experiments/registry.py``.
"""

from __future__ import annotations

import dataclasses
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple

from evolution.workers import Workers
from experiments.core.cells import Cell, Progress, clear, compute_missing, no_progress
from experiments.core.claims import Claim
from experiments.core.errors import UserError, blame_file
from experiments.core.files import file_stem
from experiments.core.outside import note
from experiments.core.results import RESULTS, F, Results, Row, S, load, save, versions
from experiments.core.tables import Table
from nsa_brian.common.archive import Arrays, DamagedError
from nsa_brian.common.lock import Lock

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Caption(NamedTuple):
    """Heading of a study in the report, and alternative text of its figure."""

    title: str
    description: str


class Export(NamedTuple):
    """A file made from results: label, suffix and text."""

    label: str
    suffix: str
    text: str


class Study(ABC, Generic[S, F]):
    """A study: the cells to compute, and summary, tables and figure made from the results alone.

    S is the type of the settings, a frozen dataclass whose fields are made by ``setting``; F that of the summary, a
    dataclass that can be converted to JSON.
    """

    name: str
    examples: str
    #: Settings by name; the first is the default.
    presets: Mapping[str, S]
    #: Caption in the report; None omits the study.
    caption: Caption | None = None
    #: Unit of the progress bar.
    unit = "cells"
    #: Whether to compute again even if there are stored results.
    always_recomputes = False
    #: Class of the results.
    results_type: type[Results[Any, Any]] = Results

    def __repr__(self) -> str:
        return f"<study nsa {self.name}: presets {', '.join(self.presets)}>"

    @abstractmethod
    def cells(self, settings: S) -> Mapping[str, Cell]:
        """Return the cells to compute, by name; raise an error if a bandit or agent does not accept the settings."""

    @abstractmethod
    def summary(self, results: Results[S, F]) -> F:
        """Return the summary."""

    @abstractmethod
    def tables(self, results: Results[S, F]) -> list[Table]:
        """Return the summary as tables."""

    @abstractmethod
    def rows(self, results: Results[S, F]) -> list[Row]:
        """Return the summary as rows of a data frame."""

    def rounds(self, results: Results[S, F]) -> dict[str, Any]:
        """Return the columns of a data frame with a row for each round."""
        raise ValueError(f"results of nsa {self.name} have no rounds; those of nsa play do")

    def claims(self, results: Results[S, F]) -> list[Claim]:
        """Return the claims of the paper with verdicts."""
        return []

    def exports(self, results: Results[S, F]) -> list[Export]:
        """Return files besides the figure."""
        return []

    def draw(self, results: Results[S, F]) -> Figure:
        """Return the figure. Its module, which needs matplotlib, is imported only here."""
        package = type(self).__module__.rpartition(".")[0]
        return import_module(f"{package}.figure").draw(results)

    def image(self, results: Results[S, F], kind: str, dpi: int = 150) -> bytes:
        """Return the figure in a file format."""
        return import_module("experiments.core.figures").rendered(self.draw(results), kind, dpi)

    def options_for(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of the report that this study has."""
        known = {field.name for field in dataclasses.fields(self.options_type)}
        return {name: value for name, value in given.items() if name in known}

    @property
    def options_type(self) -> type:
        """Type of the presets, whose fields are the options of the command."""
        return type(next(iter(self.presets.values())))

    @property
    def settings_type(self) -> type[S]:
        """Type of the settings."""
        return self.options_type

    def settings_of(self, options: Any) -> S:
        """Return the settings that options mean; the same except in ``play``."""
        return options

    # Files --------------------------------------------------------------------------------------------------------

    def run(
        self,
        settings: S,
        out: Path,
        workers: int | Workers = 1,
        progress: Progress = no_progress,
        cells: Mapping[str, Cell] | None = None,
    ) -> tuple[Results[S, F], Path]:
        """Compute missing cells and write the results file.

        Each cell is written when it is done. A stopped run is resumed; a finished run is read from its file. Results
        do not depend on interruptions or workers. If another process computes the same in the same folder, this one
        waits and reads its results.

        Parameters
        ----------
        settings
        out : Path
            Folder of the results file.
        workers : int or Workers
            Number of processes, or workers such as an :class:`evolution.workers.dask.DaskWorkers`, which stay open.
        progress : callable
            Called with the work done since the last call.
        cells : mapping, optional
            The study's cells, if they are made already.

        Returns
        -------
        results : Results
        path : Path
            The results file.
        """
        cells = self.cells(settings) if cells is None else cells
        path = out / f"{self.name}-{file_stem(settings.id)}.npz"
        folder = path.with_name(f"{path.stem}.cells")
        with Lock(folder, wait=True, tell=note):
            found = self.finished(path, settings, cells)
            if found is not None:
                progress(sum(cell.work for cell in cells.values()))
                return found, path
            made = {"study": self.name, "settings": settings.to_dict(), "marks": versions()}
            results = self.collect(settings, compute_missing(cells, folder, made, workers, progress))
            self.save(results, path)
            clear(folder)
        with suppress(OSError):
            folder.rmdir()  # fails if files are left, or if another process holds a lock in it
        return results, path

    def finished(self, path: Path, settings: S, cells: Mapping[str, Cell]) -> Results[S, F] | None:
        """Return stored results of these settings, cells and versions; else print a note and return None."""
        if self.always_recomputes or not path.exists():
            return None
        try:
            found = self.load(path)
            if found.settings_dict != json.loads(json.dumps(settings.to_dict())) or found.cells.keys() != cells.keys():
                raise ValueError(f"{path} holds results of other settings")
            with blame_file(path, RESULTS.called):
                _ = found.summary
        except (ValueError, UserError) as error:
            note(f"{error.damage if isinstance(error, DamagedError) else error}; computing everything again")
            return None
        if found.versions != versions():
            note(f"{path} was made with {found.versions}; computing everything again with {versions()}")
            return None
        return found

    def collect(self, settings: S, cells: dict[str, Arrays]) -> Results[S, F]:
        """Return the results of computed cells."""
        return self.results_type(self, settings, settings.to_dict(), versions(), cells, settings.input_tables)

    def save(self, results: Results[S, F], path: Path) -> None:
        """Write a results file."""
        save(results, path)

    def load(self, path: str | Path) -> Results[S, F]:
        """Read a results file; raise a ValueError if it is not of this study."""
        results = load(self, self.results_type, path)
        try:
            self.check_cells(results)
        except ValueError as error:
            raise ValueError(f"{path} is not {RESULTS.called}: {error}") from None
        return results

    def check_cells(self, results: Results[S, F]) -> None:
        """Raise a ValueError if the arrays of a file do not fit its settings."""
