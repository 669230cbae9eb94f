"""Commands of ``nsa`` and the options they share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import baselines
import envs
import nsa_brian
from experiments.core.errors import blame_user
from experiments.core.named import reading_once
from experiments.core.outside import answering
from nsa_brian.common.plugins import naming_plugins
from nsa_brian.common.texts import shown
from nsa_brian.plugins import load_plugins

PLUGIN_HELP = "Python file that registers bandits, policies or models; run first in every process; repeatable"


@dataclass(frozen=True)
class Command:
    """A subcommand of ``nsa``: the end of its help text, its options, and the function that runs it."""

    epilog: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int | None]

    def declare(self, parser: argparse.ArgumentParser) -> None:
        """Add the options to the parser."""
        parser.epilog, parser.formatter_class = self.epilog, argparse.RawDescriptionHelpFormatter
        self.add_arguments(parser)
        parser.add_argument("--plugin", metavar="FILE.py", action="append", default=[], help=PLUGIN_HELP)
        parser.set_defaults(main=partial(self.main, parser))

    def main(self, parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
        """Run the command and return the exit code; errors exit with a code and one line."""
        with answering(parser):
            with blame_user():
                load_plugins(args.plugin)
                check_registries()
            with naming_plugins(), reading_once():
                return self.run(args) or 0


def check_registries() -> None:
    """Raise a ValueError if a plugin registered an object of the wrong type."""
    kinds: list[tuple[str, Mapping[Any, Any], type]] = [
        ("bandit", envs.BANDITS, envs.Bandit),
        ("policy", baselines.POLICIES, baselines.Policy),
    ]
    for what, registry, kind in kinds:
        for name, entered in registry.items():
            if not isinstance(name, str) or not isinstance(entered, type) or not issubclass(entered, kind):
                wanted = f"a subclass of {kind.__module__.partition('.')[0]}.{kind.__name__}"
                raise ValueError(f"{what} {shown(name)} of a plugin must be {wanted}, got {shown(entered)}")
    if "nsa_brian.model.loading" in sys.modules:  # else no model was registered
        from nsa_brian.model.model import Model

        for name, model in nsa_brian.MODELS.items():
            if not isinstance(name, str) or not isinstance(model, Model):
                raise ValueError(f"model {shown(name)} of a plugin must be a Model, got {shown(model)}")


def add_no_figures(parser: argparse.ArgumentParser | argparse._ArgumentGroup, later: str) -> None:
    """Declare ``--no-figures``."""
    text = f"draw no figures; {later}"
    parser.add_argument("--no-figures", dest="figures", action="store_false", help=text)


def add_out(parser: argparse.ArgumentParser) -> None:
    """Declare ``--out``."""
    parser.add_argument("--out", metavar="DIR", default="nsa-results", help="output folder (default nsa-results)")
