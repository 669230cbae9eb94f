"""Errors in user code, reported in one line with the file, the line and the exception."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

#: Prefix of the names of modules loaded from user files.
USER_MODULE = "nsa_user_"


class PluginError(ValueError):
    """A user's bandit, policy or function that fails, or breaks its contract."""


def is_users(kind: type) -> bool:
    """Return whether a class was defined in a user file."""
    return kind.__module__.startswith(USER_MODULE)


def described(kind: type) -> str:
    """Return the name of a class, with the user file that defines it."""
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return f"{kind.__name__} of {file}" if is_users(kind) and file else kind.__name__


@contextmanager
def naming_plugins(**parts: object) -> Iterator[None]:
    """Convert exceptions caused by user code in the ``with`` block into a :class:`PluginError`.

    Parameters
    ----------
    **parts
        Objects that may be of user classes, by role: ``policy=agent``. The error names the first of them if the
        exception was raised outside user files, for example because of a value that user code returned.
    """
    try:
        yield
    except (PluginError, MemoryError):
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__) if _in_users_file(frame.f_globals)]
        if frames:
            code, line = frames[-1].f_code, _line(error, frames[-1])
            where = getattr(code, "co_qualname", code.co_name)
            raise PluginError(f"{code.co_filename}, line {line}, in {where}: {said[:300]}") from error
        users = {what: part for what, part in parts.items() if is_users(type(part))}
        if not users:
            raise
        what, part = next(iter(users.items()))
        raise PluginError(f"{what} {described(type(part))}: {said[:300]}") from error


def _in_users_file(names: dict[str, object]) -> bool:
    return str(names.get("__name__", "")).startswith(USER_MODULE)


def _line(error: BaseException, wanted: object) -> int:
    return next(line for frame, line in traceback.walk_tb(error.__traceback__) if frame is wanted)
