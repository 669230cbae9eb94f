"""``nsa play``: let agents play a bandit, print a table, write a results file and a figure."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from experiments.core import game_options
from experiments.core.agents import PAPER, STATE_OF_THE_ART, expand, names
from experiments.core.errors import UserError, blame_user
from experiments.core.files import FORMATS, check_format, writable_folder, write_atomically
from experiments.core.nsa_agents import MODEL_HELP, is_nsa, read, read_model_and_engine
from experiments.core.tables import text_table
from nsa_brian.engines.registry import DEFAULT_ENGINE, ENGINES
from nsa_brian.parameter_set import DEFAULT_SET

if TYPE_CHECKING:
    from experiments.core.results import PlayResults
    from experiments.core.settings import PlaySettings

NAME = "play"
HELP = "let agents play a bandit: a table, a results file and a figure"
EPILOG = f"""examples:
  nsa play
  nsa play --env MAB-D --arms 50 --env-option tau=100 --agents nsa,ucb1
  nsa play --env schedule --env-option table=my.csv --trials 1 --rounds 300
  nsa play --env random-walk --arms 4 --env-option decay=0.99
  nsa play --env MAB-D --env-option preset=published-table --json
  nsa play --noise 0.05 --agents nsa,ucb1
  nsa play --model my.py --agents nsa,nsa:minbandit-38,nsa:best.json,random
  nsa play --model spiking --arms 5 --trials 1 --rounds 300 --agents nsa,random

{game_options.BANDITS_AND_OPTIONS}"""

_AGENTS = (
    f"of {', '.join(name for name in names() if ':' not in name)}, {STATE_OF_THE_ART}; NAME:tuned as nsa tune has it; "
    "nsa:SET and nsa:MODEL for another parameter set or file, or another model, beside nsa"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options. Those left out (None) take the defaults of PlaySettings."""
    game_options.add_arguments(parser)
    add = parser.add_argument
    add("--repetitions", type=int, metavar="N", help="games, each with its own luck (default 5)")
    add("--agents", metavar="A,B,...", help=f"{_AGENTS} (default {','.join(PAPER)})")
    add("--parameters", metavar="SET", help="NSA's parameters: a set's name or a file (see nsa parameters)")
    add("--model", metavar="MODEL", help=MODEL_HELP)
    add("--engine", metavar="NAME", help=f"how NSA is run: {', '.join(ENGINES)} (default {DEFAULT_ENGINE})")
    add("--noise", type=float, metavar="SD", help="white noise in NSA's rates: the activity's sd by noise alone")
    add("--ties", metavar="RULE", help="ties of NSA's argmax: random (default) or first")
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

    from experiments.core import play, results
    from experiments.studies.play import figure as play_figure

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
    own = ("repetitions", "ties")
    given = {name: getattr(args, name) for name in own if getattr(args, name) is not None}
    model, engine = read_model_and_engine(args.model, args.engine)
    if engine is not None:
        given["engine"] = engine
    if args.agents is not None:
        given["agents"] = expand([name.strip() for name in args.agents.split(",") if name.strip()])
    given.update(vars(read(args.parameters or DEFAULT_SET, model)))
    return game_options.read(args, args.noise, **given)


def play_with_progress(settings: PlaySettings, workers: int, quiet: bool) -> PlayResults:
    """Play behind a progress bar on the terminal's error stream; none where that is a file."""
    from tqdm import tqdm

    from experiments.core import play

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
        model = f", model {settings['model']['name']}" if settings["model"] else ""
        title += f"; nsa: {settings['parameters_name']}{model}, engine {settings['engine']}"
    elif any(map(is_nsa, agents)):
        title += f"; engine {settings['engine']}"
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
