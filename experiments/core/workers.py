"""Jobs in several processes, which end when the user stops the command."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from evolution.workers.local import K, Processes, T
from nsa_brian.plugins import carrying_plugins

#: Largest number of processes.
MOST_WORKERS = 4096


def check_workers(n: int) -> None:
    """Raise a ValueError for an invalid number of processes."""
    if n < 1:
        raise ValueError(f"workers must be a whole number from 1 up, got {n}")
    if n > MOST_WORKERS:
        raise ValueError(f"workers must be at most {MOST_WORKERS}, got {n}")


def run_jobs(jobs: Mapping[K, Callable[[], T]], workers: int, done: Callable[[K, T], None]) -> None:
    """Run picklable functions in at most as many processes as there are jobs; see :meth:`Processes.run`.

    The processes end at once on any exception, Ctrl-C included.
    """
    if not jobs:
        return
    pool = Processes(min(workers, len(jobs)))
    try:
        pool.run({name: carrying_plugins(job) for name, job in jobs.items()}, done)
    finally:
        pool.close()
