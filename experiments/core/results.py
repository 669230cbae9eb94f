"""Results: the arrays of every cell of a study with what made them, and the file that keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from experiments.core.extras import extra
from experiments.core.tables import Table
from nsa_brian.common.archive import ArchiveFormat, Arrays

if TYPE_CHECKING:
    from pandas import DataFrame

    from experiments.core.study import Study

S = TypeVar("S")
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
    told : dict
        The settings as plain JSON, with the parameters and models that they name in full.
    versions : dict
        Of what the outcome may depend on.
    cells : dict
        Arrays of every cell by the cell's name.
    """

    study: Study[S, F]
    settings: S
    told: Mapping[str, Any]
    versions: Mapping[str, str]
    cells: dict[str, Arrays]

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


def save_arrays(path: Path, meta: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write a results file: arrays by name, and JSON."""
    RESULTS.write(path, meta, arrays, small=True)


def load_arrays(path: str | Path, study: str) -> tuple[dict[str, Any], Arrays]:
    """What :func:`save_arrays` wrote of a study; a ValueError if it is something else."""
    meta, arrays = RESULTS.read(path, "study", "settings", "versions")
    if meta["study"] != study:
        raise ValueError(f"{path} holds results of nsa {meta['study']}, not of nsa {study}")
    return meta, arrays
