"""The parser of ``nsa``: finds the subcommand that is asked for and imports that one alone."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from importlib.metadata import version
from typing import Any, NoReturn

from experiments.registry import ENTRIES, command
from nsa_brian.common.texts import MOST, cut, printable, shorten

NAMES = tuple(entry.name for entry in ENTRIES)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    #: What was given on the command line.
    _words: tuple[str, ...] = ()

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, with 80 characters of a wrong value, and leave with exit code 2."""
        message = " ".join(message.split())
        for word in self._words:
            given = " ".join(word.split())
            message = message.replace(given, cut(given)) if len(given) > MOST else message
        self.exit(2, f"{self.prog}: error: {printable(shorten(message))}\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse ``--rounds=--``, of which older versions of Python make an empty list."""
        for word in args or ():
            self._words += (word, word.partition("=")[2])
            if word.startswith("--") and word.endswith("=--"):
                self.error(f"argument {word.removesuffix('=--')}: expected one argument")
        return super().parse_known_args(args, namespace)


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


def parse(words: Sequence[str]) -> argparse.Namespace:
    """What a command line says; ``main`` of it runs the command."""
    for word in words:  # before Brian2 is imported, which writes them to its log
        if any("\ud800" <= character <= "\udfff" for character in word):  # bytes that were no UTF-8
            Parser(prog="nsa").error(f"names must be UTF-8, got {word!a}")
    asked = [word for word in words if not word.startswith("-")][:1]
    return build_parser(asked).parse_args(words)
