"""The agreement rule: exploit the arm that U and V agree on, explore at random when they do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

TIES = ("random", "first")

#: Uniform numbers that one decision takes: the tie in U, the tie in V, the random arm.
N_LUCK = 3


#: The weights of all options (games, arms) to explore them, for the favourites (games,) of U and of V.
Weigh = Callable[[np.ndarray, np.ndarray], np.ndarray]


def select(
    activity: np.ndarray,
    luck: np.ndarray,
    ties: str = "random",
    tolerance: Any = 1e-6,
    weigh: Weigh | None = None,
    exploit: str = "agreement",
) -> tuple[np.ndarray, np.ndarray]:
    """Choose an arm in each game by the paper's rule: argmax v if argmax u = argmax v, else a random arm.

    Parameters
    ----------
    activity : array (2, games, arms)
        The activities u and v at the end of phase 2.
    luck : array (games, 3)
        Uniform numbers in [0, 1): for the tie in U, the tie in V, the random arm.
    ties : {"random", "first"}
        ``"random"``: arms within ``tolerance`` of the maximum tie, and each population breaks its tie by its own
        luck, so that an untrained network explores. ``"first"``, as the authors' public code has it: exact comparison,
        the first index wins; and where U is silent, its maximum not above 0, there is nothing to agree on. Activities
        must then be exact: saturated ones may differ by 2e-16, and the engine ``table``, which interpolates, refuses
        ``"first"``; use ``rounds``.
    tolerance : float, or two of them
        What counts as a tie, in U and in V: engines and float widths differ in the last bits, and no neuron reads them.
    weigh : callable, optional
        How likely each arm is to be explored, in proportion; by default all are as likely.
    exploit : {"agreement", "never"}
        When the arm that V shows most of is taken.

    Returns
    -------
    arms : array of int (games,)
    agreed : array of bool (games,)
    """
    _, n_games, n_arms = activity.shape
    if ties == "random":
        rows = activity.reshape(2 * n_games, n_arms)
        near = tolerance if isinstance(tolerance, float) else np.repeat(np.broadcast_to(tolerance, 2), n_games)[:, None]
        k_u, k_v = _random_argmax(rows, luck[:, :2].T.ravel(), near).reshape(2, n_games)
        agreed = k_u == k_v
    else:
        k_u, k_v = activity.argmax(axis=2)
        agreed = (k_u == k_v) & (activity[0].max(axis=1) > 0)
    explored = (luck[:, 2] * n_arms).astype(np.intp)
    if weigh is not None:
        explored = _drawn(weigh(k_u, k_v), luck[:, 2], explored)
    return (np.where(agreed, k_v, explored) if exploit == "agreement" else explored), agreed


def _drawn(weights: np.ndarray, luck: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    """The arm of each game that its luck falls on, weights laid end to end; another where they are all 0."""
    upto = np.cumsum(np.maximum(weights, 0), axis=1)
    total = upto[:, -1]
    found = (upto <= (luck * total)[:, None]).sum(axis=1)
    return np.where(total > 0, np.minimum(found, weights.shape[1] - 1), otherwise)


def choice_probabilities(
    activity: np.ndarray,
    ties: str = "random",
    tolerance: Any = 1e-6,
    weigh: Weigh | None = None,
    exploit: str = "agreement",
) -> np.ndarray:
    """The probability of each arm by the same rule, over all luck.

    With tied sets T_u and T_v, U and V have each pair of favourites with probability 1 / (|T_u| |T_v|). Where the two
    are one arm, it is taken; with what remains they disagree, and arms are as likely as they are weighed. With
    ``ties="first"`` each set is one arm, and that of a silent U is empty.

    Parameters
    ----------
    activity, ties, tolerance, weigh, exploit
        See :func:`select`.

    Returns
    -------
    array (games, arms)
    """
    n_arms = activity.shape[2]
    if ties == "random":
        near = tolerance if np.ndim(tolerance) == 0 else np.asarray(tolerance)[:, None, None]
        tied = activity >= activity.max(axis=2, keepdims=True) - near
        shares = tied / tied.sum(axis=2, keepdims=True)
    else:
        shares = np.arange(n_arms) == activity.argmax(axis=2)[:, :, None]
    exploited = shares[0] * shares[1]
    if ties == "first":  # where U is silent, there is nothing to agree on
        exploited = exploited & (activity[0].max(axis=1, keepdims=True) > 0)
    exploited = exploited.astype(float) if exploit == "agreement" else np.zeros(exploited.shape)
    if weigh is None:
        return exploited + (1 - exploited.sum(axis=1, keepdims=True)) / n_arms
    found = exploited.copy()
    for i in range(n_arms):
        for j in range(n_arms):
            here = shares[0, :, i] * shares[1, :, j]
            if i == j:
                here = here - exploited[:, i]
            if here.any():
                arms = np.full((2, len(here)), [[i], [j]])
                weights = np.maximum(weigh(*arms), 0)
                total = weights.sum(axis=1, keepdims=True)
                with np.errstate(invalid="ignore", divide="ignore"):
                    found += here[:, None] * np.where(total > 0, weights / total, 1 / n_arms)
    return found


def _random_argmax(x: np.ndarray, luck: np.ndarray, tolerance: Any) -> np.ndarray:
    """An index of each row's maximum: of those that tie with it, the one that the row's luck falls on."""
    tied = x >= np.maximum.reduce(x, axis=1, keepdims=True) - tolerance
    where = tied.ravel().nonzero()[0]  # row by row, and so the ties of a row start where those before it end
    if len(where) > len(x):
        count = np.add.reduce(tied, axis=1)
        where = where[count.cumsum() - count + (luck * count).astype(np.intp)]
    return where % x.shape[1]
