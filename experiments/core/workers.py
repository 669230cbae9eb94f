"""Work in several processes, given up cleanly when the user stops it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from evolution.workers.local import K, Processes, T
from nsa_brian.plugins import carrying_plugins

#: Processes at most: beyond what any machine has cores for.
MOST_WORKERS = 4096


def check_workers(n: int) -> None:
    """Refuse a number of processes that cannot be."""
    if n < 1:
        raise ValueError(f"workers must be a whole number from 1 up, got {n}")
    if n > MOST_WORKERS:
        raise ValueError(f"workers must be at most {MOST_WORKERS}, got {n}")


def run_jobs(jobs: Mapping[K, Callable[[], T]], workers: int, done: Callable[[K, T], None]) -> None:
    """Run picklable functions in processes, no more than there are jobs; see :meth:`Processes.run`.

    Whatever stops it, Ctrl-C included, ends the processes at once.
    """
    if not jobs:
        return
    pool = Processes(min(workers, len(jobs)))
    try:
        pool.run({name: carrying_plugins(job) for name, job in jobs.items()}, done)
    finally:
        pool.close()
