"""Files that are whole or not there, whatever ends the one who writes them."""

from __future__ import annotations

import fcntl
import glob
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

#: Bytes of a file's name that the name of its unfinished part begins with; a file system allows about 250.
_RECOGNIZED = 100


def write_atomically(path: Path, write: Callable[[IO[bytes]], object], lasting: bool = True) -> None:
    """Let ``write`` fill a file that takes its name only when it is complete and, if it is to last, on the disk.

    A writer that is killed leaves an unfinished part behind, with a lock that died with it. Whoever writes the same
    file next clears it away.

    Raises
    ------
    OSError
        With the file's name, if the disk is full or the folder cannot be written.
    """
    try:
        _clear_parts(path)
        handle, part = _new_part(path)
        with os.fdopen(handle, "wb") as file:
            try:
                write(file)
                file.flush()
                if lasting:
                    os.fsync(handle)
                os.chmod(part, 0o666 & ~_umask())  # mkstemp makes files that only their owner reads
                os.replace(part, path)
            except BaseException:
                os.unlink(part)
                raise
        if lasting:
            _sync_folder(path.parent)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None


def try_lock(handle: int) -> bool:
    """Take the lock of an open file, which the kernel frees when its owner ends; whether nobody else has it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _new_part(path: Path) -> tuple[int, str]:
    """A file to be filled, in the same folder and locked."""
    while True:
        handle, part = tempfile.mkstemp(dir=path.parent, prefix=_part_prefix(path), suffix=".part")
        try:
            locked = try_lock(handle)
        except OSError:  # no locks on this file system: then nobody clears anything away either
            return handle, part
        if locked and os.path.exists(part):  # else somebody took it for left behind in the meantime
            return handle, part
        os.close(handle)


def _clear_parts(path: Path) -> None:
    """Remove what killed writers of a file have left."""
    for part in path.parent.glob(f"{glob.escape(_part_prefix(path))}*.part"):
        try:
            with part.open("rb") as file:
                if try_lock(file.fileno()):
                    part.unlink()
        except OSError:  # it is gone, or not ours
            continue


def _part_prefix(path: Path) -> str:
    return f".{os.fsdecode(os.fsencode(path.name)[:_RECOGNIZED])}."


def _sync_folder(folder: Path) -> None:
    """Put a file's new name on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:  # some file systems have no such thing for folders
        pass
    finally:
        os.close(handle)


def _umask() -> int:
    """The user's mask of file permissions; there is no way to read it but to set it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
