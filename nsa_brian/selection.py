"""The agreement rule: exploit the arm that U and V agree on, explore at random when they do not."""

from __future__ import annotations

import numpy as np

TIES = ("random", "first")

#: Uniform numbers that one decision takes: the tie in U, the tie in V, the random arm.
N_LUCK = 3


def select(
    u: np.ndarray, v: np.ndarray, luck: np.ndarray, ties: str = "random", tolerance: float = 1e-6
) -> tuple[np.ndarray, np.ndarray]:
    """Choose an arm in each game by the paper's rule: argmax v if argmax u = argmax v, else a random arm.

    Parameters
    ----------
    u, v : array (games, arms)
        Activities at the end of phase 2.
    luck : array (games, 3)
        Uniform numbers in [0, 1): for the tie in U, the tie in V, the random arm.
    ties : {"random", "first"}
        ``"random"``: arms within ``tolerance`` of the maximum tie, and each population breaks its tie by its own
        luck, so that an untrained network explores. ``"first"``: exact comparison, the first index wins.
    tolerance : float
        What counts as a tie: engines and float widths differ in the last bits, and no neuron reads them.

    Returns
    -------
    arms : array of int (games,)
    agreed : array of bool (games,)
    """
    if ties == "random":
        k_u = _random_argmax(u, luck[:, 0], tolerance)
        k_v = _random_argmax(v, luck[:, 1], tolerance)
    else:
        k_u, k_v = u.argmax(axis=1), v.argmax(axis=1)
    agreed = k_u == k_v
    explored = (luck[:, 2] * u.shape[1]).astype(np.intp)
    return np.where(agreed, k_v, explored), agreed


def _random_argmax(x: np.ndarray, luck: np.ndarray, tolerance: float) -> np.ndarray:
    """An index of each row's maximum, one of those that tie with it."""
    tied = x >= x.max(axis=1, keepdims=True) - tolerance
    count = tied.sum(axis=1)
    first = tied.argmax(axis=1)
    several = np.flatnonzero(count > 1)
    if several.size:
        nth = (luck[several] * count[several]).astype(np.intp)
        first[several] = (tied[several].cumsum(axis=1) > nth[:, None]).argmax(axis=1)
    return first
