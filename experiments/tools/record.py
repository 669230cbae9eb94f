"""``nsa record``: write the probabilities of one game of a bandit to a file, for the bandit ``schedule``."""

from __future__ import annotations

import argparse
from shlex import quote

import envs
from experiments.core.command import Command
from experiments.core.errors import blame_user
from experiments.core.files import writable_file, write_text
from experiments.core.options import add_options, read_given
from experiments.studies.play.options import BANDITS_AND_OPTIONS, OF_THE_BANDIT, PlayOptions
from nsa_brian.common.game_streams import streams
from nsa_brian.common.memory import NUMBER, check_memory

EPILOG = f"""The game is the first one of nsa play with the same options. With the same seed, playing the file
repeats that game, random numbers included.

examples:
  nsa record walk.csv --env random-walk --arms 4 --trials 1 --rounds 300
  nsa play --env schedule --env-option table=walk.csv --trials 1 --rounds 300

{BANDITS_AND_OPTIONS}"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("file", metavar="FILE.csv", help="output file: one row per round, one column per arm")
    add_options(parser, PlayOptions, only=OF_THE_BANDIT)
    parser.add_argument("--quiet", action="store_true", help="print nothing")


def run(args: argparse.Namespace) -> None:
    """Record one game and write it."""
    with blame_user():
        settings = PlayOptions(agents=("random",), **read_given(PlayOptions, args)).play_settings()
        check_memory(3.0 * NUMBER * settings.n_rounds * settings.arms, "a table of that size")  # numbers and text
        path = writable_file(args.file, ".csv")
    table = envs.record(settings.make_bandit(1), settings.n_rounds, streams(settings.seed, "bandit", range(1)))
    write_text(path, envs.to_csv(table))
    if not args.quiet:
        game = f"--trials {settings.trials} --rounds {settings.rounds} --seed {settings.seed}"
        print(f"{path}: {settings.env}, {settings.n_rounds} rounds, {settings.arms} arms; to play it back:")
        print(f"nsa play --env schedule --env-option {quote(f'table={path}')} {game}")


COMMAND = Command(EPILOG, add_arguments, run)
