"""Numpy functions that are fast for the plain numbers of a single game, too.

A policy is written once, for arrays with one number per game. In a single game these are plain numbers, for which
numpy's functions take twenty times as long as Python's operators.
"""

from typing import Any

import numpy as np

#: Up to this number of arms Python's functions of lists are faster than numpy's.
FEW_ARMS = 32

#: 1 as an array: with a plain number, numpy takes twice as long.
ONE = np.array(1.0)

#: Logarithms of 0 (unused), 1, 2, ..., and the most of them.
_LOGS: list[float] = [0.0]
MOST_LOGS = 100_000


def cells(array: np.ndarray, alone: bool) -> Any:
    """Return an array (games, arms); in a single game its row as a memoryview, whose elements are plain numbers.

    Reading or writing one of them takes half as long as in an array, and calculating with it a fifth.
    """
    return array[0].data if alone else array


def where(condition: Any, yes: Any, no: Any) -> Any:
    """Return ``yes`` where the condition is true, else ``no``."""
    return np.where(condition, yes, no) if isinstance(condition, np.ndarray) else yes if condition else no


def log(x: Any) -> Any:
    """Return the natural logarithm, with the bits of numpy's; ``x`` is at least 1.

    Logarithms of whole numbers are computed in blocks: numpy's function takes seven times as long for a plain number.
    """
    if isinstance(x, np.ndarray):
        return np.log(x)
    n = int(x)
    if n != x or n >= MOST_LOGS:
        return float(np.log(x))
    if n >= len(_LOGS):
        _LOGS.extend(np.log(np.arange(len(_LOGS), n + 1000, dtype=float)).tolist())
    return _LOGS[n]


def maximum(a: Any, b: Any) -> Any:
    """Return the larger of two numbers."""
    return np.maximum(a, b) if isinstance(a, np.ndarray) else a if a > b else b


def minimum(a: Any, b: Any) -> Any:
    """Return the smaller of two numbers."""
    return np.minimum(a, b) if isinstance(a, np.ndarray) else a if a < b else b


def whole(x: Any) -> Any:
    """Round down to an index; ``x`` is at least 0."""
    return x.astype(np.intp) if isinstance(x, np.ndarray) else int(x)


def column(x: Any) -> Any:
    """Return one number per game as an array (games, 1), to combine with arrays (games, arms)."""
    return x[:, None] if isinstance(x, np.ndarray) else x


def any_of(condition: Any) -> Any:
    """Return whether the condition is true in any game."""
    return condition.any() if isinstance(condition, np.ndarray) else condition
