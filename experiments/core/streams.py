"""Standard streams that can be written even if the caller closed them or the device is full."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import TextIO


@contextlib.contextmanager
def standard_streams() -> Iterator[None]:
    """Open closed standard streams; at the end, drop output that cannot be written.

    Else the first file that we open would get the descriptor of a closed stream, and the output of compilers and
    libraries would go into it.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            _to_devnull(number)
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115  # stays open
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a question mark for characters that the terminal cannot show
    try:
        yield
    finally:
        _flush(sys.stdout)
        _flush(sys.stderr)


def _flush(stream: TextIO) -> None:
    """Flush a stream; on failure discard its content, else Python would fail at exit and change the exit code."""
    try:
        stream.flush()
    except OSError:
        with contextlib.suppress(OSError):
            _to_devnull(stream.fileno())
            stream.flush()


def _to_devnull(number: int) -> None:
    devnull = os.open(os.devnull, os.O_RDWR)
    if devnull == number:
        os.set_inheritable(number, True)
        return
    os.dup2(devnull, number)
    os.close(devnull)
