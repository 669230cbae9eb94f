"""A lock on a folder: one process at a time writes there, and others can see who it is."""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import sys
from collections.abc import Callable
from fcntl import LOCK_EX, flock
from pathlib import Path
from shlex import join
from types import TracebackType

from nsa_brian.common.atomic import try_lock
from nsa_brian.common.texts import printable

#: Times that a folder may be gone again when we come to it, before it counts as one that cannot be.
_ATTEMPTS = 100


class Lock:
    """The right to write in a folder, held by at most one process, and given back within ``with``.

    The kernel keeps it on a file. So it ends with its process, however that ends, and a file that a killed process
    has left is in nobody's way. The file says who holds it. Reading needs no lock, for every file is whole or not
    there.

    On a file system without locks everybody gets it, and is told so.

    Parameters
    ----------
    folder : Path
        Made if need be; what was made is removed again if nothing else is in it at the end.
    name : str
        What is locked of the folder, where that is not all of it.
    wait : bool
        Wait for the one who holds it; without, one line says who that is.
    tell : callable
        Hears whom we wait for.

    Raises
    ------
    LockedError
        If another process holds it and we do not wait.
    """

    def __init__(
        self, folder: Path, name: str = "", wait: bool = False, tell: Callable[[str], object] = lambda text: None
    ) -> None:
        self.folder, self.path = folder, folder / f".{name}{'.' * bool(name)}lock"
        self._wait, self._tell = wait, tell
        self._handle = -1
        self._made: list[Path] = []

    def __enter__(self) -> Lock:
        for attempt in itertools.count():
            self._made = self._made or [path for path in (self.folder, *self.folder.parents) if not path.exists()]
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                self._handle = self._try()
            except (FileNotFoundError, FileExistsError):  # the one before us was taking the folder away
                if attempt == _ATTEMPTS:
                    raise
            if self._handle >= 0:
                break
        os.ftruncate(self._handle, 0)
        os.write(self._handle, _ourselves().encode(errors="backslashreplace"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # First the name: who opens it from now on has another file, and who has opened it sees that it is gone.
        with contextlib.suppress(OSError):
            self.path.unlink()
        os.close(self._handle)
        self._handle = -1
        with contextlib.suppress(OSError):
            for folder in self._made:
                folder.rmdir()  # which an empty folder alone allows

    def _try(self) -> int:
        """The open file with its lock in hand; -1 if the file was taken away in the meantime."""
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            if not self._got(handle):
                holder = printable(os.read(handle, 1000).decode(errors="replace")) or "another process"
                if not self._wait:
                    raise LockedError(f"{self.folder} is in use by {holder}")
                self._tell(f"waiting for {holder}, which is at work on the same in {self.folder}")
                flock(handle, LOCK_EX)
            if os.path.samestat(os.fstat(handle), os.stat(self.path)):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        return -1

    def _got(self, handle: int) -> bool:
        try:
            return try_lock(handle)
        except OSError as error:
            self._tell(f"{self.folder} cannot be locked ({error.strerror}): see that nobody else writes there")
            return True


class LockedError(ValueError):
    """A folder that another process writes to."""


def _ourselves() -> str:
    """Who holds the lock, in words."""
    program = os.path.basename(sys.argv[0])
    command = join(["nsa" if program == "__main__.py" else program, *sys.argv[1:]])
    shown = command if len(command) <= 200 else f"{command[:200]} ..."
    return f"process {os.getpid()} on {socket.gethostname()} ({shown})"
