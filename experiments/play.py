"""For scripts: agents against a bandit, as ``nsa play`` lets them play, but in memory."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, cast

from experiments.core.cells import Arrays, Progress, compute, untold
from experiments.core.play import play_agent
from experiments.core.settings import PlaySettings
from experiments.studies.play.study import STUDY, PlayResults

__all__ = ["play_agent", "report", "run"]


def run(settings: PlaySettings, workers: int = 1, progress: Progress = untold) -> PlayResults:
    """Let each agent play all repetitions.

    Parameters
    ----------
    settings : PlaySettings
    workers : int
        Processes. Their number changes the time, never the outcome: each repetition has its own random numbers.
    progress : callable
        Told how many game-rounds were played since it was last called.
    """
    cells = STUDY.cells(settings)
    found: dict[str, Arrays] = {}
    compute(cells, workers, found.__setitem__, progress)
    return cast(PlayResults, STUDY.collect(settings, {agent: found[agent] for agent in cells}))


def report(results: PlayResults) -> dict[str, Any]:
    """The outcome as one JSON object."""
    outcome = {"settings": results.settings_dict, "versions": results.versions, **dataclasses.asdict(results.summary)}
    return json.loads(json.dumps(outcome))
