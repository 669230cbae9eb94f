"""``nsa parameters``: look at parameter sets."""

from __future__ import annotations

import argparse

from experiments.errors import blame_user
from experiments.text_table import text_table
from nsa_brian import ParameterSet, load
from nsa_brian.parameter_set import DEFAULT_SET, names

NAME = "parameters"
HELP = "list the parameter sets, or show one"
EPILOG = "examples:\n  nsa parameters\n  nsa parameters minbandit-38\n  nsa parameters minbandit-38 --json > mine.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("set", nargs="?", metavar="SET", help="a shipped set's name, or a parameter file")
    parser.add_argument("--json", action="store_true", help="print the set as a parameter file")


def run(args: argparse.Namespace) -> None:
    """List the sets, or print one as a table or as JSON."""
    if args.set is None and not args.json:
        sets = [load(name) for name in names()]
        rows = [[s.name + (" (default)" if s.name == DEFAULT_SET else ""), s.source] for s in sets]
        print(text_table(["set", "source"], rows))
        return
    with blame_user():
        chosen = load(args.set or DEFAULT_SET)
    print(chosen.to_json() if args.json else describe(chosen))


def describe(chosen: ParameterSet) -> str:
    """A set as a table with unit, bounds and meaning."""
    rows = [
        [
            info.name,
            info.symbol,
            f"{value:g}",
            info.unit,
            info.domain.removeprefix("a number ").removeprefix("any "),
            info.search_range,
            info.meaning,
        ]
        for info, value in chosen.parameters.items()
    ]
    head = [line for line in (chosen.name, chosen.source, chosen.note) if line]
    header = ["name", "symbol", "value", "unit", "legal", "search range", "meaning"]
    return "\n".join([*head, "", text_table(header, rows, right=[2])])
