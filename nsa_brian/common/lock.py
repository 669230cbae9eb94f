"""A lock on a folder, so that one process at a time writes there."""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from shlex import join
from types import TracebackType

from filelock import lock_descriptor

from nsa_brian.common.atomic import WINDOWS
from nsa_brian.common.texts import printable

#: Attempts to create a folder that other processes keep removing.
_ATTEMPTS = 100


class Lock:
    """Context manager that holds the lock of a folder, as at most one process at a time.

    The lock is one of the operating system, on a file that names the holder; it is freed when the process ends, even if
    it is killed. Reading needs no lock, since all files are written atomically.

    On a file system without locks every process gets the lock, and ``tell`` receives a warning.

    Parameters
    ----------
    folder : Path
        Created if missing; folders created here are removed at the end if they are empty.
    name : str
        Name of the part to lock; by default the whole folder.
    wait : bool
        Wait until the lock is free instead of raising an error.
    tell : callable
        Called with a line of text that names the process we wait for.

    Raises
    ------
    LockedError
        If another process holds the lock and ``wait`` is False.
    """

    def __init__(
        self, folder: Path, name: str = "", wait: bool = False, tell: Callable[[str], object] = lambda text: None
    ) -> None:
        self.folder, self.path = folder, folder / f".{name}{'.' * bool(name)}lock"
        self._wait, self._tell = wait, tell
        self._handle = -1
        self._created: list[Path] = []

    def __enter__(self) -> Lock:
        for attempt in itertools.count():
            self._created = self._created or [path for path in (self.folder, *self.folder.parents) if not path.exists()]
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                self._handle = self._try()
            except (FileNotFoundError, FileExistsError):  # the previous holder was removing the folder
                if attempt == _ATTEMPTS:
                    raise
            if self._handle >= 0:
                break
        os.ftruncate(self._handle, 0)
        # On Windows no other process can read the locked first byte, so the text begins with the second.
        os.write(self._handle, f" {_this_process()}".encode(errors="backslashreplace"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Remove the file before freeing the lock: a process that waits for it sees that it is gone, and tries again.
        with contextlib.suppress(OSError):
            self.path.unlink()
        os.close(self._handle)
        self._handle = -1
        with contextlib.suppress(OSError):
            if WINDOWS:
                self.path.unlink()  # fails if another process has opened it
            for folder in self._created:
                folder.rmdir()  # fails if it is not empty

    def _try(self) -> int:
        """Open and lock the file; return its descriptor, or -1 if the file was removed in the meantime."""
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            if not self._locked(handle):
                os.lseek(handle, 1, os.SEEK_SET)
                holder = printable(os.read(handle, 1000).decode(errors="replace")) or "another process"
                if not self._wait:
                    raise LockedError(f"{self.folder} is in use by {holder}")
                self._tell(f"waiting for {holder}, which holds the lock of {self.folder}")
                lock_descriptor(handle)
                os.lseek(handle, 0, os.SEEK_SET)
            if WINDOWS or os.path.samestat(os.fstat(handle), os.stat(self.path)):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        return -1

    def _locked(self, handle: int) -> bool:
        """Try to lock an open file; return whether we hold the lock, or the file system has no locks."""
        try:
            return lock_descriptor(handle, blocking=False)
        except OSError as error:
            self._tell(f"{self.folder} cannot be locked ({error.strerror}): make sure no other process writes there")
            return True


class LockedError(ValueError):
    """The folder is locked by another process."""


def _this_process() -> str:
    """Return the id, host and command line of this process."""
    program = os.path.basename(sys.argv[0])
    command = join(["nsa" if program == "__main__.py" else program, *sys.argv[1:]])
    shown = command if len(command) <= 200 else f"{command[:200]} ..."
    return f"process {os.getpid()} on {socket.gethostname()} ({shown})"
