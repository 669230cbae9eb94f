"""Where individuals are evaluated: in this process, in several, or on a Dask cluster. The outcome is the same."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context, parent_process
from typing import Any, Protocol

from nsa_brian.plugins import carrying_plugins


class Workers(Protocol):
    """A map over work, and how many pieces of it run side by side."""

    @property
    def width(self) -> int:
        """Pieces to divide the work into."""

    def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """The function's results, in the items' order."""

    def close(self) -> None:
        """End what was started."""


class Serial:
    """No others: the work is done in the process that asks for it."""

    width = 1

    def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """One after the other."""
        return list(map(function, items))

    def close(self) -> None:
        """Nothing to end."""


class Processes:
    """Worker processes on this machine, kept until they are closed.

    Parameters
    ----------
    n : int
    """

    def __init__(self, n: int) -> None:
        self.width = n
        # "spawn": a fork would copy the compiler's and matplotlib's threads in an unknown state.
        self._pool = ProcessPoolExecutor(n, get_context("spawn"), initializer=_begin)
        # The terminal sends Ctrl-C to all processes. Those that start now inherit that it is ignored: it is ours.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            self.submit([int] * n)  # a process starts with the first job that it is needed for
        finally:
            signal.signal(signal.SIGINT, before)

    def submit(self, jobs: Iterable[Callable[[], Any]]) -> list[Future[Any]]:
        """Begin with picklable functions; their results to come."""
        return [self._pool.submit(job) for job in jobs]

    def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """Each item in the next free process."""
        there = carrying_plugins(function)
        return [job.result() for job in self.submit(partial(there, item) for item in items)]

    def close(self) -> None:
        """End the processes at once, whatever they are doing."""
        for process in list((self._pool._processes or {}).values()):  # the pool itself would wait for them
            process.terminate()
        self._pool.shutdown(wait=True, cancel_futures=True)


def _begin() -> None:
    """In a worker: let Ctrl-C pass by, and do not outlive the parent."""
    # By a function rather than SIG_IGN, for Brian2 puts a handler of its own before what it finds, and calls that.
    signal.signal(signal.SIGINT, lambda *_: None)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A parent that was killed cannot end its workers, and they would wait for work for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
