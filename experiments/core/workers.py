"""Work in several processes, given up cleanly when the user stops it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import FIRST_COMPLETED, wait
from typing import TypeVar

from evolution.workers import Processes
from nsa_brian.plugins import carrying_plugins

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


def check_workers(n: int) -> None:
    """Refuse a number of processes that cannot be."""
    if n < 1:
        raise ValueError(f"workers must be a whole number from 1 up, got {n}")


def run_jobs(jobs: Mapping[K, Callable[[], T]], workers: int, done: Callable[[K, T], None]) -> None:
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
