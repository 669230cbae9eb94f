"""Handling of Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any


@contextmanager
def on_interrupt(handler: Any) -> Iterator[None]:
    """Temporarily replace the SIGINT handler. Does nothing outside the main thread, where it cannot be set."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
