"""A study: settings as data, cells of work that can be interrupted and resumed, one results file.

To add one, make a folder in ``experiments/studies`` with ``study.py``, where ``STUDY`` is an object of a class like
those of its neighbours, and ``figure.py``, where ``draw`` makes a figure of its results; and enter it into
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
    """What a study shows, for the report: its heading, and its figure for those who cannot see it."""

    title: str
    description: str


class Export(NamedTuple):
    """A file that a study makes of its results: what it is called, its suffix and its text."""

    label: str
    suffix: str
    text: str


class Study(ABC, Generic[S, F]):
    """What is computed (:meth:`cells`), and what is made of it, from the results alone.

    S is the type of its settings, a frozen dataclass whose fields are made by ``setting``; F that of its summary, a
    dataclass that comes to JSON.
    """

    name: str
    examples: str
    #: Settings by name; the first are the default.
    presets: Mapping[str, S]
    #: For the report; None leaves it out of there.
    caption: Caption | None = None
    #: What the progress bar counts.
    unit = "cells"
    #: Whether a finished run is computed again.
    always_anew = False
    #: The class of its results.
    results_type: type[Results[Any, Any]] = Results

    def __repr__(self) -> str:
        return f"<study nsa {self.name}: presets {', '.join(self.presets)}>"

    @abstractmethod
    def cells(self, settings: S) -> Mapping[str, Cell]:
        """What is to be computed, by name; refuses what a bandit or an agent refuses."""

    @abstractmethod
    def summary(self, results: Results[S, F]) -> F:
        """What was found."""

    @abstractmethod
    def tables(self, results: Results[S, F]) -> list[Table]:
        """The summary to look at."""

    @abstractmethod
    def rows(self, results: Results[S, F]) -> list[Row]:
        """The summary for a data frame: a row for each thing that was measured."""

    def claims(self, results: Results[S, F]) -> list[Claim]:
        """What the paper says of it, and whether that is so."""
        return []

    def exports(self, results: Results[S, F]) -> list[Export]:
        """Files besides the figure."""
        return []

    def draw(self, results: Results[S, F]) -> Figure:
        """The figure. Its module is imported now: workers and those who only compute have no use for matplotlib."""
        room = type(self).__module__.rpartition(".")[0]
        return import_module(f"{room}.figure").draw(results)

    def image(self, results: Results[S, F], kind: str, dpi: int = 150) -> bytes:
        """The figure in one of the formats of files."""
        return import_module("experiments.core.figures").rendered(self.draw(results), kind, dpi)

    def options_for(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Those of some options of the report that this study has."""
        known = {field.name for field in dataclasses.fields(self.options_type)}
        return {name: value for name, value in given.items() if name in known}

    @property
    def options_type(self) -> type:
        """The type of the presets, whose fields are the options of the command."""
        return type(next(iter(self.presets.values())))

    @property
    def settings_type(self) -> type[S]:
        """The type of the settings."""
        return self.options_type

    def settings_of(self, options: Any) -> S:
        """Return the settings that options mean; they are the same but in ``play``."""
        return options

    # Files --------------------------------------------------------------------------------------------------------

    def run(
        self,
        settings: S,
        out: Path,
        workers: int = 1,
        progress: Progress = no_progress,
        cells: Mapping[str, Cell] | None = None,
    ) -> tuple[Results[S, F], Path]:
        """Compute what is missing of a study's cells and write the results file.

        Each cell is written when it is done. A run that was stopped goes on where it was; a run that was finished
        is read from its file. The outcome is the same, however often it was stopped and whatever the workers. Where
        another process is at work on the same in the same folder, this one waits and takes what that one found.

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
            folder.rmdir()  # that of a run that was killed; or somebody waits and has his lock in it
        return results, path

    def finished(self, path: Path, settings: S, cells: Mapping[str, Cell]) -> Results[S, F] | None:
        """Return results that need not be computed again, if the file holds what was asked for; else say so.

        Another version's are another run's.
        """
        if self.always_anew or not path.exists():
            return None
        try:
            found = self.load(path)
            if found.settings_dict != json.loads(json.dumps(settings.to_dict())) or found.cells.keys() != cells.keys():
                raise ValueError(f"{path} holds results of other settings")
            with blame_file(path, RESULTS.called):
                _ = found.summary
        except (ValueError, UserError) as error:
            note(f"{error.damage if isinstance(error, DamagedError) else error}; all is computed anew")
            return None
        if found.versions != versions():
            note(f"{path} was made with {found.versions}; all is computed anew with {versions()}")
            return None
        return found

    def collect(self, settings: S, cells: dict[str, Arrays]) -> Results[S, F]:
        """Return results of cells that were just computed."""
        return self.results_type(self, settings, settings.to_dict(), versions(), cells, settings.input_tables)

    def save(self, results: Results[S, F], path: Path) -> None:
        """Write a results file."""
        save(results, path)

    def load(self, path: str | Path) -> Results[S, F]:
        """Read a results file; a ValueError if it is none of this study."""
        results = load(self, self.results_type, path)
        try:
            self.check_cells(results)
        except ValueError as error:
            raise ValueError(f"{path} is not {RESULTS.called}: {error}") from None
        return results

    def check_cells(self, results: Results[S, F]) -> None:
        """Raise a ValueError if the arrays of a file do not fit its settings."""
