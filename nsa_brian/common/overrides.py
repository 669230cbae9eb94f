"""Whether a class overrides methods, which short cuts for the inherited ones would then miss."""

from __future__ import annotations


def overrides(kind: type, base: type, *names: str) -> bool:
    """Return whether a class has another version of one of these methods than a class that it derives from."""
    return any(getattr(kind, name) is not getattr(base, name) for name in names)
