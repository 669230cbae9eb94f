"""Compiled code kept for further engines of the same model: generating it takes longer than many a game."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from brian2.core.preferences import prefs

Code = TypeVar("Code")


class KeptCode(Generic[Code]):
    """The latest compiled codes, by all that they were generated from. Threads may share them.

    Parameters
    ----------
    most : int
        How many are kept.
    """

    def __init__(self, most: int = 64) -> None:
        self._most, self._codes, self._lock = most, dict[Any, Code](), threading.Lock()

    def __len__(self) -> int:
        return len(self._codes)

    def get(self, generated_from: Any, make: Callable[[], Code]) -> Code:
        """Return the code that was generated from the same, under the same preferences of Brian2; else make it."""
        settings = repr({name: value for name, value in prefs.items() if name.startswith("codegen")})
        key = (generated_from, settings)
        with self._lock:
            code = self._codes.pop(key, None)
            if code is None:
                code = make()
            self._codes[key] = code
            if len(self._codes) > self._most:
                del self._codes[next(iter(self._codes))]
        return code
