"""Whole numbers within bounds, refused in the same words wherever they are given."""

from __future__ import annotations

from nsa_brian.common.texts import shown

#: More than any machine gets through, and few enough to be counted in 32 bits.
MOST = 2**31 - 1


def check_whole(name: str, value: int, least: int, most: int | None = MOST) -> None:
    """Refuse a number that is none, below its bound, or beyond all use; ``most`` is None where any will do."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} must be a whole number from {least} up, got {shown(value)}")
    if most is not None and value > most:
        raise ValueError(f"{name} must be at most {most}, got {shown(value)}")
