"""The old place of :mod:`nsa_brian.common.lock`; it goes with 0.4."""

import warnings
from typing import Any

from nsa_brian.common import lock


def __getattr__(name: str) -> Any:
    found = getattr(lock, name)
    warnings.warn(f"evolution.lock.{name} has moved to nsa_brian.common.lock.{name}", DeprecationWarning, stacklevel=2)
    return found
