"""Run the games of ``nsa play`` in scripts, without files."""

from __future__ import annotations

import dataclasses
import json
import sys
from typing import Any, cast

from tqdm.auto import tqdm

from evolution.workers import Workers
from experiments.core.cells import Arrays, Progress, compute
from experiments.core.play import play_agent
from experiments.core.settings import PlaySettings
from experiments.studies.play.study import STUDY, PlayResults

__all__ = ["play_agent", "report", "run"]


def run(settings: PlaySettings, workers: int | Workers = 1, progress: Progress | bool = True) -> PlayResults:
    """Play all repetitions with each agent.

    Parameters
    ----------
    settings : PlaySettings
    workers : int or Workers
        Number of processes, or workers such as an :class:`evolution.workers.dask.DaskWorkers`. Results do not depend on
        them: each repetition has its own random numbers.
    progress : bool or callable
        True shows a progress bar in notebooks and on terminals. A function is called with the number of game-rounds
        played since its last call.
    """
    cells = STUDY.cells(settings)
    found: dict[str, Arrays] = {}
    if callable(progress):
        compute(cells, workers, found.__setitem__, progress)
    else:
        total = sum(cell.work for cell in cells.values())
        hidden = None if progress and not _in_notebook() else not progress  # None: hidden outside a terminal
        with tqdm(total=total, disable=hidden, unit=f" {STUDY.unit}", unit_scale=True, desc="play") as bar:
            compute(cells, workers, found.__setitem__, lambda done: bar.update(done) and None)
    return cast(PlayResults, STUDY.collect(settings, {agent: found[agent] for agent in cells}))


def _in_notebook() -> bool:
    """Return whether the code runs in a notebook's kernel."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return hasattr(shell, "kernel")


def report(results: PlayResults) -> dict[str, Any]:
    """Return the settings, versions and summary as one JSON object."""
    outcome = {"settings": results.settings_dict, "versions": results.versions, **dataclasses.asdict(results.summary)}
    return json.loads(json.dumps(outcome))
