"""The user's mistakes, told apart from ours: one line and exit code 2 for those, a traceback for these."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class UserError(Exception):
    """A mistake in what the user asked for."""


@contextmanager
def blame_user() -> Iterator[None]:
    """Around the reading of options and files: what they are refused for is the user's to mend."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise UserError(str(error)) from error


def at_least(settings: object, **bounds: int) -> None:
    """Refuse whole numbers below their bounds, each given by the name of an attribute."""
    for name, bound in bounds.items():
        value = getattr(settings, name)
        if value < bound:
            raise ValueError(f"{name} must be a whole number from {bound} up, got {value}")
