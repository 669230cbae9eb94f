"""Reading of user files: regular files only, with a size limit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

#: Maximal file size in bytes and maximal nesting of JSON, far above any parameter set or model.
MOST_BYTES, DEEPEST = 4 << 20, 32


def read_bytes(path: str | Path) -> bytes:
    """Return the content of a file; raise a ValueError if it is missing, not a regular file or too long."""
    path = Path(path)
    try:
        if path.exists() and not path.is_file():  # reading a pipe blocks, and a device has no end
            raise OSError("not a regular file")
        with path.open("rb") as file:
            found = file.read(MOST_BYTES + 1)
        if len(found) > MOST_BYTES:
            raise OSError(f"longer than {MOST_BYTES >> 20} MB")
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror or error}") from None
    return found


def read_text(path: str | Path) -> str:
    """Return the text of a file."""
    try:
        return read_bytes(path).decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("not JSON: it is not a text file") from None


def parse_json(text: str) -> Any:
    """Parse JSON; raise a ValueError if it is malformed or nested too deeply."""
    try:
        record = json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from None
    level = [record]
    for _ in range(DEEPEST):
        level = [part for each in level for part in _parts(each)]
        if not level:
            return record
    raise ValueError("nested too deeply")


def _parts(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
