"""Conformance test for bandits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from envs.base import Bandit, pay
from nsa_brian.common.game_streams import streams

#: Probabilities (rounds, games, arms) and rewards (rounds, games).
Played = tuple[np.ndarray, np.ndarray]


def check_bandit(make: Callable[..., Bandit], n_rounds: int = 60) -> None:
    """Check what the game loop, the experiments and the search require of a bandit.

    Parameters
    ----------
    make : callable
        ``make(n_games=..., rng=...)`` returns the bandit, such as ``functools.partial(MyBandit, 4)``.
    n_rounds : int
        Number of rounds to play.

    Raises
    ------
    AssertionError
        If the bandit does not conform; one line says why.

    Examples
    --------
    >>> from functools import partial
    >>> import envs
    >>> check_bandit(partial(envs.make, "switching", 4))
    """
    before = np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002 - it must not change
    played = _play(_made(make, range(3)), n_rounds)
    _check_same(played, _play(_made(make, range(3)), n_rounds), "two games with the same generator differ")
    _check_same(
        played, _play(_made(make, range(3)), n_rounds, arm=1), "the game depends on the arms pulled", rewards=False
    )
    alone = _play(_made(make, range(2, 3)), n_rounds)
    _check_same((played[0][:, 2:], played[1][:, 2:]), alone, "a game differs between alone and in a batch")
    used = _made(make, range(3))
    _play(used, n_rounds)
    used.reset(streams(0, "conformance", range(3)))
    assert used.round == 0, "reset() must set round to 0"
    _check_same(played, _play(used, n_rounds), "the game differs after reset()")
    other = _play(_made(make, range(3, 6)), n_rounds)
    assert (other[1] != played[1]).any(), "games with different generators have the same rewards"
    _check_ahead(_made(make, range(3)), played)
    _check_single(make(n_games=None, rng=np.random.default_rng(0)))
    _check_refusals(_made(make, range(2)))
    after = np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002
    assert before == after, "random numbers were drawn from numpy's global generator"


def _made(make: Callable[..., Bandit], games: range) -> Bandit:
    return make(n_games=len(games), rng=streams(0, "conformance", games))


def _play(bandit: Bandit, n_rounds: int, arm: int = 0) -> Played:
    shape, arms = (bandit.n_games, bandit.n_arms), np.full(bandit.n_games, arm)
    probabilities, rewards = [], []
    for t in range(n_rounds):
        if t:
            bandit.step()
        p = np.asarray(bandit.probabilities)
        assert bandit.round == t, f"round must be {t} after {t} steps, got {bandit.round}"
        assert p.shape == shape, f"probabilities must be of shape {shape}, got {p.shape}"
        assert ((p >= 0) & (p <= 1)).all(), f"probabilities must be from 0 to 1, got {p.min()} to {p.max()}"
        assert (bandit.best_arm == p.argmax(axis=1)).all(), "best_arm must be the arm with the highest probability"
        reward = np.asarray(bandit.pull(arms))
        assert reward.shape == (bandit.n_games,), f"pull() must return one reward per game, got shape {reward.shape}"
        assert np.isin(reward, (0, 1)).all(), "rewards must be 0 or 1"
        assert (reward == bandit.pull(arms)).all(), "pulling twice in a round must give the same reward"
        probabilities.append(p.copy())
        rewards.append(reward.copy())
    return np.array(probabilities), np.array(rewards)


def _check_same(first: Played, second: Played, message: str, rewards: bool = True) -> None:
    assert (first[0] == second[0]).all(), f"{message}: probabilities differ"
    assert not rewards or (first[1] == second[1]).all(), f"{message}: rewards differ"


def _check_ahead(bandit: Bandit, played: Played) -> None:
    """Check that two calls of ahead() equal steps."""
    n_rounds = len(played[0])
    first = bandit.ahead(n_rounds // 2)
    bandit.step()
    second = bandit.ahead(n_rounds - n_rounds // 2)
    probabilities, uniform = (np.concatenate(parts) for parts in zip(first, second, strict=True))
    assert probabilities.shape == played[0].shape, "ahead() must return probabilities of shape (rounds, games, arms)"
    assert (probabilities == played[0]).all(), "probabilities of ahead() and step() differ"
    assert bandit.round == n_rounds - 1, "ahead() must advance to the last of its rounds"
    if bandit.plays_ahead:
        arms = np.zeros(bandit.n_games, int)
        rewards = [pay(p, u, arms) for p, u in zip(probabilities, uniform, strict=True)]
        assert (np.array(rewards) == played[1]).all(), "rewards of ahead() and pull() differ"


def _check_single(bandit: Bandit) -> None:
    assert isinstance(bandit.best_arm, int), "best_arm of a single game must be an int"
    assert isinstance(bandit.pull(0), int), "the reward of a single game must be an int"


def _check_refusals(bandit: Bandit) -> None:
    illegal: tuple[Any, ...] = ([0, -1], [0, bandit.n_arms], [0.5, 0], [0, 1, 0])
    for arms in illegal:
        try:
            bandit.pull(np.array(arms))
        except ValueError:
            continue
        raise AssertionError(f"pull() must raise a ValueError for arms {arms} of {bandit.n_arms}")
