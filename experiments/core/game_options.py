"""The options that say which bandit is played and for how long: the same for every command that takes one bandit."""

from __future__ import annotations

import argparse
import dataclasses
import json
from typing import TYPE_CHECKING, Any

import envs
from envs import BANDITS, settings_of

if TYPE_CHECKING:
    from experiments.core.settings import PlaySettings


def _options(name: str) -> str:
    """What ``--env-option`` may set of a bandit, and its presets."""
    own = ", ".join(key for key in settings_of(name) if key not in ("n_games", "trial_rounds"))
    return own + "".join(f"; preset={preset}" for preset in BANDITS[name].presets)


#: For the end of a help text.
BANDITS_AND_OPTIONS = "bandits and their options:\n" + "\n".join(f"  {name:<13}{_options(name)}" for name in BANDITS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options. Those left out (None) take the defaults of PlaySettings."""
    add = parser.add_argument
    add("--env", metavar="NAME", help=f"bandit: {', '.join(BANDITS)} (default MAB-P)")
    add("--env-option", metavar="KEY=VALUE", action="append", default=[], help="a setting of the bandit; repeatable")
    add("--arms", type=int, metavar="K", help="arms (default 10; reversal has 2, a schedule knows its own)")
    add("--trials", type=int, metavar="N", help="trials (default 2)")
    add("--rounds", type=int, metavar="N", help="rounds of a trial (default 2000)")
    add("--seed", type=int, metavar="N", help="same seed, same games (default 0)")


def read(args: argparse.Namespace, noise: float | None = None, **others: Any) -> PlaySettings:
    """Checked settings from these options, the noise if given, and ``others``; a ValueError says what is wrong."""
    from experiments.core.settings import PlaySettings

    names = ("env", "arms", "trials", "rounds", "seed")
    given = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    options = dict(_read_option(text) for text in args.env_option)
    settings = PlaySettings(**given, env_options=options, **others)
    if args.arms is None:
        settings = dataclasses.replace(settings, arms=envs.make(settings.env, **options).n_arms)
    if noise is not None:
        settings = settings.with_noise(noise)
    settings.check()
    return settings


def _read_option(text: str) -> tuple[str, Any]:
    """``KEY=VALUE`` with a number, a list or a text as value."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise ValueError(f"--env-option takes KEY=VALUE, got {text!r}")
    try:
        return key, json.loads(value)
    except json.JSONDecodeError:
        return key, value
