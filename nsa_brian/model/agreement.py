"""The agreement rule: exploit the arm that U and V agree on, explore at random when they do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

TIES = ("random", "first")

#: Number of uniform random numbers per decision: the tie in U, the tie in V, the random arm.
N_LUCK = 3


#: Maps the favourites (games,) of U and of V to the exploration weights of all arms (games, arms).
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
        Uniform random numbers in [0, 1): for the tie in U, the tie in V, the random arm.
    ties : {"random", "first"}
        ``"random"``: arms within ``tolerance`` of the maximum tie, and each population breaks its tie by its own
        random number, so that an untrained network explores. ``"first"``, as in the authors' public code: exact
        comparison, the first index wins, and a silent U, whose maximum is not above 0, agrees with nothing. Activities
        must then be exact, since saturated ones may differ by 2e-16; the engine ``table``, which interpolates, refuses
        ``"first"``, so use ``rounds``.
    tolerance : float, or two of them
        Largest difference that counts as a tie, in U and in V: engines and float widths differ in the last bits.
    weigh : callable, optional
        Returns weights to which the probabilities of exploring arms are proportional; by default all are equal.
    exploit : {"agreement", "never"}
        When V's favourite arm is taken.

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
    """Draw an arm of each game in proportion to its weight; ``otherwise`` where all weights are 0."""
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
    offered: np.ndarray | None = None,
) -> np.ndarray:
    """Return the probability of each arm under the same rule.

    With tied sets T_u and T_v, each pair of favourites of U and V has probability 1 / (|T_u| |T_v|). If both are the
    same arm, it is taken; otherwise arms are drawn in proportion to their weights. With ``ties="first"`` each set is
    one arm, and that of a silent U is empty.

    Parameters
    ----------
    activity, ties, tolerance, weigh, exploit
        See :func:`select`.
    offered : array of bool (games, arms), optional
        Arms that can be chosen, by default all: U and V have their favourites among these, and arms that explore are
        drawn from them.

    Returns
    -------
    array (games, arms)
    """
    n_arms = activity.shape[2]
    among: Any = np.ones(n_arms) if offered is None else offered
    n_offered = among.sum(axis=-1, keepdims=True)
    if offered is not None:
        activity = np.where(offered, activity, -np.inf)
    if ties == "random":
        near = tolerance if np.ndim(tolerance) == 0 else np.asarray(tolerance)[:, None, None]
        tied = activity >= activity.max(axis=2, keepdims=True) - near
        shares = tied / tied.sum(axis=2, keepdims=True)
    else:
        shares = np.arange(n_arms) == activity.argmax(axis=2)[:, :, None]
    exploited = shares[0] * shares[1]
    if ties == "first":  # a silent U agrees with nothing
        exploited = exploited & (activity[0].max(axis=1, keepdims=True) > 0)
    exploited = exploited.astype(float) if exploit == "agreement" else np.zeros(exploited.shape)
    if weigh is None:
        return exploited + (1 - exploited.sum(axis=1, keepdims=True)) / n_offered * among
    found = exploited.copy()
    for i in range(n_arms):
        for j in range(n_arms):
            here = shares[0, :, i] * shares[1, :, j]
            if i == j:
                here = here - exploited[:, i]
            if here.any():
                arms = np.full((2, len(here)), [[i], [j]])
                weights = np.maximum(weigh(*arms), 0) * among
                total = weights.sum(axis=1, keepdims=True)
                with np.errstate(invalid="ignore", divide="ignore"):
                    found += here[:, None] * np.where(total > 0, weights / total, among / n_offered)
    return found


def _random_argmax(x: np.ndarray, luck: np.ndarray, tolerance: Any) -> np.ndarray:
    """Return an index of each row's maximum, drawn among ties by the row's random number."""
    tied = x >= np.maximum.reduce(x, axis=1, keepdims=True) - tolerance
    where = tied.ravel().nonzero()[0]  # sorted by row: the ties of a row follow those of the row before
    if len(where) > len(x):
        count = np.add.reduce(tied, axis=1)
        where = where[count.cumsum() - count + (luck * count).astype(np.intp)]
    return where % x.shape[1]
