"""Ctrl-C, answered otherwise for a while."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any


@contextmanager
def on_interrupt(answer: Any) -> Iterator[None]:
    """Within, Ctrl-C is answered so. Only the main thread hears of it: in another one nothing changes."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, answer)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
