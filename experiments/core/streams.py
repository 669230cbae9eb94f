"""The standard streams, so that they can be written to whatever the caller has closed or filled."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import TextIO


@contextlib.contextmanager
def standard_streams() -> Iterator[None]:
    """Within, all three are open; at the end what cannot be written is given up in silence.

    The number of a stream that was closed would be given to the first file that we open, and what compilers and
    libraries print would go into that file.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            _to_nowhere(number)
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115  # until the end
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a terminal that cannot show a letter shows a question mark
    try:
        yield
    finally:
        _settle(sys.stdout)
        _settle(sys.stderr)


def _settle(stream: TextIO) -> None:
    """Flush a stream, for the last time: Python would try again at its end, complain, and change the exit code."""
    try:
        stream.flush()
    except OSError:
        with contextlib.suppress(OSError):
            _to_nowhere(stream.fileno())
            stream.flush()


def _to_nowhere(number: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    if nowhere == number:
        os.set_inheritable(number, True)
        return
    os.dup2(nowhere, number)
    os.close(nowhere)
