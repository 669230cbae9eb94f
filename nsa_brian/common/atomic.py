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

#: Characters of a file's name that the name of its temporary file begins with; a file system allows some 250 bytes.
_RECOGNIZED = 50


def write_atomically(path: Path, write: Callable[[IO[bytes]], object], lasting: bool = True) -> None:
    """Let ``write`` fill a temporary file, then rename it; ``lasting`` waits until it is on the disk.

    A killed writer leaves its temporary file behind, and the operating system frees the lock on it. The next writer of
    the same file removes it.

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
                os.chmod(part, 0o666 & ~_umask())  # mkstemp makes files that only their owner reads
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
        except OSError:  # no locks on this file system: nobody removes temporary files there
            return handle, part
        if locked and os.path.exists(part):  # else another writer took it for abandoned
            return handle, part
        os.close(handle)


def _remove_abandoned(path: Path) -> None:
    """Remove temporary files of killed writers: those that nobody holds a lock on."""
    for part in path.parent.glob(f"{glob.escape(_part_prefix(path))}*.part"):
        with contextlib.suppress(OSError):  # it is gone, or another user's
            with part.open("rb") as file:
                abandoned = lock_descriptor(file.fileno(), blocking=False)
                if abandoned and not WINDOWS:
                    part.unlink()  # while the lock is held
            if abandoned and WINDOWS:
                part.unlink()


def _part_prefix(path: Path) -> str:
    return f".{path.name[:_RECOGNIZED]}."


def _sync_folder(folder: Path) -> None:
    """Write a file's new name to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:  # some file systems cannot do this for folders
        pass
    finally:
        os.close(handle)


def _umask() -> int:
    """The user's mask of file permissions, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
