"""Where individuals are evaluated: in this process, in several, or on a Dask cluster. The outcome is the same."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context, parent_process
from typing import Any, Protocol, TypeVar

from nsa_brian.common.interrupts import on_interrupt
from nsa_brian.plugins import carrying_plugins

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class Workers(Protocol):
    """A map over work, and how many pieces of it run side by side."""

    @property
    def width(self) -> int:
        """Pieces to divide the work into."""

    def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """The function's results, in the items' order."""

    def close(self) -> None:
        """End what was started."""


class WorkersLostError(RuntimeError):
    """Workers that ended before their work did, again and again."""


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

    Work that is lost with a process, as when the system ends one for want of memory, is done again by a new one.

    Parameters
    ----------
    n : int
    """

    #: Times that a job may be lost and is tried again.
    LOSSES = 3

    def __init__(self, n: int) -> None:
        self.width = n
        self._pool = self._start()

    def _start(self) -> ProcessPoolExecutor:
        # "spawn": a fork would copy the compiler's and matplotlib's threads in an unknown state.
        pool = ProcessPoolExecutor(self.width, get_context("spawn"), initializer=_begin)
        # The terminal sends Ctrl-C to all processes. Those that start now inherit that it is ignored: it is ours.
        with on_interrupt(signal.SIG_IGN):
            for _ in range(self.width):
                pool.submit(int)  # a process starts with the first job that it is needed for
        return pool

    def run(self, jobs: Mapping[K, Callable[[], T]], done: Callable[[K, T], None]) -> None:
        """Run picklable functions; ``done`` hears each one's name and result when it ends."""
        left, lost = dict(jobs), 0
        while left:
            try:
                running = {self._pool.submit(job): name for name, job in left.items()}
                for future in as_completed(running):
                    name, result = running.pop(future), future.result()
                    del left[name]
                    done(name, result)
            except BrokenProcessPool:
                # Processes take jobs in this order, so one of these was in hand. Alone, it takes no other with it.
                for name in list(left)[: self.width]:
                    lost += not self._run_alone(name, left.pop(name), done)
                    if lost > 1:  # not that job's fault
                        break
            if lost > 1 or (lost and not left):
                raise WorkersLostError(
                    f"worker processes were ended from outside {self.LOSSES + 1} times in a row, perhaps for want of "
                    "memory: try with fewer of them"
                )

    def _run_alone(self, name: K, job: Callable[[], T], done: Callable[[K, T], None]) -> bool:
        """Run a job with no other beside it, again if it is lost; whether it was done in the end."""
        for _ in range(self.LOSSES + 1):
            self.close()
            self._pool = self._start()
            try:
                result = self._pool.submit(job).result()
            except BrokenProcessPool:
                continue
            done(name, result)
            return True
        self.close()
        self._pool = self._start()
        return False

    def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """Each item in the next free process."""
        there = carrying_plugins(function)
        found: dict[int, Any] = {}
        self.run({i: partial(there, item) for i, item in enumerate(items)}, found.__setitem__)
        return [found[i] for i in range(len(items))]

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
