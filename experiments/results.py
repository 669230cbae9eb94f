"""Read and write results files of ``nsa play`` in scripts."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from experiments.studies.play.study import STUDY, PlayResults

__all__ = ["PlayResults", "load", "save"]


def save(results: PlayResults, path: str | Path) -> None:
    """Write results to an .npz file."""
    STUDY.save(results, Path(path))


def load(path: str | Path) -> PlayResults:
    """Read a results file of ``nsa play``."""
    return cast(PlayResults, STUDY.load(path))
