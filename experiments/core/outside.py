"""The outside world: what it does to a command becomes one line and an exit code, here and nowhere else."""

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
    """Within, what is not our own mistake ends the command with one line and an exit code.

    Notes of an exception (``add_note``), such as how to go on, are told with it.
    """
    try:
        yield
        sys.stdout.flush()  # a full device says so now
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
    ) as error:  # a model may fail when it runs
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
    """Tell the user something beside the outcome, in one line."""
    with contextlib.suppress(OSError):
        print(f"note: {printable(text)}", file=sys.stderr, flush=True)
