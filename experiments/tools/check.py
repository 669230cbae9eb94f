"""``nsa check``: compare every engine and code path that runs a model with the reference."""

from __future__ import annotations

import argparse

from experiments.core.command import Command
from experiments.core.errors import at_least, blame_user
from experiments.core.json_text import json_text
from nsa_brian import DEFAULT_SET
from nsa_brian.checking import check
from nsa_brian.common.memory import NUMBER, check_memory
from nsa_brian.model.loading import holds_parameters, load_model
from nsa_brian.model.timing import DT_HELP, EULER, METHOD_HELP, check_step

EPILOG = """examples:
  nsa check my.py
  nsa check my.py:OTHER --arms 10 --rounds 100 --json
  nsa check paper

Every path is compared with the Brian2 network, round by round: choices, activities, synapses after learning, carried
state. Inputs of the model are random numbers from 0 to 1. The tolerance is 1e-9, or 1e-6 in the table, which
interpolates; it is relative where a value exceeds 1. With rk2 and rk4 the network holds what neurons receive from each
other constant within a time step, and the other paths do not: they differ.
exit code 0 if all that run the model agree; else 1, and the round, the variable and both values are printed"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    what = "FILE.py (its MODEL), FILE.py:NAME, a model's or parameter set's JSON, or a name (default paper)"
    add("model", nargs="?", default="paper", metavar="MODEL", help=what)
    add(
        "--parameters",
        metavar="SET",
        help=f"parameter set: a name or a file (default {DEFAULT_SET}, or the model's own file)",
    )
    add("--arms", type=int, default=4, metavar="K", help="number of arms (default 4)")
    add("--rounds", type=int, default=25, metavar="N", help="rounds per game (default 25)")
    add("--games", type=int, default=2, metavar="N", help="number of games (default 2)")
    add("--dt", type=float, metavar="MS", help=DT_HELP)
    add("--method", default=EULER, metavar="NAME", help=METHOD_HELP)
    add("--seed", type=int, default=0, metavar="N", help="random seed (default 0)")
    add("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Check the model, print the outcome and return the exit code."""
    with blame_user():
        check_step(args.dt, args.method)
        at_least(args, arms=2, rounds=2, games=1, seed=0)
        numbers = (
            4.0 * args.arms * args.rounds * args.games
        )  # activities and synapses of one engine and of the reference
        check_memory(2 * NUMBER * numbers, "games of that size")
        model = load_model(args.model)
        parameters = args.parameters or (args.model if holds_parameters(args.model) else None)
        found = check(model, parameters, args.arms, args.rounds, args.games, args.seed, args.method, args.dt)
    print(json_text(found.to_dict()) if args.json else found)
    return 0 if found.agree else 1


COMMAND = Command(EPILOG, add_arguments, run)
