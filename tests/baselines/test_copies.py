"""Pickles and copies of policies and bandits in mid-game go on as the originals do, and share nothing with them."""

import copy
import pickle

import numpy as np
import pytest

import baselines
import envs
from baselines.oracles import BestArm, OracleRestart
from nsa_brian.common.game_streams import streams

ARMS, BEFORE, AFTER = 4, 120, 120
WAYS = {
    "pickle": lambda pair: pickle.loads(pickle.dumps(pair)),
    "pickled twice": lambda pair: pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(pair)))),
    "deepcopy": copy.deepcopy,
    "copy": lambda pair: tuple(map(copy.copy, pair)),
}


def play(policy, bandit, n_rounds):
    if (hasattr(policy, "watch") and bandit.round == 0) or isinstance(policy, BestArm | OracleRestart):
        policy.watch(bandit)
    found = []
    for _ in range(n_rounds):
        arms = policy.select_arm()
        policy.update(arms, bandit.pull(arms))
        found.append(np.ravel(arms))
        bandit.step()
    return np.array(found)


def game(name, n_games, **bandit):
    settings = {"seed": 1} if n_games is None else {"n_games": n_games, "rng": streams(0, name, range(n_games))}
    env = "MAB-P" if name == "oracle-bayes" else "switching"
    return baselines.make(name, ARMS, **settings), envs.make(env, ARMS, n_games=n_games, seed=2, **bandit)


@pytest.mark.parametrize("n_games", [None, 3])
@pytest.mark.parametrize("name", baselines.POLICIES)
def test_policies_go_on(name, n_games):
    whole = play(*game(name, n_games), BEFORE + AFTER)
    pair = game(name, n_games)
    play(*pair, BEFORE)
    copies = {way: copied(pair) for way, copied in WAYS.items()}
    for way, (policy, bandit) in {**copies, "original": pair}.items():
        assert (play(policy, bandit, AFTER) == whole[BEFORE:]).all(), way


@pytest.mark.parametrize("n_games", [None, 2])
@pytest.mark.parametrize("name", envs.BANDITS)
def test_bandits_go_on(name, n_games):
    settings = {"table": np.random.default_rng(0).random((70, ARMS))} if name == "schedule" else {}
    if name != "schedule" and envs.BANDITS[name].default_arms == envs.Bandit.default_arms:
        settings["n_arms"] = ARMS
    bandit = envs.make(name, n_games=n_games, seed=3, trial_rounds=20, **settings)
    for _ in range(30):
        bandit.step()
    copies = [copied((bandit,))[0] for copied in WAYS.values()]
    found = [rounds(each, 30) for each in (bandit, *copies)]
    assert all((each == found[0]).all() for each in found)


def rounds(bandit, n_rounds):
    arms = np.zeros(bandit.n_games, dtype=int)
    found = []
    for _ in range(n_rounds):
        found.append(np.append(bandit.probabilities.ravel(), bandit.pull(arms if not bandit._single else 0)))
        bandit.step()
    return np.array(found)


def test_a_copy_in_a_single_game_has_arrays_of_its_own():
    policy = baselines.make("ucb1", ARMS, seed=1)
    policy.update(2, 1)
    other = copy.copy(policy)
    other.update(2, 0)
    assert (policy.pulls[0, 2], other.pulls[0, 2]) == (1, 2)
    assert (policy.means[0, 2], other.means[0, 2]) == (1, 0.5)
