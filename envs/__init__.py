"""The bandits. ``make("MAB-D", n_arms=50, tau=100)`` builds one; ``BANDITS`` names them all.

To add your own, derive from :class:`Bandit`, say what the probabilities are at the start (``_begin``) and in each
later round (``_next``), and enter the class into ``BANDITS``.
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


#: Keywords of all bandits that say nothing of what they are like.
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
    """Build a bandit by name.

    Parameters
    ----------
    name : str
        One of ``BANDITS``.
    n_arms : int, optional
        Arms K; by default what is usual for the bandit (``default_arms``), which is 10 for most.
    n_games : int, optional
        Games played side by side; by default one, whose arms and rewards are plain numbers.
    seed : int, optional
        Same seed, same probabilities and luck.
    rng : numpy.random.Generator, optional
        Instead of ``seed``.
    preset : str, optional
        A named group of the bandit's settings; settings given by themselves go before it.
    **settings
        ``trial_rounds`` and the bandit's own, each a keyword of its class.

    Raises
    ------
    ValueError
        For an unknown name, preset or setting, or a value that the bandit refuses.
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
    """The keywords that say what a bandit is like, with their defaults, its own ones first."""
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
    """Refuse a bandit that there is not, with the nearest that there is."""
    if not isinstance(name, str) or name not in BANDITS:
        by_lower = {known.lower(): known for known in BANDITS}
        near = difflib.get_close_matches(str(name)[:80].lower(), by_lower, n=1, cutoff=0.5)
        hint = f"did you mean {by_lower[near[0]]}? " if near else ""
        raise ValueError(f"unknown bandit {shown(name)}; {hint}known: {', '.join(BANDITS)}")
