"""The files that commands write: whole or not at all."""

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

#: Of a file name that we make up; a file system allows about 250.
MOST_CHARACTERS = 200


def check_format(name: str) -> None:
    """Refuse a format that no figure has."""
    if name not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, got {name!r}")


def writable_folder(name: str) -> Path:
    """The folder, made if need be; refused now rather than after the work if it cannot be written."""
    if not name:
        raise UserError("--out names nothing")
    folder = Path(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UserError(f"--out {_shown(name)} cannot be written: {error.strerror}") from None
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


def file_stem(name: str) -> str:
    """Return a file name for any name: a different one for each, and legal on the file system."""
    stem = quote(name, safe=" ,=+@" if os.name == "nt" else " :,=+@", errors="surrogateescape")
    if len(stem) > MOST_CHARACTERS:
        stem = f"{stem[:100]}-{hashlib.sha256(os.fsencode(name)).hexdigest()}"
    return stem


def write_text(path: Path, text: str) -> None:
    """Write a text file; of names that are no text, what is none is escaped."""
    write_bytes(path, text.encode(errors="backslashreplace"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file."""
    write_atomically(path, lambda file: file.write(content))


def _shown(name: str) -> str:
    """A name that may be long, for an error."""
    return name if len(name) <= 100 else f"{name[:100]}..."
