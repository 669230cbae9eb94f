"""Files of the user's own, read with care: regular ones, and no more of them than anybody writes by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

#: Bytes of a file at most, and how deeply JSON may be nested: far beyond any parameter set or model.
MOST_BYTES, DEEPEST = 4 << 20, 32


def read_bytes(path: str | Path) -> bytes:
    """What is in a file; a ValueError if there is none, or if it is a device, a pipe or too long."""
    path = Path(path)
    try:
        if path.exists() and not path.is_file():  # a fifo would keep us waiting, a device never ends
            raise OSError("not a regular file")
        with path.open("rb") as file:
            found = file.read(MOST_BYTES + 1)
        if len(found) > MOST_BYTES:
            raise OSError(f"longer than {MOST_BYTES >> 20} MB")
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror or error}") from None
    return found


def read_text(path: str | Path) -> str:
    """The text in a file."""
    try:
        return read_bytes(path).decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("not JSON: it is not a text file") from None


def parse_json(text: str) -> Any:
    """What a JSON text says; a ValueError if it says nothing, or is nested more deeply than what we write."""
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
