"""Test whether a class overrides methods, so that fast paths that bypass them must not be taken."""

from __future__ import annotations


def overrides(kind: type, base: type, *names: str) -> bool:
    """Return whether a class overrides one of these methods of its base class."""
    return any(getattr(kind, name) is not getattr(base, name) for name in names)
