"""The files that commands write: whole or not at all."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from evolution.files import write_atomically
from experiments.core.errors import UserError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Formats of figures.
FORMATS = ("png", "pdf", "svg")


def check_format(name: str) -> None:
    """Refuse a format that no figure has."""
    if name not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, got {name!r}")


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


def write_text(path: Path, text: str) -> None:
    """Write a text file."""
    write_atomically(path, lambda file: file.write(text.encode()))


def write_figure(path: Path, figure: Figure) -> None:
    """Write a figure in the format that the file's name says."""
    write_atomically(path, lambda file: figure.savefig(file, format=path.suffix.removeprefix("."), dpi=150))
