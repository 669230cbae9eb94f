"""Files that are whole or not there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO


def write_atomically(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Let ``write`` fill a file that takes its name only when it is complete."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
        os.chmod(temporary, 0o666 & ~_umask())  # mkstemp makes files that only their owner reads
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    """The user's mask of file permissions; there is no way to read it but to set it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
