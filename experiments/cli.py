"""Entry point of ``nsa``. Ctrl-C prints one line rather than a traceback, also during imports."""

from __future__ import annotations

import os
import signal
import sys
from _thread import interrupt_main
from importlib import import_module
from threading import Timer, current_thread, main_thread
from types import FrameType
from typing import Any

from experiments.core.exit_codes import STOPPED
from experiments.core.surroundings import check_address_space, out_of_memory, spare_other_packages


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    if argv is None:
        spare_other_packages()
    before = _on_ctrl_c(_leave)  # there is nothing to clean up yet
    hook, sys.unraisablehook = sys.unraisablehook, _reraise_interrupt
    try:
        check_address_space()
        streams, parser = map(import_module, ("experiments.core.streams", "experiments.parser"))
        with streams.standard_streams():
            args = parser.parse(sys.argv[1:] if argv is None else argv)
            _on_ctrl_c(before)
            return args.main(args)
    except (MemoryError, ImportError, OSError) as error:
        if not out_of_memory(error):
            raise
        print(f"nsa: error: {out_of_memory(error)}", file=sys.stderr)
        return 2
    finally:
        sys.unraisablehook = hook
        _on_ctrl_c(before)


def _on_ctrl_c(handler: Any) -> Any:
    """Replace the SIGINT handler and return the old one; do nothing outside the main thread."""
    return signal.signal(signal.SIGINT, handler) if current_thread() is main_thread() else None


def _leave(number: int, frame: FrameType | None) -> None:
    """Exit at once. An exception would be raised inside half-imported modules."""
    os.write(2, b"\nstopped\n")
    os._exit(STOPPED)


def _reraise_interrupt(lost: Any) -> None:
    """Raise Ctrl-C again if Python dropped it, as it drops exceptions raised in finalizers."""
    if lost.exc_type is KeyboardInterrupt:
        # On Windows, os.kill would end this process.
        again = (interrupt_main, ()) if os.name == "nt" else (os.kill, (os.getpid(), signal.SIGINT))
        Timer(0.01, *again).start()
    else:
        sys.__unraisablehook__(lost)
