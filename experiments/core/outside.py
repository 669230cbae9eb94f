"""Map exceptions to exit codes and messages."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator
from typing import NoReturn

from evolution.workers import WorkersLostError
from experiments.core.errors import UserError, os_error_text
from experiments.core.exit_codes import STOPPED, UNREAD
from experiments.core.surroundings import out_of_memory
from nsa_brian.common.plugins import PluginError
from nsa_brian.errors import ModelError, printable


@contextlib.contextmanager
def answering(parser: argparse.ArgumentParser) -> Iterator[None]:
    """Exit with one line and an exit code on errors of the user or the system.

    Notes of the exception (``add_note``), such as how to resume, are part of the line.
    """
    try:
        yield
        sys.stdout.flush()  # raises here if the device is full
    except KeyboardInterrupt as error:
        parser.exit(STOPPED, f"\n{_notes(error) or 'stopped'}\n")
    except BrokenPipeError as error:
        parser.exit(UNREAD, f"{parser.prog}: {_notes(error)}\n" if _notes(error) else None)
    except MemoryError as error:
        _leave(parser, error, "not enough memory for games of that size")
    except OSError as error:
        _leave(parser, error, os_error_text(error))
    except (
        UserError,
        ModelError,
        PluginError,
        WorkersLostError,
    ) as error:  # models can fail at run time
        _leave(parser, error, str(error))
    except (ImportError, RuntimeError) as error:
        if not out_of_memory(error):
            raise
        _leave(parser, error, out_of_memory(error))


def _leave(parser: argparse.ArgumentParser, error: BaseException, text: str) -> NoReturn:
    whole = "; ".join(part for part in (text, _notes(error)) if part)
    parser.error(whole)


def _notes(error: BaseException) -> str:
    return "; ".join(getattr(error, "__notes__", ()))


def note(text: str) -> None:
    """Print a note to stderr, in one line."""
    with contextlib.suppress(OSError):
        print(f"note: {printable(text)}", file=sys.stderr, flush=True)
