"""Atomic writing of output files, and checks of output paths."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from urllib.parse import quote

from experiments.core.errors import UserError
from nsa_brian.common.atomic import write_atomically

#: Formats of figures.
FORMATS = ("png", "pdf", "svg")

#: Longest generated file name; file systems allow about 250 characters.
MOST_CHARACTERS = 200


def check_format(name: str) -> None:
    """Raise a ValueError for an unknown figure format."""
    if name not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, got {name!r}")


def writable_folder(name: str) -> Path:
    """Create and return a folder; raise a UserError if it is not writable."""
    if not name:
        raise UserError("--out needs a value")
    folder = Path(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UserError(f"--out {_shown(name)} cannot be written: {error.strerror}") from None
    return folder


def writable_file(name: str, suffix: str) -> Path:
    """Return the path of an output file; raise a UserError if it is not writable."""
    path = Path(name)
    if path.suffix != suffix or path.is_dir():
        raise UserError(f"the file to write must be a {suffix} file, got {name}")
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise UserError(f"{name} cannot be written: {error.strerror}") from None
    return path


def new_file(name: str, suffix: str, replace: bool) -> Path:
    """Return the path of an output file; raise a UserError if it exists, unless it may be replaced."""
    path = writable_file(name, suffix)
    if path.exists() and not replace:
        raise UserError(f"{name} exists; --force replaces it")
    return path


def file_stem(name: str) -> str:
    """Return a unique and legal file name for any name."""
    stem = quote(name, safe=" ,=+@" if os.name == "nt" else " :,=+@", errors="surrogateescape")
    if len(stem) > MOST_CHARACTERS:
        stem = f"{stem[:100]}-{hashlib.sha256(os.fsencode(name)).hexdigest()}"
    return stem


def write_text(path: Path, text: str) -> None:
    """Write a text file; characters that cannot be encoded are escaped."""
    write_bytes(path, text.encode(errors="backslashreplace"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file."""
    write_atomically(path, lambda file: file.write(content))


def _shown(name: str) -> str:
    """Return a name, shortened if it is long."""
    return name if len(name) <= 100 else f"{name[:100]}..."
