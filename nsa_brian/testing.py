"""Conformance test for engines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import brian2
import numpy as np

from nsa_brian.engines.base import Engine
from nsa_brian.model.model import PAPER


def check_engine(make: Callable[[int, int], Engine], n_rounds: int = 6) -> None:
    """Check that an engine does all that the game loop and the experiments rely on.

    Parameters
    ----------
    make : callable
        ``make(n_games, seed=...)`` creates the engine, with about three arms.
    n_rounds : int
        Number of rounds of a game.

    Raises
    ------
    AssertionError
        If the engine does not conform.
    """
    before, device = brian2.prefs.as_file, brian2.get_device()
    maker: Any = make
    played = [_play(maker(2, seed=1), n_rounds) for _ in range(2)]
    _same_seed_same_game(*played)
    _learns_where_it_pulls(maker(2, seed=2))
    _forgets(maker(1, seed=3))
    assert brian2.prefs.as_file == before, "the user's preferences were changed"
    assert brian2.get_device() is device, "the user's device was changed"


def _play(engine: Engine, n_rounds: int) -> tuple[np.ndarray, np.ndarray]:
    rewards = np.random.default_rng(0).random((n_rounds, engine.n_games)) < 0.7
    pulled: list[np.ndarray] = []

    def pull(chosen: np.ndarray) -> np.ndarray:
        pulled.append(chosen.copy())
        return rewards[len(pulled) - 1].astype(np.int8)

    engine.play(pull, n_rounds)
    arms = np.array(pulled)
    assert arms.shape == (n_rounds, engine.n_games), "play must call pull once per round"
    assert ((arms >= 0) & (arms < engine.n_arms)).all(), "arms must be from 0 to n_arms - 1"
    assert engine.activity.shape == (2, engine.n_games, engine.n_arms)
    assert np.isfinite(engine.activity).all()
    assert engine.agreed.shape == (engine.n_games,)
    assert np.isfinite(engine.w).all()
    if engine.model == PAPER:
        highest = max(p.w_max for p in engine.parameters)
        assert (engine.w >= 0).all(), "the paper's weights must not be negative"
        assert (engine.w <= highest).all(), "the paper's weights must not exceed w_max"
    return arms, engine.w.copy()


def _same_seed_same_game(first: tuple[np.ndarray, np.ndarray], second: tuple[np.ndarray, np.ndarray]) -> None:
    assert (first[0] == second[0]).all(), "the same seed and rewards gave different choices"
    assert (first[1] == second[1]).all(), "the same seed and rewards gave different weights"


def _learns_where_it_pulls(engine: Engine) -> None:
    engine.respond()
    engine.select()
    before = engine.w.copy()
    engine.learn(np.array([0, engine.n_arms - 1]), np.array([1.0, 1.0]))
    changed = engine.w != before
    assert changed[0, 0], "the pulled arm of the first game must learn"
    assert changed[1, -1], "the pulled arm of the second game must learn"
    if engine.model.plasticity == PAPER.plasticity:
        assert changed.sum(axis=1).tolist() == [1, 1], "arms that were not pulled must not learn"


def _forgets(engine: Engine) -> None:
    fresh = engine.w.copy()
    engine.set_weights(np.linspace(0, 1, engine.n_arms))
    assert engine.w[0].tolist() == np.linspace(0, 1, engine.n_arms).tolist(), "set_weights must set the weights"
    engine.reset()
    assert (engine.w == fresh).all(), "reset must restore the initial weights"
