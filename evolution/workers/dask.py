"""Workers of a Dask cluster. Needs the extra ``cluster``."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import distributed
from distributed.comm.addressing import parse_address, parse_host_port
from distributed.protocol.pickle import dumps, loads

from evolution.workers.local import K, T, Workers, WorkersLostError
from nsa_brian.plugins import carrying_plugins

#: Brian2 builds code objects in one thread at a time; a worker with several threads takes turns.
_ONE_AT_A_TIME = threading.Lock()


class DaskWorkers(Workers):
    """The workers of a running Dask cluster.

    Work that is lost with a worker is done again by another one. Workers may come and go; while there are none, the
    command waits.

    Parameters
    ----------
    cluster : str or distributed cluster
        A scheduler's address, such as ``tcp://login:8786``, or a cluster object (LocalCluster, SLURMCluster).
    timeout : float
        Seconds to wait for the scheduler's answer.

    Raises
    ------
    ConnectionError
        If no scheduler answers.
    """

    #: Times that a piece of work may lose its worker. Dask's own 3 is soon used up where jobs have time limits.
    LOSSES = 100
    #: Workers to divide work for while there are none.
    _expected = 1

    def __init__(self, cluster: Any, timeout: float = 10) -> None:
        try:
            if isinstance(cluster, str):
                _check_address(cluster)
            self._client = distributed.Client(cluster, timeout=timeout, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise ConnectionError(f"no Dask scheduler answers at {cluster}: {error}") from error
        self._client.run_on_scheduler(_allow_losses, n=self.LOSSES)
        self._client.register_plugin(_Prepared())

    @property
    def width(self) -> int:
        """Twice the workers there are now: smaller pieces lose less with a worker, and even out unequal machines."""
        return 2 * (len(self._client.scheduler_info(n_workers=-1)["workers"]) or self._expected)

    def run(self, jobs: Mapping[K, Callable[[], T]], done: Callable[[K, T], None]) -> None:
        """Run each function on the next free worker; ``done`` is called with its name and result when it ends."""
        self._begin()
        running = {self._client.submit(_in_turn, _packed(job), pure=False): name for name, job in jobs.items()}
        with self._cancelling(list(running)):
            for future in distributed.as_completed(list(running), loop=self._client.loop):
                done(running.pop(future), future.result())

    def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """Evaluate each item on the next free worker."""
        self._begin()
        work = self._client.map(_in_turn_with, items, pickled=_packed(function), pure=False)
        with self._cancelling(work):
            return self._client.gather(work)

    def _begin(self) -> None:
        """Prepare for work; a subclass starts its workers here."""

    @contextmanager
    def _cancelling(self, work: list[Any]) -> Iterator[None]:
        """Cancel the work on any exception; a WorkersLostError if the cluster has lost it."""
        try:
            yield
        except CancelledError as error:  # the scheduler is gone
            raise WorkersLostError(f"the Dask cluster has lost the work: {error}") from None
        except BaseException as error:
            self._client.cancel(work, force=True)
            if isinstance(error, distributed.KilledWorker):
                raise WorkersLostError(f"the Dask cluster has lost the work: {error}") from None
            raise

    def close(self) -> None:
        """Disconnect from the cluster, which keeps running if others started it."""
        self._client.close()


def _check_address(address: str) -> None:
    """Require an address with a known scheme, and certificates if it needs them."""
    scheme, place = parse_address(address)
    if scheme not in ("tcp", "tls", "ws", "wss"):
        raise ValueError(f"an address begins with tcp://, tls://, ws:// or wss://, not with {scheme}://")
    parse_host_port(place)
    if scheme in ("tls", "wss") and distributed.Security().get_connection_args("client")["ssl_context"] is None:
        raise ValueError("it takes certificates: name them in Dask's configuration (distributed.comm.tls)")


class _Prepared(distributed.WorkerPlugin):
    """Import Brian2 when a worker starts, in its main thread: Brian2 cannot be imported in another."""

    name = "nsa-prepared"

    def setup(self, worker: Any) -> None:
        import_module("nsa_brian.engines.base")


def _packed(function: Callable[..., Any]) -> bytes:
    """Pickle a function with the plugins, so that its models are made in a worker, in turn, not by the scheduler."""
    return dumps(carrying_plugins(function))


def _in_turn(pickled: bytes, *given: Any) -> Any:
    with _ONE_AT_A_TIME:
        return loads(pickled)(*given)


def _in_turn_with(item: Any, pickled: bytes) -> Any:
    return _in_turn(pickled, item)


def _allow_losses(dask_scheduler: Any, n: int) -> None:
    dask_scheduler.allowed_failures = n
