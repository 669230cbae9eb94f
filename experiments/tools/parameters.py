"""``nsa parameters``: list and show parameter sets."""

from __future__ import annotations

import argparse

from experiments.core.command import Command
from experiments.core.errors import blame_user
from experiments.core.named import read_set, set_of
from experiments.core.tables import filled, text_table
from nsa_brian import PARAMETERS, ParameterSet, load
from nsa_brian.parameter_set import DEFAULT_SET, model_names, names

EPILOG = """examples:
  nsa parameters
  nsa parameters minbandit-38
  nsa parameters minbandit-38 --json > mine.json
  nsa parameters --model my.py"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("set", nargs="?", metavar="SET", help="name of a shipped set, or a parameter file")
    parser.add_argument(
        "--model", metavar="MODEL", help="show the set with the parameters of a model: FILE.py, FILE.py:NAME, FILE.json"
    )
    parser.add_argument("--json", action="store_true", help="print the set as a parameter file")


def run(args: argparse.Namespace) -> None:
    """List the sets, or print one as a table or as JSON."""
    if args.set is None and args.model is None and not args.json:
        sets = [load(name) for name in (*names(), *model_names())]
        rows = [[s.name + (" (default)" if s.name == DEFAULT_SET else ""), s.source] for s in sets]
        print(text_table(["set", "source"], rows))
        return
    with blame_user():
        chosen = read_set(args.set or set_of(args.model or ""), args.model or "")
    print(chosen.to_json() if args.json else describe(chosen))


def describe(chosen: ParameterSet) -> str:
    """Return a set as a table with units, bounds and meanings."""
    declared = PARAMETERS if chosen.model is None else chosen.model.declared
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
        for info, value in ((declared[name], value) for name, value in chosen.parameters.to_dict().items())
    ]
    model = "" if chosen.model is None else f"with the model {chosen.model.name}"
    head = [filled(line) for line in (chosen.name, chosen.source, chosen.note, model) if line]
    header = ["name", "symbol", "value", "unit", "legal", "search range", "meaning"]
    return "\n".join([*head, "", text_table(header, rows, right=[2])])


COMMAND = Command(EPILOG, add_arguments, run)
