"""Work in several processes, given up cleanly when the user stops it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, wait
from typing import Any

from evolution.workers import Processes
from nsa_brian.plugins import carrying_plugins


def run_jobs(jobs: Mapping[Any, Callable[[], Any]], workers: int, done: Callable[[Any, Any], None]) -> None:
    """Run picklable functions in processes; ``done`` hears each one's name and result when it ends.

    Whatever stops it, Ctrl-C included, ends the processes at once.
    """
    pool = Processes(workers)
    try:
        names = dict(zip(pool.submit(map(carrying_plugins, jobs.values())), jobs, strict=True))
        waiting = set(names)
        while waiting:
            ended, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for job in ended:
                done(names[job], job.result())
    finally:
        pool.close()
