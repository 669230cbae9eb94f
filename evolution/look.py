"""Deprecated: this module is now :mod:`evolution.screening`."""

import warnings
from typing import Any

from evolution import screening


def __getattr__(name: str) -> Any:
    if name != "Look":
        raise AttributeError(f"module 'evolution.look' has no attribute {name!r}")
    warnings.warn("evolution.look.Look is now evolution.screening.Screening", DeprecationWarning, stacklevel=2)
    return screening.Screening
