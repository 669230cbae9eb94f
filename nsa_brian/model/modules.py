"""Run users' Python files, without importing Brian2."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path
from types import ModuleType

from nsa_brian.common.user_files import read_bytes
from nsa_brian.errors import printable


def load_module(path: str | Path) -> ModuleType:
    """Run a user's Python file; an error in it becomes a ValueError of one line."""
    return run_module(path, read_source(path))


def read_source(path: str | Path) -> bytes:
    """Return the content of a user's Python file."""
    try:
        if not os.path.exists(path):
            raise ValueError("there is no such file")
        return read_bytes(path)
    except ValueError as error:
        raise ValueError(f"{printable(str(path))}: {error}") from None


def run_module(path: str | Path, source: bytes) -> ModuleType:
    """Run the source of a file as a module; the file itself need not exist."""
    key = hashlib.sha256(str(Path(path).resolve()).encode()).hexdigest()[:12]
    module = ModuleType(f"nsa_user_{key}")
    module.__file__ = str(path)
    before = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module  # so that what it defines can be pickled
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        del sys.modules[module.__name__]
        if before is not None:
            sys.modules[module.__name__] = before
        message = " ".join(str(error).split())
        if not (isinstance(error, ValueError) and message):  # messages of the package need no class name
            message = f"{type(error).__name__}: {message[:300]}"
        if isinstance(error, ImportError):
            message += " (such a file can import installed packages, but no files beside it)"
        raise ValueError(f"{printable(str(path))}: {printable(message)}") from error
    return module
