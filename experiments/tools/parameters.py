"""``nsa parameters``: list, show and check parameter sets."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np

from evolution.checks import CHECKS, Subject
from evolution.fitness import scores
from evolution.games import FitnessGames
from evolution.genome import Genome
from evolution.requirements import Verdict, verdicts
from experiments.core.command import Command
from experiments.core.errors import blame_user
from experiments.core.json_text import json_text
from experiments.core.named import read_set, set_of
from experiments.core.outside import note
from experiments.core.tables import filled, text_table
from nsa_brian import PARAMETERS, NSAParameters, ParameterSet, load
from nsa_brian.parameter_set import BEST, DEFAULT_SET, model_names, names

EPILOG = """examples:
  nsa parameters
  nsa parameters minbandit-38
  nsa parameters minbandit-38 --json > mine.json
  nsa parameters --model my.py
  nsa parameters minbandit-38 --check
  nsa parameters --json

--json without a set lists all shipped sets, with the name of the best known NSA under the key "best"."""

#: Games of the check "robust": four bandits, each some games of two trials.
GAMES: dict[str, Any] = {
    "envs": ("MAB-P", "MAB-D", "MAB-sin", "MAB-sinP"),
    "arms": (10,),
    "iterations": 5,
    "trials": 2,
    "rounds": 500,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("set", nargs="?", metavar="SET", help="name of a shipped set, or a parameter file")
    parser.add_argument(
        "--model", metavar="MODEL", help="show the set with the parameters of a model: FILE.py, FILE.py:NAME, FILE.json"
    )
    parser.add_argument(
        "--check", action="store_true", help="check the set as nsa evolve --require can: " + ", ".join(CHECKS)
    )
    parser.add_argument("--json", action="store_true", help="print the set as a parameter file, or the list as JSON")


def run(args: argparse.Namespace) -> None:
    """List the sets, or print one as a table or as JSON."""
    if args.set is None and args.model is None and not args.check:
        sets = [load(name) for name in (*names(), *model_names())]
        if args.json:
            print(json_text(listed(sets)))
            return
        rows = [[s.name + (" (default)" if s.name == DEFAULT_SET else ""), s.source] for s in sets]
        print(text_table(["set", "source"], rows))
        return
    with blame_user():
        chosen = read_set(args.set or set_of(args.model or ""), args.model or "")
    if args.check:
        checked = check(chosen)
        print(json_text(_plain(chosen, checked)) if args.json else _checks_table(chosen, checked))
        return
    print(chosen.to_json() if args.json else describe(chosen))


def listed(sets: Sequence[ParameterSet]) -> dict[str, Any]:
    """Return the shipped sets as plain data, and which of them is the best known NSA and which the default."""
    rows = [{"name": s.name, "model": s.model_name or "paper", "source": s.source, "note": s.note} for s in sets]
    return {"best": BEST, "default": DEFAULT_SET, "sets": rows}


def check(chosen: ParameterSet) -> dict[str, Verdict | str]:
    """Return the results of a set in all named checks, or why it cannot be checked."""
    from nsa_brian.model.model import PAPER  # here: Brian2 takes a second to import

    model = PAPER if chosen.model is None else chosen.model
    games = FitnessGames(**GAMES, model=model)

    def regrets(sets: Sequence[NSAParameters]) -> np.ndarray:
        note(f"playing {len(sets)} sets, perturbed ones among them")
        return scores(games, (1,), sets).regret.mean(axis=1)

    # Games of spiking neurons would take many minutes.
    play = None if model.structure.spikes else regrets
    return verdicts(model.complete(chosen.parameters), Subject(model, Genome(model=model), {}, play))


def _checks_table(chosen: ParameterSet, checked: dict[str, Verdict | str]) -> str:
    rows = []
    for name, found in checked.items():
        if isinstance(found, str):
            rows.append([name, "", "", f"not measured: {found}"])
        else:
            value = "none" if np.isnan(found.value) else f"{found.value:.3g}"
            rows.append([name, value, "yes" if found.met else "no", CHECKS[name].meaning])
    return f"{chosen.name}\n\n" + text_table(["check", "value", "met", "meaning"], rows)


def _plain(chosen: ParameterSet, checked: dict[str, Verdict | str]) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for name, found in checked.items():
        if isinstance(found, str):
            plain[name] = {"value": None, "met": None, "reason": found}
        else:
            plain[name] = {"value": None if np.isnan(found.value) else found.value, "met": found.met}
    return {"set": chosen.name, "checks": plain}


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
