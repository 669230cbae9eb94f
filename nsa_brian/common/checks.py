"""Argument checks. Each raises a ValueError with the name, the legal values and the value received."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np

from nsa_brian.common.texts import shown

#: The largest signed 32-bit integer, the upper limit of counts such as rounds.
MOST = 2**31 - 1


def check_integer(name: str, value: Any, least: int, most: int | None = None, kinds: Any = (int, np.integer)) -> int:
    """Require a Python or numpy integer in [least, most]; return it as an int."""
    if isinstance(value, bool) or not isinstance(value, kinds) or value < least:
        raise ValueError(f"{name} must be a whole number from {least} up, got {shown(value)}")
    if most is not None and value > most:
        raise ValueError(f"{name} must be at most {most}, got {shown(value)}")
    return int(value)


def check_whole(name: str, value: Any, least: int, most: int | None = MOST) -> None:
    """Require a Python integer in [least, most]; for values stored as JSON, which cannot hold numpy integers."""
    check_integer(name, value, least, most, kinds=(int,))


def check_number(name: str, value: Any, low: float, high: float = math.inf) -> float:
    """Require a finite number in [low, high]; return it as a float."""
    legal = f"from {low:g} up" if high == math.inf else f"from {low:g} to {high:g}"
    real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not real or not low <= value <= high or value == math.inf:
        raise ValueError(f"{name} must be a number {legal}, got {shown(value)}")
    return float(value)


def check_seed(value: Any) -> None:
    """Require a seed that ``numpy.random.default_rng`` accepts: None, or integers from 0 up."""
    try:
        np.random.SeedSequence(value)
    except (TypeError, ValueError):
        raise ValueError(f"seed must be a whole number from 0 up, got {shown(value)}") from None


def make_rng(seed: Any, rng: Any, *verbs: str) -> Any:
    """Return ``rng`` if given, else a new generator with the seed; ``verbs`` are further methods ``rng`` must have."""
    if rng is None:
        check_seed(seed)
        return np.random.default_rng(seed)
    if isinstance(rng, random.Random) or not all(callable(getattr(rng, verb, None)) for verb in ("random", *verbs)):
        raise ValueError(f"rng must be a numpy.random.Generator, got {shown(rng)}")
    return rng


def check_probabilities(name: str, values: np.ndarray) -> None:
    """Require finite numbers in [0, 1]."""
    if values.dtype.kind not in REAL:
        raise ValueError(f"{name} must be numbers from 0 to 1, got an array of {values.dtype}")
    if values.ndim and values.strides[0] == 0:  # all rows are the same memory
        values = values[:1]
    if values.size and not (values.min() >= 0 and values.max() <= 1):  # a NaN fails both
        bad = values[~((values >= 0) & (values <= 1))]
        raise ValueError(f"{name} must be numbers from 0 to 1, got {float(bad.flat[0])}")


#: Numpy's dtype kinds of integers, and of real numbers.
WHOLE, REAL = "iu", "biuf"
#: The unsigned type of each integer type. As unsigned, negative numbers exceed any bound, so one comparison suffices.
UNSIGNED = {np.dtype(f"i{n}"): np.dtype(f"u{n}") for n in (1, 2, 4, 8)}


def one_per_game(what: str, given: Any, n_games: int, high: int, kinds: str) -> np.ndarray:
    """Require one number in [0, high] for each game; return them as an array (games,)."""
    array = given if isinstance(given, np.ndarray) and given.ndim else np.atleast_1d(given)
    right = array.shape == (n_games,) and array.dtype.kind in kinds
    if right:  # comparisons with NaN are false
        unsigned = UNSIGNED.get(array.dtype)
        seen = array if unsigned is None else array.view(unsigned)
        # argmax and argmin find NaN first, too, and take a fifth of the time of max and min.
        if seen[seen.argmax()] <= high and (unsigned is not None or seen[seen.argmin()] >= 0):
            return array
    kind = "whole number" if kinds == WHOLE else "number"
    wanted = f"{what} must be a {kind} from 0 to {high}"
    if n_games > 1:
        wanted = f"{what}s must be {kind}s from 0 to {high}, one for each of {n_games} games"
    if array.shape != (n_games,):
        raise ValueError(f"{wanted}, got an array of shape {array.shape}")
    bad = array[~((array >= 0) & (array <= high))] if right else array
    raise ValueError(f"{wanted}, got {shown(bad.tolist()[0])}")
