"""The ``nsa`` command. Subcommands import what they need when they run, so that ``nsa --help`` answers at once."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, NoReturn

from experiments.bench import command as bench_command
from experiments.core import command as study_command
from experiments.core.errors import UserError, blame_user
from experiments.core.nsa_agents import reading_once
from experiments.evolve import command as evolve_command
from experiments.evolve import figures_command as evolution_figures_command
from experiments.report import command as report_command
from experiments.studies.noise import study as noise_study
from experiments.studies.play import command as play_command
from experiments.studies.tune import study as tune_study
from experiments.tools import check as check_command
from experiments.tools import parameters as parameters_command
from experiments.tools import record as record_command
from nsa_brian.errors import ModelError
from nsa_brian.plugins import load_plugins

COMMANDS: tuple[Any, ...] = (
    play_command,
    check_command,
    *map(study_command.command, report_command.STUDIES),
    report_command,
    evolve_command,
    evolution_figures_command,
    study_command.command(tune_study),
    study_command.command(noise_study),
    record_command,
    parameters_command,
    bench_command,
)

PLUGIN_HELP = "run it first, in every process: it enters bandits, policies or models of your own; repeatable"


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and leave with exit code 2."""
        self.exit(2, f"{self.prog}: error: {message}\n")


def build_parser() -> argparse.ArgumentParser:
    """The parser of all subcommands."""
    parser = Parser(prog="nsa", description="The Neural Selection Agreement model on Brian2, and the bandits it plays.")
    parser.add_argument("--version", action="version", version=f"nsa-brian {version('nsa-brian')}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in COMMANDS:
        command = commands.add_parser(module.NAME, help=module.HELP, description=module.HELP, epilog=module.EPILOG)
        command.formatter_class = argparse.RawDescriptionHelpFormatter
        module.add_arguments(command)
        command.add_argument("--plugin", metavar="FILE.py", action="append", default=[], help=PLUGIN_HELP)
        command.set_defaults(run=module.run, command=command)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    if sys.stdout is not None and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a terminal that cannot show a letter shows a question mark
    args = build_parser().parse_args(argv)
    try:
        with blame_user():
            load_plugins(args.plugin)
        with reading_once():
            code = args.run(args)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code or 0
    except (UserError, ModelError) as error:  # a model may come to nothing only when it is run
        args.command.error(" ".join(str(error).split()))
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 130
    except MemoryError:
        args.command.error("not enough memory for games of that size")
    except BrokenPipeError:  # the reader of our output, such as `head`, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
