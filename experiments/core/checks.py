"""Checks that many settings share."""

from __future__ import annotations


def at_least(settings: object, **bounds: int) -> None:
    """Refuse whole numbers below their bounds, each given by the name of an attribute."""
    for name, bound in bounds.items():
        value = getattr(settings, name)
        if value < bound:
            raise ValueError(f"{name} must be a whole number from {bound} up, got {value}")
