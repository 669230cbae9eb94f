"""``nsa play``: let agents play a bandit, print a table, write a results file and a figure."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

import envs
from envs import BANDITS, settings_of
from experiments.agents import PAPER, names
from experiments.errors import UserError, blame_user
from experiments.files import FORMATS, check_format, writable_folder, write_atomically
from experiments.text_table import text_table
from nsa_brian.engines import DEFAULT_ENGINE, ENGINES, MODELS, engine_of

if TYPE_CHECKING:
    from experiments.results import PlayResults
    from experiments.settings import PlaySettings

NAME = "play"
HELP = "let agents play a bandit: a table, a results file and a figure"
EPILOG = """examples:
  nsa play
  nsa play --env MAB-D --arms 50 --env-option tau=100 --agents nsa,ucb1
  nsa play --env schedule --env-option table=my.csv --trials 1 --rounds 300
  nsa play --env MAB-D --env-option preset=published-table --json
  nsa play --model spiking --arms 5 --trials 1 --rounds 300 --agents nsa,random

bandits and their options:
""" + "\n".join(
    f"  {name:<11}" + ", ".join(key for key in settings_of(name) if key not in ("n_games", "trial_rounds"))
    for name in BANDITS
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options. Those left out (None) take the defaults of PlaySettings."""
    add = parser.add_argument
    add("--env", metavar="NAME", help=f"bandit: {', '.join(BANDITS)} (default MAB-P)")
    add("--env-option", metavar="KEY=VALUE", action="append", default=[], help="a setting of the bandit; repeatable")
    add("--arms", type=int, metavar="K", help="arms (default 10; a schedule knows its own)")
    add("--trials", type=int, metavar="N", help="trials (default 2)")
    add("--rounds", type=int, metavar="N", help="rounds of a trial (default 2000)")
    add("--repetitions", type=int, metavar="N", help="games, each with its own luck (default 5)")
    add("--agents", metavar="A,B,...", help=f"of {', '.join(names())} (default {','.join(PAPER)})")
    add("--parameters", metavar="SET", help="NSA's parameters: a set's name or a file (see nsa parameters)")
    add("--model", metavar="NAME", help=f"NSA's neurons: {', '.join(MODELS)} (default rate)")
    add("--engine", metavar="NAME", help=f"how NSA is run: {', '.join(ENGINES)} (default {DEFAULT_ENGINE})")
    add("--ties", metavar="RULE", help="ties of NSA's argmax: random (default) or first")
    add("--seed", type=int, metavar="N", help="same seed, same games (default 0)")
    add("--workers", type=int, metavar="N", default=1, help="processes; they change the time only (default 1)")
    add("--out", metavar="DIR", default="nsa-results", help="where the files go (default nsa-results)")
    add("--format", metavar="F", default="png", help=f"of the figure: {', '.join(FORMATS)} (default png)")
    add("--json", action="store_true", help="print one JSON object instead of the table")
    add("--quiet", action="store_true", help="no progress, no word about the files")


def run(args: argparse.Namespace) -> None:
    """Read the options, play, write, print."""
    with blame_user():
        if args.workers < 1:
            raise UserError(f"workers must be a whole number from 1 up, got {args.workers}")
        check_format(args.format)
        settings = read_settings(args)
    out = writable_folder(args.out)

    from experiments import play, play_figure, results

    played = play_with_progress(settings, args.workers, args.quiet)
    results_path, figure_path = out / f"play-{settings.id}.npz", out / f"play-{settings.id}.{args.format}"
    results.save(played, results_path)
    write_atomically(figure_path, lambda file: play_figure.draw(played).savefig(file, format=args.format, dpi=150))
    outcome = play.report(played)
    if args.json:
        files = {"results": str(results_path), "figure": str(figure_path)}
        print(json.dumps({**outcome, "files": files}, indent=1))
        return
    print(summary_table(outcome, bold=sys.stdout is not None and sys.stdout.isatty()))
    if not args.quiet:
        print(f"\nresults  {results_path}\nfigure   {figure_path}")


def read_settings(args: argparse.Namespace) -> PlaySettings:
    """Settings from options; a ValueError says what is wrong with them."""
    from experiments.settings import PlaySettings
    from nsa_brian import load

    given = {
        name: getattr(args, name)
        for name in ("env", "arms", "trials", "rounds", "repetitions", "ties", "seed")
        if getattr(args, name) is not None
    }
    engine = engine_of(args.model, args.engine)
    if engine is not None:
        given["engine"] = engine
    if args.agents is not None:
        given["agents"] = tuple(name.strip() for name in args.agents.split(",") if name.strip())
    if args.parameters is not None:
        chosen = load(args.parameters)
        given["parameters"], given["parameters_name"] = chosen.parameters.to_dict(), chosen.name
    given["env_options"] = dict(read_option(text) for text in args.env_option)
    if args.env == "schedule" and args.arms is None:
        given["arms"] = envs.make("schedule", None, **given["env_options"]).n_arms
    settings = PlaySettings(**given)
    settings.check()
    return settings


def read_option(text: str) -> tuple[str, Any]:
    """``KEY=VALUE`` with a number, a list or a text as value."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise ValueError(f"--env-option takes KEY=VALUE, got {text!r}")
    try:
        return key, json.loads(value)
    except json.JSONDecodeError:
        return key, value


def play_with_progress(settings: PlaySettings, workers: int, quiet: bool) -> PlayResults:
    """Play behind a progress bar on the terminal's error stream; none where that is a file."""
    from tqdm import tqdm

    from experiments import play

    with tqdm(total=play.work(settings), disable=True if quiet else None, unit=" rounds", unit_scale=True) as bar:
        return play.run(settings, workers, lambda rounds: bar.update(rounds) and None)


def summary_table(outcome: dict[str, Any], bold: bool = False) -> str:
    """The outcome for the terminal, the agent with the lowest regret in bold."""
    settings, agents = outcome["settings"], outcome["agents"]
    games = f"{settings['repetitions']} game{'s' * (settings['repetitions'] > 1)}"
    title = (
        f"{settings['env']}, {settings['arms']} arms, {settings['trials']} x {settings['rounds']} rounds, "
        f"{games}, seed {settings['seed']}"
    )
    if "nsa" in agents:
        title += f"; nsa: {settings['parameters_name']}, engine {settings['engine']}"
    rows = []
    for name, found in agents.items():
        regret, published = found["regret"], found["published_regret"]
        interval = f"{regret['ci95'][0]:.3f} to {regret['ci95'][1]:.3f}" if regret["ci95"] else "–"
        numbers = [regret["mean"], published["mean"], found["reward"], found["entropy"]]
        texts = [f"{number:.3f}" for number in numbers]
        rows.append([name, texts[0], interval, *texts[1:]])
    means = [found["regret"]["mean"] for found in agents.values()]
    header = ["agent", "regret", "95% interval", "published regret", "reward", "choice entropy (nats)"]
    best = [means.index(min(means))] if bold else []
    return f"{title}\n\n{text_table(header, rows, right=range(1, 6), bold=best)}"
