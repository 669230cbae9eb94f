"""Work in several processes, given up cleanly when the user stops it."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from typing import Any


def run_jobs(jobs: Mapping[Any, Callable[[], Any]], workers: int, done: Callable[[Any, Any], None]) -> None:
    """Run picklable functions in processes; ``done`` hears each one's name and result when it ends.

    Whatever stops it, Ctrl-C included, ends the processes at once.
    """
    # "spawn": a fork would copy the compiler's and matplotlib's threads in an unknown state.
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
    # The terminal sends Ctrl-C to all processes. Children inherit that it is ignored, and leave it to us.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        names: dict[Future[Any], Any] = {pool.submit(job): name for name, job in jobs.items()}
    finally:
        signal.signal(signal.SIGINT, before)
    try:
        waiting = set(names)
        while waiting:
            ended, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for job in ended:
                done(names[job], job.result())
    except BaseException:
        for process in list((pool._processes or {}).values()):  # the pool itself would wait for them
            process.terminate()
        pool.shutdown(wait=True, cancel_futures=True)
        raise
    pool.shutdown()
