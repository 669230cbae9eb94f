"""Fit agents to behaviour in scripts, without files; the same results as ``nsa fit``."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evolution.workers import Workers
from experiments.core.cells import Arrays, Progress, compute, no_progress
from experiments.core.results import Results
from experiments.studies.fit.data import Behaviour, to_csv
from experiments.studies.fit.settings import FITTED, FitSettings, remember
from experiments.studies.fit.study import STUDY, FitSummary

__all__ = ["fit"]


def fit(
    data: Any,
    agents: Sequence[str] = FITTED,
    workers: int | Workers = 1,
    progress: Progress = no_progress,
    **settings: Any,
) -> Results[FitSettings, FitSummary]:
    """Fit agents to the choices and rewards of subjects, and compare them.

    Parameters
    ----------
    data : str, Path, mapping, pandas.DataFrame or Behaviour
        A CSV or TSV file, or columns by name: ``subject``, ``choice``, ``reward`` and optionally ``block`` and
        ``offered``, or the names of hBayesDM, HDDM and cpm.
    agents : sequence of str
        ``nsa``, ``nsa:WHAT`` and policies.
    workers : int or Workers
        Number of processes, or where to compute.
    progress : callable
        Called with the number of fits done since the last call.
    **settings
        Other fields of :class:`experiments.studies.fit.settings.FitSettings`, the options of ``nsa fit``: ``search``,
        ``prior``, ``condition``, ``pooled``, ``folds``, ``seed`` and others.

    Returns
    -------
    Results
        ``summary.fits`` has the fit of each agent to each subject, ``summary.agents`` the comparison;
        ``to_dataframe()`` returns all parameters.

    Examples
    --------
    >>> columns = {"subject": [1] * 4, "choice": [0, 1, 1, 1], "reward": [0, 1, 1, 0]}
    >>> found = fit(columns, ["win-stay-lose-shift"], predictive=0)
    >>> round(found.summary.fits[0].parameters["lapse"], 3)
    0.0
    """
    name = str(data) if isinstance(data, str | Path) else remember(_text(data))
    chosen = FitSettings(data=name, agents=tuple(agents), **settings)
    cells, found = STUDY.cells(chosen), dict[str, Arrays]()
    compute(cells, workers, found.__setitem__, progress)
    return STUDY.collect(chosen, {agent: found[agent] for agent in cells})


def _text(data: Any) -> str:
    """Return data as the text of a CSV file."""
    if isinstance(data, Behaviour):
        return to_csv(data)
    if hasattr(data, "to_csv"):
        return str(data.to_csv(index=False))
    if not isinstance(data, Mapping):
        raise ValueError(f"data must be a file, columns by name or a data frame, got {type(data).__name__}")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(data)
    try:
        writer.writerows(zip(*data.values(), strict=True))
    except ValueError:
        lengths = ", ".join(f"{name}: {len(column)}" for name, column in data.items())
        raise ValueError(f"columns must be of the same length, got {lengths}") from None
    return out.getvalue()
