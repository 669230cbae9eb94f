"""Copies that share nothing with the original."""

from __future__ import annotations

import copy
from typing import Any


class Copied:
    """A mixin for things with a state and random numbers: ``copy.copy`` is ``copy.deepcopy``.

    A shallow copy would share arrays and the generator with the original, and both would play parts of one game.
    """

    def __copy__(self) -> Any:
        return copy.deepcopy(self)
