"""Commands: what the ``nsa`` parser wants of each, and how the user's mistakes are answered."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from experiments.core.errors import UserError, blame_user
from experiments.core.named import reading_once
from nsa_brian.errors import ModelError
from nsa_brian.plugins import load_plugins

PLUGIN_HELP = "run it first, in every process: it enters bandits, policies or models of your own; repeatable"


@dataclass(frozen=True)
class Command:
    """A subcommand of ``nsa``: the end of its help, its options, and what it does with them."""

    epilog: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int | None]

    def declare(self, parser: argparse.ArgumentParser) -> None:
        """Fill its parser."""
        parser.epilog, parser.formatter_class = self.epilog, argparse.RawDescriptionHelpFormatter
        self.add_arguments(parser)
        parser.add_argument("--plugin", metavar="FILE.py", action="append", default=[], help=PLUGIN_HELP)
        parser.set_defaults(main=partial(self.main, parser))

    def main(self, parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
        """Run it and answer the user's mistakes in one line; returns the exit code."""
        try:
            with blame_user():
                load_plugins(args.plugin)
            with reading_once():
                code = self.run(args)
            if sys.stdout is not None:
                sys.stdout.flush()
            return code or 0
        except (UserError, ModelError) as error:  # a model may come to nothing only when it is run
            parser.error(" ".join(str(error).split()))
        except KeyboardInterrupt:
            print("\nstopped", file=sys.stderr)
            return 130
        except MemoryError:
            parser.error("not enough memory for games of that size")
        except BrokenPipeError:  # the reader of our output, such as `head`, has had enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Declare ``--workers``."""
    text = "processes; they change the time only (default 1)"
    parser.add_argument("--workers", type=int, default=1, metavar="N", help=text)


def add_out(parser: argparse.ArgumentParser) -> None:
    """Declare ``--out``."""
    parser.add_argument("--out", metavar="DIR", default="nsa-results", help="where the files go (default nsa-results)")
