"""Tunable parameters of policies: search ranges, legal values, checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nsa_brian.common.texts import shown

PROBABILITY = (0.0, 1.0)
POSITIVE = (1e-9, 1e9)

#: Transform of each scale to the evenly searched variable, and its inverse.
SCALES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "linear": (lambda x: x, lambda y: y),
    "log": (np.log, np.exp),
    "log-to-one": (lambda x: -np.log1p(-x), lambda y: -np.expm1(-y)),  # 0.9, 0.99, 0.999 are evenly spaced
}


@dataclass(frozen=True)
class Tunable:
    """A tunable parameter of a policy.

    Parameters
    ----------
    low, high : float
        Search range.
    scale : {"linear", "log", "log-to-one"}
        What is searched evenly: the value, its logarithm, or the logarithm of its distance to one.
    legal : (float, float)
        Legal values, both ends included.
    integer : bool
        Whether only integers are legal.
    meaning : str
        Short description.
    """

    low: float
    high: float
    scale: str = "linear"
    legal: tuple[float, float] = PROBABILITY
    integer: bool = False
    meaning: str = ""

    def __post_init__(self) -> None:
        if self.scale not in SCALES:
            raise ValueError(f"scale must be one of {', '.join(SCALES)}, got {shown(self.scale)}")
        if not self.legal[0] <= self.low < self.high <= self.legal[1]:
            raise ValueError(
                f"low and high must satisfy low < high within {self.legal}, got {shown(self.low)} to {self.high}"
            )

    def at(self, position: Any) -> Any:
        """Return the value at a position on the scale: 0 is ``low``, 1 is ``high``; clipped to the legal values."""
        there, back = SCALES[self.scale]
        low, high = there(self.low), there(self.high)
        value = np.clip(back(low + np.asarray(position) * (high - low)), *self.legal)
        return np.rint(value) if self.integer else value

    def position(self, value: Any) -> Any:
        """Return the position of a value on the scale, the inverse of :meth:`at`."""
        there = SCALES[self.scale][0]
        low, high = there(self.low), there(self.high)
        return (there(np.asarray(value, float)) - low) / (high - low)


def per_game(
    name: str, value: Any, n_games: int, legal: tuple[float, float] = POSITIVE, integer: bool = False
) -> np.ndarray:
    """Check a setting, a number or an array (games,), and return one number per game.

    Raises
    ------
    ValueError
        With the setting's name, its legal values and the value received.
    """
    low, high = legal
    kind = "whole number" if integer else "number"
    wanted = f"{name} must be a {kind} from {low:g} to {high:g}"
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{wanted}, got {shown(value)}") from None
    if array.ndim and array.shape != (n_games,):
        raise ValueError(f"{wanted}, or one for each of {n_games} games, got an array of shape {array.shape}")
    bad = ~((array >= low) & (array <= high)) | (integer & (array != np.floor(array)))
    if bad.any():
        raise ValueError(f"{wanted}, got {array[bad][0]:g}")
    return np.full(n_games, array, dtype=np.intp if integer else float)
