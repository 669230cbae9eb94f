"""``nsa parameters``: look at parameter sets."""

from __future__ import annotations

import argparse
import dataclasses

from experiments.core.errors import blame_user
from experiments.core.tables import text_table
from nsa_brian import PARAMETERS, ParameterSet, load
from nsa_brian.parameter_set import DEFAULT_SET, names

NAME = "parameters"
HELP = "list the parameter sets, or show one"
EPILOG = """examples:
  nsa parameters
  nsa parameters minbandit-38
  nsa parameters minbandit-38 --json > mine.json
  nsa parameters --model my.py"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("set", nargs="?", metavar="SET", help="a shipped set's name, or a parameter file")
    parser.add_argument("--model", metavar="MODEL", help="FILE.py, FILE.py:NAME, FILE.json: with its own parameters")
    parser.add_argument("--json", action="store_true", help="print the set as a parameter file")


def run(args: argparse.Namespace) -> None:
    """List the sets, or print one as a table or as JSON."""
    if args.set is None and args.model is None and not args.json:
        sets = [load(name) for name in names()]
        rows = [[s.name + (" (default)" if s.name == DEFAULT_SET else ""), s.source] for s in sets]
        print(text_table(["set", "source"], rows))
        return
    with blame_user():
        chosen = load(args.set or _set_of(args.model))
        if args.model is not None:
            chosen = of_model(chosen, args.model)
    print(chosen.to_json() if args.json else describe(chosen))


def _set_of(model: str | None) -> str:
    """The set that goes with a model: a parameter file is both."""
    if model is None or not model.endswith(".json"):
        return DEFAULT_SET

    from nsa_brian.model.loading import holds_parameters

    return model if holds_parameters(model) else DEFAULT_SET


def of_model(chosen: ParameterSet, name: str) -> ParameterSet:
    """A set with the parameters of a model of its own, at their defaults where it has no values."""
    from nsa_brian import load_model  # here: it takes Brian2, which looking at the 22 does not
    from nsa_brian.agent import model_of
    from nsa_brian.model.model import PAPER

    model = model_of(chosen, load_model(name))
    own = None if model == PAPER else model
    return dataclasses.replace(chosen, parameters=model.complete(chosen.parameters), model=own)


def describe(chosen: ParameterSet) -> str:
    """A set as a table with unit, bounds and meaning."""
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
    head = [line for line in (chosen.name, chosen.source, chosen.note, model) if line]
    header = ["name", "symbol", "value", "unit", "legal", "search range", "meaning"]
    return "\n".join([*head, "", text_table(header, rows, right=[2])])
