"""Argument parser of ``nsa``. Only the requested subcommand is imported."""

from __future__ import annotations

import argparse
import shutil
import textwrap
from collections.abc import Collection, Sequence
from importlib.metadata import version
from typing import Any, NoReturn

from experiments.registry import ENTRIES, GROUPS, command
from nsa_brian.common.texts import MOST, cut, printable, shorten

NAMES = tuple(entry.name for entry in ENTRIES)


class Parser(argparse.ArgumentParser):
    """Argument parser with errors of one line."""

    #: Arguments of the command line.
    _words: tuple[str, ...] = ()

    def error(self, message: str) -> NoReturn:
        """Print the error, long values cut to 80 characters, and exit with code 2."""
        message = " ".join(message.split())
        for word in self._words:
            given = " ".join(word.split())
            message = message.replace(given, cut(given)) if len(given) > MOST else message
        self.exit(2, f"{self.prog}: error: {printable(shorten(message))}\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Make ``--rounds=--`` an error; older versions of Python read it as an empty list."""
        for word in args or ():
            self._words += (word, word.partition("=")[2])
            if word.startswith("--") and word.endswith("=--"):
                self.error(f"argument {word.removesuffix('=--')}: expected one argument")
        return super().parse_known_args(args, namespace)


def build_parser(asked: Collection[str] = NAMES) -> argparse.ArgumentParser:
    """Return the parser with the names of all subcommands and the options of some."""
    parser = Parser(
        prog="nsa",
        description="The Neural Selection Agreement model on Brian2, and the bandits it plays.",
        epilog=f"{commands_help()}\n\n`nsa COMMAND --help` lists the options of a command.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"nsa-brian {version('nsa-brian')}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, help="one of the commands below")
    for entry in ENTRIES:
        own = commands.add_parser(entry.name, description=entry.help)  # listed by commands_help, not by argparse
        if entry.name in asked:
            command(entry).declare(own)
    return parser


def commands_help() -> str:
    """Return the list of all commands, in groups."""
    indent = max(map(len, NAMES)) + 4
    width = max(shutil.get_terminal_size().columns - 2, indent + 20)
    return "\n\n".join(
        "\n".join(
            [f"{group}:"]
            + [
                textwrap.fill(
                    entry.help, width, initial_indent=f"  {entry.name}".ljust(indent), subsequent_indent=" " * indent
                )
                for entry in ENTRIES
                if entry.group == group
            ]
        )
        for group in GROUPS
    )


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Parse a command line; ``main`` of the result runs the command."""
    for word in words:  # before Brian2 is imported, which logs them
        if any("\ud800" <= character <= "\udfff" for character in word):  # bytes that are not UTF-8
            Parser(prog="nsa").error(f"names must be UTF-8, got {word!a}")
    asked = [word for word in words if not word.startswith("-")][:1]
    return build_parser(asked).parse_args(words)
