"""Bandits. ``make("MAB-D", n_arms=50, tau=100)`` makes one; ``BANDITS`` lists all by name.

To add one, subclass :class:`Bandit`, implement ``_begin`` (probabilities of the first round) and ``_next`` (those of
each later round), and add the class to ``BANDITS``.
"""

import difflib
import inspect
import math
from typing import Any

from envs.base import Bandit
from envs.draws import Randomness
from envs.drift import Drift
from envs.needle import Needle
from envs.partial_sinusoid import PartialSinusoid
from envs.peaked import Peaked
from envs.piecewise import Piecewise
from envs.random_walk import RandomWalk
from envs.reversal import Reversal
from envs.schedule import Schedule, record, to_csv
from envs.seasonal import Seasonal
from envs.sinusoid import Sinusoid
from envs.stationary import Stationary
from envs.switching import Switching
from nsa_brian.common.texts import shown

__all__ = ["BANDITS", "Bandit", "make", "record", "settings_of", "to_csv"]

BANDITS: dict[str, type[Bandit]] = {
    "MAB-P": Piecewise,
    "MAB-D": Drift,
    "MAB-sin": Sinusoid,
    "MAB-sinP": PartialSinusoid,
    "peaked": Peaked,
    "stationary": Stationary,
    "switching": Switching,
    "random-walk": RandomWalk,
    "reversal": Reversal,
    "needle": Needle,
    "seasonal": Seasonal,
    "schedule": Schedule,
}


#: Keywords of every bandit; all others are its settings.
_OF_ALL = ("n_arms", "n_games", "seed", "rng")


def make(
    name: str,
    n_arms: int | None = None,
    n_games: int | None = None,
    seed: int | None = None,
    rng: Randomness | None = None,
    *,
    preset: str | None = None,
    **settings: Any,
) -> Bandit:
    """Make a bandit by name.

    Parameters
    ----------
    name : str
        One of ``BANDITS``.
    n_arms : int, optional
        Number of arms K; by default the bandit's ``default_arms``, which is 10 for most.
    n_games : int, optional
        Number of games played at once; by default one, whose arms and rewards are plain numbers.
    seed : int, optional
        Seed of the random numbers; the same seed gives the same game.
    rng : numpy.random.Generator, optional
        Instead of ``seed``.
    preset : str, optional
        A named group of the bandit's settings; ``settings`` override its values.
    **settings
        ``trial_rounds`` and the settings of the bandit, keywords of its class.

    Raises
    ------
    ValueError
        For an unknown name, preset or setting, or an illegal value.
    """
    _check_name(name)
    bandit = BANDITS[name]
    if preset is not None:
        if not isinstance(preset, str) or preset not in bandit.presets:
            raise ValueError(f"unknown preset {shown(preset)} of {name}; known: {', '.join(bandit.presets) or 'none'}")
        settings = {**bandit.presets[preset], **settings}
    legal = settings_of(name)
    for setting, value in settings.items():
        if setting not in legal:
            raise ValueError(f"unknown setting {shown(setting)} of {name}; known: {', '.join(legal)}")
        if isinstance(legal[setting], int | float) and (isinstance(value, bool) or not _is_finite(value)):
            raise ValueError(f"{setting} of {name} must be a finite number, got {shown(value)}")
    missing = [setting for setting, default in legal.items() if default is inspect.Parameter.empty]
    if missing and missing[0] not in settings:
        raise ValueError(f"{name} needs the setting {missing[0]}")
    arms: Any = bandit.default_arms if n_arms is None else n_arms
    common: dict[str, Any] = {"n_games": n_games, "seed": seed, "rng": rng}
    return bandit(arms, **{key: value for key, value in common.items() if value is not None}, **settings)


def settings_of(name: str) -> dict[str, Any]:
    """Return the settings of a bandit with their defaults, those of its own class first."""
    _check_name(name)
    settings: dict[str, Any] = {}
    for cls in BANDITS[name].__mro__[:-2]:
        for key, parameter in inspect.signature(cls).parameters.items():
            if key not in _OF_ALL and parameter.kind is not inspect.Parameter.VAR_KEYWORD:
                settings.setdefault(key, parameter.default)
    return settings


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except (TypeError, OverflowError):
        return False


def _check_name(name: str) -> None:
    """Raise a ValueError for an unknown bandit, with the nearest known name."""
    if not isinstance(name, str) or name not in BANDITS:
        by_lower = {known.lower(): known for known in BANDITS}
        near = difflib.get_close_matches(str(name)[:80].lower(), by_lower, n=1, cutoff=0.5)
        hint = f"did you mean {by_lower[near[0]]}? " if near else ""
        raise ValueError(f"unknown bandit {shown(name)}; {hint}known: {', '.join(BANDITS)}")
