"""The files that commands write: whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from experiments.errors import UserError

#: Formats of figures.
FORMATS = ("png", "pdf", "svg")


def check_format(name: str) -> None:
    """Refuse a format that no figure has."""
    if name not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, got {name!r}")


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


def writable_folder(name: str) -> Path:
    """The folder, made if need be; refused now rather than after the work if it cannot be written."""
    folder = Path(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UserError(f"--out {name} cannot be written: {error.strerror}") from None
    return folder


def writable_file(name: str, suffix: str) -> Path:
    """The path of a file to be written; refused now rather than after the work if it cannot be."""
    path = Path(name)
    if path.suffix != suffix or path.is_dir():
        raise UserError(f"the file to write must be a {suffix} file, got {name}")
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise UserError(f"{name} cannot be written: {error.strerror}") from None
    return path
