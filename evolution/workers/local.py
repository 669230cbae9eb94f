"""Workers on this machine: the calling process, or a pool of processes."""

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
    """Run functions, several at once. Subclasses define ``run``."""

    @property
    def width(self) -> int:
        """Number of parts to divide the work into."""

    def run(self, jobs: Mapping[K, Callable[[], T]], done: Callable[[K, T], None]) -> None:
        """Run picklable functions; ``done`` is called with the name and result of each when it ends."""

    def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """Return the function's results in the order of the items."""
        found: dict[int, Any] = {}
        self.run({i: partial(function, item) for i, item in enumerate(items)}, found.__setitem__)
        return [found[i] for i in range(len(items))]

    def close(self) -> None:
        """Release all resources."""


class WorkersLostError(RuntimeError):
    """Workers ended repeatedly before their work was done."""


class Serial(Workers):
    """Do the work in the calling process."""

    width = 1

    def run(self, jobs: Mapping[K, Callable[[], T]], done: Callable[[K, T], None]) -> None:
        """Call the functions in turn."""
        for name, job in jobs.items():
            done(name, job())

    def close(self) -> None:
        """Do nothing."""


class Processes(Workers):
    """A pool of worker processes on this machine.

    Work that is lost because a process was killed, such as for lack of memory, is done again by a new process.

    Parameters
    ----------
    n : int
        Number of processes.
    """

    #: Number of retries of a lost job.
    LOSSES = 3
    width = 1

    def __init__(self, n: int) -> None:
        self.width = n
        self._pool = self._start()

    def _start(self) -> ProcessPoolExecutor:
        # "spawn": a fork would copy the compiler's and matplotlib's threads in an unknown state.
        pool = ProcessPoolExecutor(self.width, get_context("spawn"), initializer=_begin)
        # The terminal sends Ctrl-C to all processes; new ones inherit that it is ignored, since the parent handles it.
        with on_interrupt(signal.SIG_IGN):
            for _ in range(self.width):
                pool.submit(int)  # a process starts with the first job that it is needed for
        return pool

    def run(self, jobs: Mapping[K, Callable[[], T]], done: Callable[[K, T], None]) -> None:
        """Run picklable functions; ``done`` is called with the name and result of each when it ends."""
        left, lost = {name: carrying_plugins(job) for name, job in jobs.items()}, 0
        while left:
            try:
                running = {self._pool.submit(job): name for name, job in left.items()}
                for future in as_completed(running):
                    name, result = running.pop(future), future.result()
                    del left[name]
                    done(name, result)
            except BrokenProcessPool:
                # Processes take jobs in this order, so one of these was running. Each is run again alone.
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
        """Run a job with no other beside it, with retries; return whether it was done."""
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

    def close(self) -> None:
        """Terminate the processes at once."""
        for process in list((self._pool._processes or {}).values()):  # the pool itself would wait for them
            process.terminate()
        self._pool.shutdown(wait=True, cancel_futures=True)


def _begin() -> None:
    """Prepare a worker: ignore Ctrl-C, and end with the parent."""
    # A function rather than SIG_IGN, since Brian2 installs its own handler, which calls the previous one.
    signal.signal(signal.SIGINT, lambda *_: None)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Exit when the parent ends: one that was killed cannot end its workers, which would wait forever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
