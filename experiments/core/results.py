"""Results of a study and their files."""

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

#: A row of a data frame.
Row = dict[str, str | int | float | bool | None]


def versions() -> dict[str, str]:
    """Return the versions of the packages that results depend on."""
    return {name: metadata.version(name) for name in ("nsa-brian", "brian2", "numpy")}


@dataclass(frozen=True, repr=False)
class Results(Generic[S, F]):
    """Results of a study.

    Attributes
    ----------
    study : Study
    settings : dataclass
        Settings of the study.
    settings_dict : dict
        Settings as plain JSON, including all parameters and models.
    versions : dict
        Versions of the packages that results depend on.
    cells : dict
        Arrays of every cell by name.
    inputs : dict
        Values of model inputs by name, (rounds, columns) each.
    """

    study: Study[S, F]
    settings: S
    settings_dict: Mapping[str, Any]
    versions: Mapping[str, str]
    cells: dict[str, Arrays]
    inputs: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def told(self) -> Mapping[str, Any]:
        """Deprecated name of ``settings_dict``, to be removed in 0.4."""
        warnings.warn("told is now settings_dict", DeprecationWarning, stacklevel=2)
        return self.settings_dict

    @cached_property
    def summary(self) -> F:
        """Summary, computed by the study."""
        return self.study.summary(self)

    @cached_property
    def tables(self) -> list[Table]:
        """Summary as tables."""
        return self.study.tables(self)

    def to_dataframe(self, rounds: bool = False) -> DataFrame:
        """Return the summary as a pandas data frame, or all rounds, which only ``nsa play`` stores.

        With ``rounds`` the columns are ``agent``, ``game``, ``trial``, ``round`` (all from 0, rounds of the whole
        game), ``arm``, ``reward``, ``probability`` (that the arm pays), ``best`` (the highest probability of an arm)
        and ``agreed`` (whether U and V agreed; None for agents other than NSA).
        """
        return extra("dataframe", "pandas").DataFrame(self.study.rounds(self) if rounds else self.study.rows(self))

    def __repr__(self) -> str:
        return f"<results of nsa {self.study.name}: {len(self.cells)} cells>"

    def _repr_html_(self) -> str:
        return "\n".join(table.html() for table in self.tables)


RESULTS = ArchiveFormat("nsa-results", 1, "a results file of a study")


#: Used in place of a cell's name for arrays shared by all cells, and for values of inputs.
_ALL, _INPUTS = "", "input:"


def save(results: Results[S, F], path: Path) -> None:
    """Write a results file; arrays that are equal in all cells are stored once."""
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
    """Read a results file of a study; raise a ValueError for other files."""
    meta, arrays = RESULTS.read(path, "study", "settings", "versions")
    if meta["study"] != study.name:
        raise ValueError(f"{path} holds results of nsa {meta['study']}, not of nsa {study.name}")
    found: dict[str, Arrays] = {}
    for key, array in arrays.items():
        # A cell's name may contain the separator. Files of 0.2 have a slash, and a colon for inputs.
        cell, _, name = key.rpartition("|") if "|" in key else key.rpartition("/")
        if not cell and name.startswith(_INPUTS):
            cell, name = _INPUTS, name.removeprefix(_INPUTS)
        found.setdefault(cell, {})[name] = array
    shared, inputs = found.pop(_ALL, {}), found.pop(_INPUTS, {})
    try:
        settings = study.settings_type.from_dict(meta["settings"])
    except (TypeError, ValueError, KeyError, AttributeError):
        raise ValueError(f"{path} is not {RESULTS.called}: its settings are not those of nsa {study.name}") from None
    cells = {cell: {**arrays, **shared} for cell, arrays in found.items()}
    return kind(study, settings, meta["settings"], meta["versions"], cells, inputs)


def _equal(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
