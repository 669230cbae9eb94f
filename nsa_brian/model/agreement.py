"""The agreement rule: exploit the arm that U and V agree on, explore at random when they do not."""

from __future__ import annotations

import numpy as np

TIES = ("random", "first")

#: Uniform numbers that one decision takes: the tie in U, the tie in V, the random arm.
N_LUCK = 3


def select(
    activity: np.ndarray, luck: np.ndarray, ties: str = "random", tolerance: float = 1e-6
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
    tolerance : float
        What counts as a tie: engines and float widths differ in the last bits, and no neuron reads them.

    Returns
    -------
    arms : array of int (games,)
    agreed : array of bool (games,)
    """
    _, n_games, n_arms = activity.shape
    if ties == "random":
        rows = activity.reshape(2 * n_games, n_arms)
        k_u, k_v = _random_argmax(rows, luck[:, :2].T.ravel(), tolerance).reshape(2, n_games)
        agreed = k_u == k_v
    else:
        k_u, k_v = activity.argmax(axis=2)
        agreed = (k_u == k_v) & (activity[0].max(axis=1) > 0)
    explored = (luck[:, 2] * n_arms).astype(np.intp)
    return np.where(agreed, k_v, explored), agreed


def choice_probabilities(activity: np.ndarray, ties: str = "random", tolerance: float = 1e-6) -> np.ndarray:
    """The probability of each arm by the same rule, over all luck.

    With tied sets T_u and T_v, U and V agree on an arm of both with probability 1 / (|T_u| |T_v|) each; with what
    remains they disagree, and every arm is as likely as any other. With ``ties="first"`` each set is one arm, and that
    of a silent U is empty.

    Parameters
    ----------
    activity, ties, tolerance
        See :func:`select`.

    Returns
    -------
    array (games, arms)
    """
    n_arms = activity.shape[2]
    if ties == "random":
        tied = activity >= activity.max(axis=2, keepdims=True) - tolerance
        shares = tied / tied.sum(axis=2, keepdims=True)
    else:
        shares = np.arange(n_arms) == activity.argmax(axis=2)[:, :, None]
        shares[0] &= activity[0].max(axis=1, keepdims=True) > 0
    agreed = shares[0] * shares[1]
    return agreed + (1 - agreed.sum(axis=1, keepdims=True)) / n_arms


def _random_argmax(x: np.ndarray, luck: np.ndarray, tolerance: float) -> np.ndarray:
    """An index of each row's maximum: of those that tie with it, the one that the row's luck falls on."""
    tied = x >= np.maximum.reduce(x, axis=1, keepdims=True) - tolerance
    where = tied.ravel().nonzero()[0]  # row by row, and so the ties of a row start where those before it end
    if len(where) > len(x):
        count = np.add.reduce(tied, axis=1)
        where = where[count.cumsum() - count + (luck * count).astype(np.intp)]
    return where % x.shape[1]
