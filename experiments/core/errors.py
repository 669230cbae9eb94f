"""The user's mistakes, told apart from ours: one line and exit code 2 for those, a traceback for these."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from nsa_brian.common.checks import MOST, check_whole
from nsa_brian.common.plugins import PluginError
from nsa_brian.errors import RunawayError


class UserError(Exception):
    """A mistake in what the user asked for."""


@contextmanager
def blame_user() -> Iterator[None]:
    """Around the reading of options and files: what they are refused for is the user's to lenient."""
    try:
        yield
    except OSError as error:
        raise UserError(os_error_text(error)) from error
    except ValueError as error:
        raise UserError(str(error)) from error


def os_error_text(error: OSError) -> str:
    """What the system says, and of which file."""
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error}"


@contextmanager
def blame_file(name: object, called: str) -> Iterator[None]:
    """Around all that is made of a file whose form is right: what fails there fails for what is in the file."""
    try:
        yield
    except (MemoryError, UserError, RunawayError, PluginError, OSError):
        raise
    except Exception as error:
        told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise UserError(f"{name} has the form of {called}, but nothing can be made of it ({told[:200]})") from error


def at_least(settings: object, **bounds: int) -> None:
    """Refuse whole numbers below their bounds, each given by the name of an attribute, or beyond all use.

    Any seed will do, however large.
    """
    for name, bound in bounds.items():
        check_whole(name, getattr(settings, name), bound, None if name == "seed" else MOST)
