"""The ``nsa`` command: finds the subcommand that is asked for and imports that one alone."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Sequence
from importlib.metadata import version
from typing import NoReturn

from experiments.registry import ENTRIES, command

NAMES = tuple(entry.name for entry in ENTRIES)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and leave with exit code 2."""
        self.exit(2, f"{self.prog}: error: {message}\n")


def build_parser(asked: Collection[str] = NAMES) -> argparse.ArgumentParser:
    """The parser, with the options of some subcommands and the names of all."""
    parser = Parser(prog="nsa", description="The Neural Selection Agreement model on Brian2, and the bandits it plays.")
    parser.add_argument("--version", action="version", version=f"nsa-brian {version('nsa-brian')}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for entry in ENTRIES:
        own = commands.add_parser(entry.name, help=entry.help, description=entry.help)
        if entry.name in asked:
            command(entry).declare(own)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    if sys.stdout is not None and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a terminal that cannot show a letter shows a question mark
    words = sys.argv[1:] if argv is None else argv
    asked = [word for word in words if not word.startswith("-")][:1]
    args = build_parser(asked).parse_args(words)
    return args.main(args)
