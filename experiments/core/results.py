"""Results: the arrays of every cell of a study with what made them, and the file that keeps them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from experiments.core.extras import extra
from experiments.core.study_settings import StudySettings
from experiments.core.tables import Table
from nsa_brian.common.archive import ArchiveFormat, Arrays

if TYPE_CHECKING:
    from pandas import DataFrame

    from experiments.core.study import Study

S = TypeVar("S", bound=StudySettings)
F = TypeVar("F")

#: A line of a data frame.
Row = dict[str, str | int | float | bool | None]


def versions() -> dict[str, str]:
    """Versions of what the outcome may depend on."""
    return {name: metadata.version(name) for name in ("nsa-brian", "brian2", "numpy")}


@dataclass(frozen=True, repr=False)
class Results(Generic[S, F]):
    """What came of a study.

    Attributes
    ----------
    study : Study
    settings : dataclass
        The study's.
    settings_dict : dict
        The settings as plain JSON, with the parameters and models that they name in full.
    versions : dict
        Of what the outcome may depend on.
    cells : dict
        Arrays of every cell by the cell's name.
    inputs : dict
        Values of models' inputs by name, (rounds, columns) each.
    """

    study: Study[S, F]
    settings: S
    settings_dict: Mapping[str, Any]
    versions: Mapping[str, str]
    cells: dict[str, Arrays]
    inputs: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def told(self) -> Mapping[str, Any]:
        """The name of ``settings_dict`` in 0.2; it goes with 0.4."""
        warnings.warn("told is now settings_dict", DeprecationWarning, stacklevel=2)
        return self.settings_dict

    @cached_property
    def summary(self) -> F:
        """What the study makes of it."""
        return self.study.summary(self)

    @cached_property
    def tables(self) -> list[Table]:
        """The summary as tables."""
        return self.study.tables(self)

    def to_dataframe(self) -> DataFrame:
        """The summary as a pandas data frame, a row for each thing that was measured."""
        return extra("dataframe", "pandas").DataFrame(self.study.rows(self))

    def __repr__(self) -> str:
        return f"<results of nsa {self.study.name}: {len(self.cells)} cells>"

    def _repr_html_(self) -> str:
        return "\n".join(table.html() for table in self.tables)


RESULTS = ArchiveFormat("nsa-results", 1, "a results file of a study")


#: Stands for the cell's name where an array is that of all cells, and where it holds values of an input.
_ALL, _INPUTS = "", "input:"


def save(results: Results[S, F], path: Path) -> None:
    """Write a results file; arrays that are the same in all cells are stored once."""
    cells = list(results.cells.values())
    same = set()
    if len(cells) > 1:
        common = set(cells[0]).intersection(*cells[1:])
        same = {name for name in common if all(_equal(cells[0][name], cell[name]) for cell in cells[1:])}
    arrays = {f"{_ALL}|{name}": cells[0][name] for name in sorted(same)}
    for key, cell in results.cells.items():
        arrays |= {f"{key}|{name}": array for name, array in cell.items() if name not in same}
    arrays |= {f"{_INPUTS}|{name}": table for name, table in results.inputs.items()}
    meta = {"study": results.study.name, "settings": results.settings_dict, "versions": results.versions}
    RESULTS.write(path, meta, arrays, small=True)


def load(study: Study[S, F], kind: type[Results[S, F]], path: str | Path) -> Results[S, F]:
    """Read what :func:`save` wrote of a study; a ValueError if it is something else."""
    meta, arrays = RESULTS.read(path, "study", "settings", "versions")
    if meta["study"] != study.name:
        raise ValueError(f"{path} holds results of nsa {meta['study']}, not of nsa {study.name}")
    found: dict[str, Arrays] = {}
    for key, array in arrays.items():
        # There may be one in a cell's name. Games of 0.2 have a slash, and a colon for inputs.
        cell, _, name = key.rpartition("|") if "|" in key else key.rpartition("/")
        if not cell and name.startswith(_INPUTS):
            cell, name = _INPUTS, name.removeprefix(_INPUTS)
        found.setdefault(cell, {})[name] = array
    shared, inputs = found.pop(_ALL, {}), found.pop(_INPUTS, {})
    try:
        settings = study.settings_type.from_dict(meta["settings"])
    except (TypeError, ValueError, KeyError, AttributeError):
        raise ValueError(f"{path} is not {RESULTS.called}: its settings are none of nsa {study.name}") from None
    cells = {cell: {**arrays, **shared} for cell, arrays in found.items()}
    return kind(study, settings, meta["settings"], meta["versions"], cells, inputs)


def _equal(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
