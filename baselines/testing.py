"""Conformance test for policies."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from baselines.base import Policy
from nsa_brian.common.game_streams import streams


def check_policy(make: Callable[..., Policy], n_rounds: int = 200, bandit: Any = None) -> None:
    """Check what the game loop, the experiments and the tuning require of a policy.

    Parameters
    ----------
    make : callable
        ``make(n_games=..., rng=...)`` returns the policy, such as ``functools.partial(MyPolicy, 4)``.
    n_rounds : int
        Number of rounds to play.
    bandit : optional
        What ``watch`` is called with, if the policy has it; by default a bandit whose ``best_arm`` is 1.

    Raises
    ------
    AssertionError
        If the policy does not conform; one line says why.

    Examples
    --------
    >>> from functools import partial
    >>> import baselines
    >>> check_policy(partial(baselines.make, "ucb1", 4))
    """

    def made(games: range) -> Policy:
        return _watching(make(n_games=len(games), rng=streams(0, "conformance", games)), bandit)

    before = np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002 - it must not change
    chosen = _play(made(range(3)), range(3), n_rounds)
    again = _play(made(range(3)), range(3), n_rounds)
    assert (chosen == again).all(), "choices differ with the same generator and rewards"
    alone = _play(made(range(2, 3)), range(2, 3), n_rounds)
    assert (chosen[:, 2:] == alone).all(), "the choices of a game differ between alone and in a batch"
    overwritten = _play(made(range(3)), range(3), n_rounds, overwrite=True)
    assert (chosen == overwritten).all(), "update() must copy the arrays that it stores: the caller may change them"
    _check_probabilities(made(range(3)), chosen)
    _check_single(_watching(make(n_games=None, rng=np.random.default_rng(0)), bandit))
    _check_refusals(made(range(2)))
    after = np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002
    assert before == after, "random numbers were drawn from numpy's global generator"


def _watching(policy: Any, bandit: Any) -> Any:
    """Give the policy a bandit to watch, if it has ``watch``."""
    if hasattr(policy, "watch"):
        policy.watch(SimpleNamespace(best_arm=1) if bandit is None else bandit)
    return policy


def _play(policy: Any, games: range, n_rounds: int, overwrite: bool = False) -> np.ndarray:
    """Return choices (rounds, games); the last arm pays best, and games have different rewards."""
    uniform = np.random.default_rng(1).random((n_rounds, max(games) + 1))[:, list(games)]
    chosen = []
    for t in range(n_rounds):
        arms = np.asarray(policy.select_arm())
        assert arms.shape == (policy.n_games,), f"select_arm() must return one arm per game, got shape {arms.shape}"
        assert arms.dtype.kind in "iu", f"arms must be whole numbers, got {arms.dtype}"
        assert ((arms >= 0) & (arms < policy.n_arms)).all(), f"arms must be from 0 to {policy.n_arms - 1}, got {arms}"
        rewards = (uniform[t] < (arms + 1) / (policy.n_arms + 1)).astype(float)
        given = arms.copy(), rewards.copy()
        policy.update(*given)
        same = (given[0] == arms).all() and (given[1] == rewards).all()
        assert same, "update() must not change its arguments"
        chosen.append(arms.copy())
        if overwrite:
            given[0][:], given[1][:] = 0, 0.5
    return np.array(chosen)


def _check_probabilities(policy: Policy, chosen: np.ndarray) -> None:
    """Play the choices (rounds, games) once more, asking for probabilities, if the policy has them."""
    try:
        policy.probabilities()
    except ValueError:
        return  # no closed form

    def select(usual: Callable[[], Any] = policy.select_arm) -> Any:
        found = np.asarray(policy.probabilities())
        shape = policy.n_games, policy.n_arms
        assert found.shape == shape, f"probabilities() must have the shape {shape}, got {found.shape}"
        legal = (found >= 0).all() and np.allclose(found.sum(axis=1), 1)
        assert legal, f"probabilities() must be at least 0 and sum to 1 in each game, got {found[0]}"
        arms = usual()
        possible = (found[np.arange(policy.n_games), arms] > 0).all()
        assert possible, "an arm was selected whose probability is 0"
        return arms

    games = range(policy.n_games)
    asked = SimpleNamespace(select_arm=select, update=policy.update, n_games=policy.n_games, n_arms=policy.n_arms)
    assert (_play(asked, games, len(chosen)) == chosen).all(), "probabilities() must not change the choices"


def _check_single(policy: Any) -> None:
    arm = policy.select_arm()
    assert isinstance(arm, int), f"the arm of a single game must be an int, got {type(arm).__name__}"
    policy.update(arm, 1)


def _check_refusals(policy: Policy) -> None:
    policy.select_arm()
    illegal: tuple[tuple[Any, Any], ...] = (
        ([0, -1], [1, 1]),
        ([0, policy.n_arms], [1, 1]),
        ([0.5, 0], [1, 1]),
        ([0, 1], [1, np.nan]),
        ([0, 1], [1, 2]),
        ([0, 1], [1]),
    )
    for arms, rewards in illegal:
        try:
            policy.update(np.array(arms), np.array(rewards))
        except ValueError:
            continue
        raise AssertionError(f"update() must raise a ValueError for arms {arms} with rewards {rewards}")
