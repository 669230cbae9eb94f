"""``nsa export``: write a model as a plain Brian2 script."""

from __future__ import annotations

import argparse
from shlex import quote

from experiments.core.command import Command
from experiments.core.errors import at_least, blame_user
from experiments.core.files import new_file, write_text
from experiments.core.named import read_model_and_engine, read_set, set_of
from experiments.core.nsa_agents import MODEL_HELP
from nsa_brian import DEFAULT_SET, MODELS
from nsa_brian.export.limits import BANDITS
from nsa_brian.export.script import Game, to_script
from nsa_brian.model.timing import DT_HELP, EULER, check_step, engine_options

EPILOG = """The script is one file, contains a bandit and the game loop, and needs brian2 and numpy alone. Its choices
are those of `nsa play --engine network` with the same options; the command is at its top.

examples:
  nsa export --out nsa.py
  nsa export --model my.py --parameters found/best.json --arms 10 --out script.py
  nsa export --model spiking-ei --rounds 20 --out spiking_ei.py"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("--model", metavar="MODEL", help=MODEL_HELP)
    add("--parameters", metavar="SET", help=f"parameter set: a name or a file (default {DEFAULT_SET}, or the model's)")
    add("--out", metavar="FILE.py", help="the script to write; by default it is printed")
    add("--force", action="store_true", help="replace the file if it exists")
    add("--env", default="MAB-P", metavar="NAME", help=f"bandit: {', '.join(BANDITS)} (default MAB-P)")
    add("--arms", type=int, default=5, metavar="K", help="number of arms (default 5)")
    add("--trials", type=int, default=2, metavar="N", help="trials, each with new probabilities (default 2)")
    add("--rounds", type=int, default=50, metavar="N", help="rounds per trial (default 50)")
    add("--dt", type=float, metavar="MS", help=DT_HELP)
    add("--seed", type=int, default=0, metavar="N", help="random seed (default 0)")


def run(args: argparse.Namespace) -> None:
    """Write or print the script."""
    with blame_user():
        check_step(args.dt, EULER)
        at_least(args, arms=2, trials=1, rounds=1, seed=0)
        path = None if args.out is None else new_file(args.out, ".py", args.force)
        name, _ = read_model_and_engine(args.model, None)
        chosen = read_set(args.parameters or set_of(name), name)
        game = Game(args.arms, args.trials * args.rounds, args.seed, args.env, {"trial_rounds": args.rounds})
        model = chosen.model or MODELS["paper"]
        options = engine_options(args.dt, EULER)
        text = to_script(chosen.parameters, model, game, **options, set_name=chosen.name, command=_command(args))
    if path is None:
        print(text, end="")
        return
    write_text(path, text)
    print(f"{path}: model {model.name}, {len(text.splitlines())} lines; run it with python {quote(str(path))}")


def _command(args: argparse.Namespace) -> str:
    """Return the command that makes the same choices."""
    words = ["nsa play --agents nsa --engine network --repetitions 1"]
    for name in ("model", "parameters", "env", "arms", "trials", "rounds", "dt", "seed"):
        value = getattr(args, name)
        words += [f"--{name} {quote(str(value))}"] if value is not None else []
    return " ".join(words)


COMMAND = Command(EPILOG, add_arguments, run)
