"""Choice probabilities against the policies' own choices, for subjects whose choices are not the policy's."""

import numpy as np
import pytest

import baselines
from baselines.behaviour import BehaviourModel
from nsa_brian.common.game_streams import streams

ORACLES = ("oracle-restart", "best-arm", "oracle-bayes")
WITHOUT = ("thompson", "d-thompson", "f-dsw-thompson", "forced-exploration", *ORACLES)
CLOSED = [name for name in baselines.POLICIES if name not in WITHOUT]
MODELS = [name for name, policy in baselines.POLICIES.items() if issubclass(policy, BehaviourModel)]
#: Settings in which every rule takes part, beside the defaults.
SETTINGS = {
    "epsilon-greedy": {"epsilon": 0.3, "ties": "random"},
    "optimistic": {"epsilon": 0.2, "start": 0.7},
    "vdbe": {"sigma": 0.05, "step": 0.5, "ties": "random"},
    "m-ucb": {"window": 20, "epsilon": 0.3, "exploration": 0.3, "delta": 0.9},
    "glr-klucb": {"delta": 0.9, "epsilon": 0.3, "exploration": 0.4},
    "cusum-ucb": {"threshold": 2.5, "epsilon": 0.2, "n_first": 8},
    "sw-ucb": {"window": 12},
}
N_ARMS = 4


def subject(n_rounds, seed=3):
    """Choices and rewards that no policy made: some arms come late, and some for long."""
    rng = np.random.default_rng(seed)
    arms = np.where(np.arange(n_rounds) < 6, 2, rng.integers(N_ARMS, size=n_rounds))
    return arms.tolist(), (rng.random(n_rounds) < 0.2 + 0.2 * arms).astype(float).tolist()


def fed(name, n_rounds, n_games=None, **settings):
    policy = baselines.make(name, N_ARMS, n_games=n_games, seed=5, **settings)
    for arm, reward in zip(*subject(n_rounds), strict=True):
        policy.update(*((arm, reward) if n_games is None else (np.full(n_games, arm), np.full(n_games, reward))))
    return policy


@pytest.mark.parametrize("n_rounds", [0, 1, 7, 30, 120])
@pytest.mark.parametrize("name", CLOSED)
def test_probabilities_are_frequencies_of_the_choices_of_many_policies_that_saw_the_same(name, n_rounds):
    defaults = [] if name == "optimistic" else [{}]  # its default start equals the reward 1, where it is inexact
    for settings in [*defaults, *([SETTINGS[name]] if name in SETTINGS else [])]:
        many = fed(name, n_rounds, 4000, **settings)
        expected = fed(name, n_rounds, **settings).probabilities()
        found = np.bincount(many.select_arm(), minlength=N_ARMS) / 4000
        error = np.sqrt(expected * (1 - expected) / 4000)
        assert (np.abs(found - expected) <= 4 * error + 1e-12).all(), (settings, found, expected)


@pytest.mark.parametrize("name", CLOSED)
def test_asking_for_them_changes_nothing_and_a_batch_is_its_games(name):
    n_games = 3
    asked, other = (baselines.make(name, N_ARMS, n_games=n_games, rng=streams(0, name, range(3))) for _ in range(2))
    alone = baselines.make(name, N_ARMS, n_games=1, rng=streams(0, name, range(2, 3)))
    single = baselines.make(name, N_ARMS, seed=0)
    rng = np.random.default_rng(1)
    for _ in range(60):
        found = asked.probabilities()
        assert found.shape == (n_games, N_ARMS)
        assert found.sum(axis=1) == pytest.approx(1)
        assert (found >= 0).all()
        assert alone.probabilities() == pytest.approx(found[2:], abs=1e-12)
        assert single.probabilities() == pytest.approx(found[2], abs=1e-12)
        arms = asked.select_arm()
        assert (arms == other.select_arm()).all()
        rewards = (rng.random(n_games) < 0.3 + 0.1 * arms).astype(float)
        for policy in (asked, other):
            policy.update(arms, rewards)
        alone.update(arms[2:], rewards[2:])
        single.update(int(arms[2]), float(rewards[2]))


@pytest.mark.parametrize("name", CLOSED)
def test_only_offered_arms_are_chosen_and_by_the_same_rule(name):
    for n_rounds in (0, 3, 40):
        policy = fed(name, n_rounds)
        everything = policy.probabilities()
        assert (policy.probabilities(np.ones(N_ARMS, bool)) == everything).all()
        for offered in ([True, False, True, False], [False, True, False, False]):
            found = policy.probabilities(np.array(offered))
            assert (found[~np.array(offered)] == 0).all()
            assert found.sum() == pytest.approx(1)
        best = everything.argmax()
        two = np.arange(N_ARMS) == best
        two[(best + 1) % N_ARMS] = True
        among = policy.probabilities(two)
        assert among[best] >= among[(best + 1) % N_ARMS] - 1e-12  # the better one stays the better one


def test_a_softmax_is_renormalised_and_the_greedy_take_the_best_that_is_offered():
    q = baselines.make("q-learning", 3, beta=2.0, step=0.5)
    q.update(0, 1)  # values 0.75, 0.5, 0.5
    weights = np.exp(2 * np.array([0.75, 0.5]))
    assert q.probabilities(np.array([True, True, False]))[:2] == pytest.approx(weights / weights.sum())
    greedy = baselines.make("constant-step", 3, epsilon=0.2, step=0.5)
    greedy.update(0, 1)
    greedy.update(1, 0.4)
    assert greedy.probabilities(np.array([False, True, True])) == pytest.approx([0, 0.9, 0.1])


def test_a_row_of_offered_arms_for_each_game():
    policy = baselines.make("random", 3, n_games=2)
    found = policy.probabilities(np.array([[True, True, False], [False, False, True]]))
    assert found.tolist() == [[0.5, 0.5, 0], [0, 0, 1]]


def test_after_a_loss_another_arm_is_chosen_and_after_a_win_the_same():
    policy = baselines.make("win-stay-lose-shift", 3, lapse=0.3)
    assert policy.probabilities() == pytest.approx([1 / 3] * 3)
    policy.update(1, 1)
    assert policy.probabilities() == pytest.approx([0.1, 0.8, 0.1])
    assert policy.probabilities(np.array([True, False, True])) == pytest.approx([0.5, 0, 0.5])
    policy.update(1, 0)
    assert policy.probabilities() == pytest.approx([0.45, 0.1, 0.45])
    assert policy.probabilities(np.array([False, True, False])) == pytest.approx([0, 1, 0])


@pytest.mark.parametrize("name", WITHOUT)
def test_a_policy_without_a_closed_form_says_so(name):
    with pytest.raises(ValueError, match=r"no closed form of its choice probabilities|sees the bandit"):
        baselines.make(name, 3).probabilities()


def test_illegal_masks_are_refused():
    policy = baselines.make("random", 3, n_games=2)
    for offered, message in [
        ([1, 0, 1], "true or false for each of 3 arms, got an array of int64"),
        ([True, False], r"or one row for each of 2 games, got an array of shape \(2,\)"),
        ([[True] * 3, [False] * 3], "at least one arm must be offered"),
    ]:
        with pytest.raises(ValueError, match=message):
            policy.probabilities(np.array(offered))


@pytest.mark.parametrize("name", MODELS)
def test_many_sets_of_parameters_are_evaluated_as_many_games(name):
    """Settings that are not tunable, such as q0, may be one per game as well."""
    rng = np.random.default_rng(0)
    per_game = {key: tunable.at(rng.random(5)) for key, tunable in baselines.POLICIES[name].tunable.items()}
    given = {**per_game, **{key: rng.random(5) for key in ("q0", "win") if key in baselines.settings_of(name)}}
    together = fed(name, 50, 5, **given).probabilities()
    for game in range(5):
        alone = fed(name, 50, **{key: values[game] for key, values in given.items()})
        assert together[game] == pytest.approx(alone.probabilities(), abs=1e-12)
