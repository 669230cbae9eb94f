"""User errors, which print one line and exit with code 2; bugs print a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from nsa_brian.common.checks import MOST, check_whole
from nsa_brian.common.plugins import PluginError
from nsa_brian.errors import RunawayError


class UserError(Exception):
    """An error caused by the user's options or files."""


@contextmanager
def blame_user() -> Iterator[None]:
    """Convert ValueError and OSError to UserError, where options and files are read."""
    try:
        yield
    except OSError as error:
        raise UserError(os_error_text(error)) from error
    except ValueError as error:
        raise UserError(str(error)) from error


def os_error_text(error: OSError) -> str:
    """Return the message of an OSError with its file name."""
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error}"


@contextmanager
def blame_file(name: object, called: str) -> Iterator[None]:
    """Convert exceptions to UserError, where the content of a well-formed file is used."""
    try:
        yield
    except (MemoryError, UserError, RunawayError, PluginError, OSError):
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise UserError(f"{name} is {called}, but its content is invalid ({reason[:200]})") from error


def at_least(settings: object, **bounds: int) -> None:
    """Raise a ValueError if attributes are not integers from their bounds up to a common maximum (none for seed)."""
    for name, bound in bounds.items():
        check_whole(name, getattr(settings, name), bound, None if name == "seed" else MOST)
