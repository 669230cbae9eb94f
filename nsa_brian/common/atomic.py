"""Atomic file writes: a file is complete or absent, even if its writer is killed."""

from __future__ import annotations

import contextlib
import glob
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from filelock import lock_descriptor

#: Windows can neither rename nor remove an open file.
WINDOWS = os.name == "nt"

#: Characters of a file's name in the name of its temporary file; file systems allow about 250 bytes.
_RECOGNIZED = 50


def write_atomically(path: Path, write: Callable[[IO[bytes]], object], lasting: bool = True) -> None:
    """Call ``write`` on a temporary file, then rename it; ``lasting`` waits until it is on disk (fsync).

    The temporary file is locked. If the writer is killed, the file stays, the operating system frees the lock, and the
    next writer of the same path removes it.

    Raises
    ------
    OSError
        With the file's name, if the disk is full or the folder cannot be written.
    """
    try:
        _remove_abandoned(path)
        handle, part = _new_part(path)
        try:
            with os.fdopen(handle, "wb") as file:
                write(file)
                file.flush()
                if lasting:
                    os.fsync(handle)
                os.chmod(part, 0o666 & ~_umask())  # mkstemp creates files that only their owner can read
                if not WINDOWS:
                    os.replace(part, path)  # while the lock is held
            if WINDOWS:
                os.replace(part, path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(part)
            raise
        if lasting and not WINDOWS:
            _sync_folder(path.parent)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None


def _new_part(path: Path) -> tuple[int, str]:
    """Create a temporary file in the same folder, and lock it."""
    while True:
        handle, part = tempfile.mkstemp(dir=path.parent, prefix=_part_prefix(path), suffix=".part")
        try:
            locked = lock_descriptor(handle, blocking=False)
        except OSError:  # this file system has no locks, so no writer removes temporary files
            return handle, part
        if locked and os.path.exists(part):  # otherwise another writer removed it as abandoned
            return handle, part
        os.close(handle)


def _remove_abandoned(path: Path) -> None:
    """Remove temporary files of killed writers, recognised by their free lock."""
    for part in path.parent.glob(f"{glob.escape(_part_prefix(path))}*.part"):
        with contextlib.suppress(OSError):  # removed meanwhile, or owned by another user
            with part.open("rb") as file:
                abandoned = lock_descriptor(file.fileno(), blocking=False)
                if abandoned and not WINDOWS:
                    part.unlink()  # while the lock is held
            if abandoned and WINDOWS:
                part.unlink()


def _part_prefix(path: Path) -> str:
    return f".{path.name[:_RECOGNIZED]}."


def _sync_folder(folder: Path) -> None:
    """Flush a folder, and so the new name of a file in it, to disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:  # some file systems cannot do this for folders
        pass
    finally:
        os.close(handle)


def _umask() -> int:
    """Return the umask, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
