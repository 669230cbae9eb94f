"""The options of ``nsa evolve``, read into the settings of a search, and its presets."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from evolution.games import FitnessGames
from evolution.settings import Rung, SearchSettings, StagedSettings
from experiments.core.model_inputs import INPUT_HELP, check_tables, digests_of, files_of, tables, values_for
from experiments.core.named import once, read_set, set_of
from experiments.core.options import read_option, show
from nsa_brian import ParameterSet, load
from nsa_brian.common.texts import shown
from nsa_brian.model.loading import load_model
from nsa_brian.model.model import PAPER, Model
from nsa_brian.model.timing import DOUBLE, DT_HELP, EULER, METHOD_HELP, PRECISION_HELP
from nsa_brian.parameters import check_names

Settings = SearchSettings | StagedSettings

#: The name of a start that was given in Python, not by an option.
UNNAMED_START = "a set of its own"


class Option(NamedTuple):
    """An option of the command: the type of its value, and its help."""

    kind: Any
    metavar: str
    help: str
    repeatable: bool = False


_MODEL_HELP = "FILE.py, FILE.py:NAME, FILE.json or a name (default: the start's model, else the paper's)"
_SIGMA_HELP = "initial step size, in units of the unbounded genes; a staged search takes several, one for each run"
_INEXACT_HELP = "score sets with genes perturbed by this fraction of their ranges and rates read coarsely: robust sets"

_SEARCH_HELP = "search these parameters only, the others have the values of the start, else of the model's set"
_REQUIRE_HELP = "a condition that sets must meet, such as 'tau_u < tau_v', or a check listed below; repeatable"

#: In the order of ``--json``.
OPTIONS = {
    "look": Option(int, "N", "random sets to screen first"),
    "rungs": Option(
        tuple[str, ...], "RxGxN,...", "successive halving, each rung as runs x generations x games of each kind"
    ),
    "population": Option(int, "N", "individuals of a generation"),
    "generations": Option(int, "N", "generations"),
    "envs": Option(tuple[str, ...], "E,F", "bandits, each NAME or NAME:PRESET"),
    "arms": Option(tuple[int, ...], "K,L", "numbers of arms"),
    "trials": Option(int, "N", "trials of a game"),
    "rounds": Option(int, "N", "rounds of a trial"),
    "iterations": Option(int, "N", "games of each bandit and number of arms"),
    "model": Option(str, "MODEL", _MODEL_HELP),
    "input": Option(tuple[str, ...], "NAME=FILE.csv", INPUT_HELP, repeatable=True),
    "fix": Option(tuple[str, ...], "NAME=VALUE", "do not search a parameter, beside the preset's; repeatable", True),
    "search": Option(tuple[str, ...], "NAME,NAME", _SEARCH_HELP),
    "require": Option(tuple[str, ...], "CONDITION", _REQUIRE_HELP, repeatable=True),
    "start": Option(str, "SET", "initial centre: a set's name or a file (default: the middle of all ranges)"),
    "sigma": Option(tuple[float, ...], "X", _SIGMA_HELP),
    "stagnation": Option(int, "N", "stop, or restart, without improvement within N generations (0: never)"),
    "restarts": Option(int, "N", "restarts after stagnation, each with twice the population"),
    "inexact": Option(float, "FRACTION", _INEXACT_HELP),
    "engine": Option(str, "NAME", "table, or rounds: exact, ten times slower (default: table if it runs the model)"),
    "dt": Option(float, "MS", DT_HELP),
    "method": Option(str, "NAME", METHOD_HELP),
    "precision": Option(str, "NAME", PRECISION_HELP),
    "seed": Option(int, "N", "same seed, same search"),
}

#: The options by kind, for the help.
GROUPS = {
    "what is searched, by either kind of search": (
        "",
        ("model", "search", "fix", "require", "population", "sigma", "inexact", "seed"),
    ),
    "staged search (the default)": (
        "Random search, then successive halving of CMA-ES runs. Not with the options of a single run.",
        ("look", "rungs"),
    ),
    "single CMA-ES run": (
        "Any of these selects --preset paper-main, if no preset is named. Not with --look and --rungs.",
        ("generations", "iterations", "start", "stagnation", "restarts"),
    ),
    "games": ("", ("envs", "arms", "trials", "rounds", "engine", "dt", "method", "precision", "input")),
}

#: Where the settings of each kind of search have the value of an option.
_BOTH = {
    "population": "population",
    "envs": "games.envs",
    "arms": "games.arms",
    "trials": "games.trials",
    "rounds": "games.rounds",
    "fix": "fixed",
    "require": "require",
    "inexact": "inexact",
    "engine": "games.engine",
    "dt": "games.dt",
    "method": "games.method",
    "precision": "games.precision",
    "seed": "seed",
}
_SINGLE = {"generations": "generations", "iterations": "games.iterations", "sigma": "sigma"}
_SINGLE |= {"stagnation": "stagnation", "restarts": "restarts"}
_STAGED = {"look": "sets", "rungs": "rungs", "sigma": "sigmas"}
PATHS: dict[type, dict[str, str]] = {SearchSettings: _BOTH | _SINGLE, StagedSettings: _BOTH | _STAGED}

#: Values in ``--json`` of options that a kind of search does not have.
_ABSENT = {"look": None, "rungs": (), "generations": None, "iterations": None, "stagnation": 0, "restarts": 0}


#: Options that are recorded only if they differ from these values.
_UNLESS_GIVEN: dict[str, Any] = {
    "input": (),
    "search": (),
    "require": (),
    "dt": None,
    "method": EULER,
    "precision": DOUBLE,
}


@dataclass(frozen=True)
class Sources:
    """The names of what an option reads from a file; settings have the content, not the name.

    Attributes
    ----------
    model, start : str
    input : tuple of str
        Each ``NAME=FILE.csv``.
    """

    model: str = ""
    start: str = ""
    input: tuple[str, ...] = ()

    @classmethod
    def of(cls, settings: Settings) -> Sources:
        """Return names for settings that were made in Python."""
        unnamed = getattr(settings, "start", None) is not None
        return cls(settings.model.name, UNNAMED_START if unnamed else "")


class Preset(NamedTuple):
    """A kind of search, with the options that differ from its defaults."""

    kind: type[SearchSettings] | type[StagedSettings]
    options: Mapping[str, Any] = {}


_FOUR = ("MAB-P", "MAB-D", "MAB-sin", "MAB-sinP")
_QUICK = {"envs": ("MAB-P", "MAB-sin"), "arms": (10,), "rounds": 200}
PRESETS = {
    "default": Preset(StagedSettings),
    "quick": Preset(StagedSettings, {"look": 256, "rungs": (Rung(3, 4, 1), Rung(1, 6, 2)), "population": 16, **_QUICK}),
    # Spiking neurons take a thousand times as long to play a round as a table.
    "spiking": Preset(
        StagedSettings,
        {
            "look": 64,
            "rungs": (Rung(2, 6, 1), Rung(1, 8, 2)),
            "population": 16,
            "envs": ("MAB-P", "MAB-sin"),
            "arms": (5,),
            "rounds": 250,
        },
    ),
    # It found the default set of 0.2: small steps from the authors' set, on games like those that policies are tuned
    # on. docs/explanation/evolution.md says why nine genes are fixed.
    "evolved": Preset(
        SearchSettings,
        {
            "start": "minbandit-38",
            "fix": {
                **{"tau_u": 179.0, "tau_v": 238.0, "duration_input": 2888.0, "duration_free": 2687.0, "I_ext": 1.0},
                **{"gain_u": 37.7, "threshold_u": -0.42, "offset_u": 0.0, "gain_v": 20.0},
            },
            "population": 64,
            "sigma": (0.05,),
            "generations": 60,
            "envs": _FOUR,
            "arms": (5, 20, 100),
            "iterations": 4,
            "inexact": 0.005,
            "seed": 41,
        },
    ),
    "paper-main": Preset(SearchSettings),
    # The appendix gives only the entropy of the rewards of its MAB-0; MAB-P's is close to it.
    "paper-appendix": Preset(
        SearchSettings, {"generations": 40, "envs": ("MAB-P", "MAB-sinP:appendix"), "arms": (10, 150)}
    ),
    "paper-quick": Preset(SearchSettings, {"population": 24, "generations": 10, **_QUICK, "iterations": 1}),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options, in groups."""
    for title, (text, names) in GROUPS.items():
        group = parser.add_argument_group(title, text or None)
        for name in names:
            option = OPTIONS[name]
            action = "append" if option.repeatable else "store"
            group.add_argument(f"--{name}", dest=f"set_{name}", metavar=option.metavar, help=option.help, action=action)


def read_given(args: argparse.Namespace) -> dict[str, Any]:
    """Return the values of the options that were given; a ValueError if one cannot be read."""
    texts = {name: getattr(args, f"set_{name}", None) for name in OPTIONS}
    read = {
        name: read_option(f"--{name}", OPTIONS[name].kind, text) for name, text in texts.items() if text is not None
    }
    return from_plain(read)


def from_plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the texts of rungs and fixed parameters to values."""
    found = dict(values)
    if "rungs" in found:
        found["rungs"] = tuple(map(_rung, found["rungs"]))
    if "fix" in found:
        found["fix"] = dict(map(_assignment, found["fix"]))
    return found


def to_plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the values of options to JSON, as command line texts; without those of ``_UNLESS_GIVEN``."""
    found = {name: value for name, value in values.items() if name not in _UNLESS_GIVEN or value != _UNLESS_GIVEN[name]}
    if "rungs" in found:
        found["rungs"] = tuple("x".join(map(str, rung)) for rung in found["rungs"])
    if "fix" in found:
        found["fix"] = tuple(f"{name}={repr(value).removesuffix('.0')}" for name, value in found["fix"].items())
    return found


def options_of(settings: Settings, sources: Sources) -> dict[str, Any]:
    """Return the values of all options, in the order of ``--json``."""
    paths = PATHS[type(settings)]
    found = {name: attrgetter(paths[name])(settings) for name in paths}
    sigma = found["sigma"]
    found |= {"engine": settings.games.played_by, "sigma": sigma if isinstance(sigma, tuple) else (sigma,)}
    found |= vars(sources) | {"search": ()}  # it is recorded as what is fixed
    return {name: found[name] if name in found else _ABSENT[name] for name in OPTIONS}


def make_settings(kind: type[SearchSettings] | type[StagedSettings], given: Mapping[str, Any]) -> Settings:
    """Return the settings with the given options, the others at the defaults of this kind of search."""
    start = once(load, given["start"]) if given.get("start") else None
    own_model = None if start is None else start.model
    model = once(load_model, given["model"]) if given.get("model") else own_model
    if own_model is not None and own_model != model:
        raise ValueError(f"--start {given['start']} brings its own model, {own_model.name}, and --model is another")
    given = with_search(given, model or PAPER, start)
    values: dict[str, Any] = {} if start is None else {"start": start.parameters}
    games: dict[str, Any] = {**kind.default_games, "model": model}
    for name, path in PATHS[kind].items():
        if name in given:
            (games if path.startswith("games.") else values)[path.removeprefix("games.")] = given[name]
    if "sigma" in values:
        if len(values["sigma"]) > 1:
            sizes = ", ".join(map(str, values["sigma"]))
            raise ValueError(f"--sigma takes one step size for a single run, got {sizes}")
        (values["sigma"],) = values["sigma"]
    arms = games.get("arms", FitnessGames.arms)
    return kind(games=FitnessGames(**games, inputs=read_inputs(given.get("input", ()), model, arms)), **values)


def with_search(given: Mapping[str, Any], model: Model, start: ParameterSet | None) -> dict[str, Any]:
    """Return options with ``--search`` replaced by the values that all other parameters are fixed at.

    These are the values of the start or, without one, of the model's parameter set; ``--fix`` can set others.
    """
    found = dict(given)
    names = found.pop("search", ())
    if not names:
        return found
    check_names(names, model.declared)
    for name in names:
        if name in found.get("fix", {}):
            raise ValueError(f"--search and --fix both name {name}: a parameter is either searched or fixed")
        if name not in model.searched:
            why = "has no search range" if model.declared[name].search is None else "is not used by the model"
            raise ValueError(f"--search {name}: {name} {why} {'' if 'model' in why else 'in the model '}{model.name}")
    values = start if start is not None else read_set(set_of(given.get("model", "")), given.get("model", ""))
    plain = model.complete(values.parameters).to_dict()
    rest = {name: plain[name] for name in model.searched if name not in names}
    return {**found, "fix": {**rest, **found.get("fix", {})}}


def new_settings(preset: str | None, given: Mapping[str, Any]) -> tuple[Settings, Sources]:
    """Return the settings of a preset with the given options, and the names of what was read from files."""
    kind, options = _preset(preset, given)
    for name in given:
        if name in {*_SINGLE, "start"} - {"sigma"} and kind is StagedSettings:
            raise ValueError(
                f"--{name} is an option of a single run (--preset paper-main); a staged search has --look and --rungs"
            )
        if name in ("look", "rungs") and kind is SearchSettings:
            raise ValueError(f"--{name} is an option of a staged search (--preset default), not of a single run")
    values = {**options, **given}
    if "fix" in given or "search" in given:  # what is searched is not fixed, even if the preset fixes it
        preset_fix = {n: value for n, value in options.get("fix", {}).items() if n not in given.get("search", ())}
        values["fix"] = {**preset_fix, **given.get("fix", {})}
    settings = make_settings(kind, values)
    start = values.get("start", "")
    model = values.get("model", "") or ("paper" if settings.model == PAPER else start)
    return settings, Sources(model, start, values.get("input", ()))


def _preset(name: str | None, given: Mapping[str, Any]) -> Preset:
    name = preset_for(given, given.get("model", "")) if name is None else name
    if name not in PRESETS:
        raise ValueError(f"unknown preset {shown(name)}; known: {', '.join(PRESETS)}")
    return PRESETS[name]


def preset_for(given: Iterable[str], model: str) -> str:
    """Return the preset to use where none is named: the paper's with an option of a single run."""
    if set(given) & ({*_SINGLE, "start"} - {"sigma"}):
        return "paper-main"
    return "spiking" if model and once(load_model, model).structure.spikes else "default"


def presets_help() -> str:
    """Return the lines of the help that list the presets: their kind, and the options that they set."""
    width, lines = max(map(len, PRESETS)), []
    for name, (kind, options) in PRESETS.items():
        defaults = {} if options else _defaults(kind)
        text = ", ".join(f"{key} {show(value)}" for key, value in to_plain({**defaults, **options}).items())
        lines.append(f"  {name:<{width}} {'staged' if kind is StagedSettings else 'single'}: {text}")
    return "\n".join(lines)


def _defaults(kind: type[Settings]) -> dict[str, Any]:
    """Return the defaults of a kind of search, by option."""
    games = {f.name: f.default for f in fields(FitnessGames)} | dict(kind.default_games)
    own = {f.name: f.default for f in fields(kind)} | {f"games.{name}": value for name, value in games.items()}
    found = {name: own[path] for name, path in PATHS[kind].items()}
    return {name: value for name, value in found.items() if value not in (MISSING, "", 0, 0.0)}


def read_inputs(texts: Iterable[str], model: Model | None, arms: Sequence[int]) -> dict[str, np.ndarray]:
    """Return the values of ``--input``, if they fit the model and all numbers of arms."""
    files = files_of(texts)
    found = tables(files, digests_of(files))
    check_tables(found, files, [model], arms)
    return values_for(model, found)


def _assignment(text: str) -> tuple[str, float]:
    name, separator, value = text.partition("=")
    try:
        if not separator:
            raise ValueError
        return name.strip(), float(value)
    except ValueError:
        raise ValueError(f"--fix takes NAME=VALUE with a number, got {shown(text)}") from None


def _rung(text: str) -> Rung:
    try:
        runs, generations, iterations = map(int, text.split("x"))
        return Rung(runs, generations, iterations)
    except ValueError:
        raise ValueError(
            f"--rungs takes RUNSxGENERATIONSxGAMES,..., such as 8x15x4,1x40x8; got {shown(text)}"
        ) from None
