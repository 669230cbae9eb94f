"""What any engine owes its users, whatever its neurons are."""

import brian2
import numpy as np


def check_engine(make, n_rounds=6):
    """Run an engine through everything that the game loop and the experiments rely on.

    ``make(n_games, seed)`` makes it, with three arms or so; see tests/test_model.py.
    """
    before, device = brian2.prefs.as_file, brian2.get_device()
    played = [_play(make(2, seed=1), n_rounds) for _ in range(2)]
    _same_seed_same_game(*played)
    _learns_where_it_pulls(make(2, seed=2))
    _forgets(make(1, seed=3))
    assert brian2.prefs.as_file == before, "the user's preferences were changed"
    assert brian2.get_device() is device


def _play(engine, n_rounds):
    rewards = np.random.default_rng(0).random((n_rounds, engine.n_games)) < 0.7
    arms = []

    def pull(chosen):
        arms.append(chosen.copy())
        return rewards[len(arms) - 1].astype(np.int8)

    engine.play(pull, n_rounds)
    arms = np.array(arms)
    assert arms.shape == (n_rounds, engine.n_games), "play asks once a round"
    assert ((arms >= 0) & (arms < engine.n_arms)).all()
    assert engine.activity.shape == (2, engine.n_games, engine.n_arms)
    assert np.isfinite(engine.activity).all()
    assert engine.agreed.shape == (engine.n_games,)
    highest = max(p.w_max for p in engine.parameters)
    assert (engine.w >= 0).all()
    assert (engine.w <= highest).all()
    return arms, engine.w.copy()


def _same_seed_same_game(first, second):
    assert (first[0] == second[0]).all(), "the same seed and rewards gave other choices"
    assert (first[1] == second[1]).all()


def _learns_where_it_pulls(engine):
    engine.respond()
    engine.select()
    before = engine.w.copy()
    engine.learn(np.array([0, engine.n_arms - 1]), np.array([1.0, 1.0]))
    changed = engine.w != before
    assert changed.sum(axis=1).tolist() == [1, 1]
    assert changed[0, 0]
    assert changed[1, -1]


def _forgets(engine):
    engine.set_weights(np.linspace(0, 1, engine.n_arms))
    assert engine.w[0].tolist() == np.linspace(0, 1, engine.n_arms).tolist()
    engine.reset()
    assert (engine.w == 0).all()
