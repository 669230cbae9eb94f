"""Each policy against a plain-loop statement of its formula, in batches of settings, and against theory."""

import math
from functools import partial
from types import SimpleNamespace

import numpy as np
import plain_policies
import pytest
from selection import mostly_slow

import baselines
import envs
from baselines.bernoulli import divergence, highest_bound
from baselines.sampling import draw
from baselines.testing import check_policy
from baselines.tunable import Tunable
from experiments.core.game import play
from experiments.core.metrics import regret
from experiments.studies.tune.grid import POINTS
from nsa_brian.common.game_streams import streams

#: All that play any bandit; tests/baselines/test_oracle_bayes.py has the other.
POLICIES = [name for name in baselines.POLICIES if name != "oracle-bayes"]
# Settings under which every rule of a policy comes into play within 500 rounds.
CASES = [
    *((name, {}) for name in POLICIES),
    ("epsilon-greedy", {"epsilon": 0.5}),
    ("ucb1", {"exploration": 0.1}),
    ("d-ucb", {"discount": 0.9, "exploration": 0.05}),
    ("sw-ucb", {"window": 40, "exploration": 0.1}),
    ("sw-ucb", {"window": 7, "exploration": 0.1}),
    ("d-thompson", {"discount": 0.7}),
    ("f-dsw-thompson", {"f": "max", "discount": 0.9, "window": 5}),
    ("f-dsw-thompson", {"f": "mean", "discount": 0.95, "window": 1}),
    ("constant-step", {"epsilon": 0.3, "step": 0.5}),
    ("optimistic", {"epsilon": 0.05, "step": 0.032, "start": 0.8}),
    ("vdbe", {"sigma": 0.02, "step": 0.3}),
    ("constant-step", {"epsilon": 0.3, "step": 1, "ties": "first"}),
    ("constant-step", {"epsilon": 0.1, "step": 1, "ties": "random"}),
    ("optimistic", {"step": 1, "ties": "random"}),
    ("vdbe", {"sigma": 1, "step": 1, "ties": "random"}),
    ("epsilon-greedy", {"epsilon": 0.02, "ties": "random"}),
    ("softmax", {"temperature": 0.02, "step": 0.4}),
    ("exp3s", {"mixing": 0.6, "sharing": 0.05}),
    ("forced-exploration", {"window": 60, "growth": 2.5}),
    ("forced-exploration", {"window": 350, "growth": 4}),
    ("kl-ucb", {"exploration": 0.2}),
    ("oracle-restart", {"exploration": 0.3}),
    ("cusum-ucb", {"threshold": 2.5, "epsilon": 0.2, "n_first": 8, "tolerance": 0.1}),
    ("m-ucb", {"window": 21, "epsilon": 0.3, "exploration": 0.3, "delta": 0.9}),
    ("glr-klucb", {"delta": 0.9, "epsilon": 0.3, "exploration": 0.4}),
    ("glr-klucb", {"delta": 0.9, "epsilon": 0.2, "exploration": 0.4, "restart": "local"}),
    ("value-step", {"epsilon": 0.1, "low": 0.5, "high": 0.02, "start": 0.8}),
    ("value-step", {"low": 1, "high": 0.3, "start": 1.2, "ties": "first"}),
    ("aspiration", {"step": 0.5, "drift": 0.1, "up": 0.02, "down": 0.2, "start": 0.7}),
    ("familiarity", {"step": 0.05, "fall": 0.9, "recovery": 0.05, "up": 0.3, "down": 0.02, "start": 0.6}),
    ("biased-random", {"bias": 0.7, "favoured": 1}),
    ("win-stay-lose-shift", {"lapse": 0.4, "win": 1}),
    ("q-learning", {"step": 0.6, "beta": 20, "q0": 0}),
    ("q-learning-2", {"step_up": 0.1, "step_down": 0.5, "beta": 8, "q0": 1}),
    ("q-forgetting", {"step": 0.5, "forgetting": 0.3, "beta": 10, "q0": 0.2}),
    ("choice-kernel", {"kernel_step": 0.4, "kernel_beta": -2}),
    ("q-kernel", {"step": 0.5, "beta": 4, "kernel_step": 0.3, "kernel_beta": 1, "q0": 0}),
    ("kalman-softmax", {"diffusion": 0.3, "decay": 0.9, "noise": 0.2, "prior_sd": 1, "beta": 6, "q0": 0.3}),
]
#: What a detector finds with these settings it cannot find with those.
BLIND = {"cusum-ucb": {"threshold": 1e9}, "m-ucb": {"delta": 1e-300}, "glr-klucb": {"delta": 1e-300}}
IDS = [f"{name} {' '.join(map(str, settings.values()))}".strip() for name, settings in CASES]


class Game:
    """Probabilities that are drawn anew every 125 rounds, and the luck of each round; arms are told apart by both."""

    def __init__(self, n_arms, seed, n_rounds=500):
        rng = np.random.default_rng([seed, n_arms])
        self.probabilities, self.luck, self.round = rng.random((n_rounds // 125 + 1, n_arms)), rng.random(n_rounds), 0

    @property
    def best_arm(self):
        return int(self.probabilities[self.round // 125].argmax())

    def pull(self, arm):
        reward = int(self.luck[self.round] < self.probabilities[self.round // 125, arm])
        self.round += 1
        return reward


def plain_choices(name, settings, n_arms, seed, n_rounds=500):
    game, rng = Game(n_arms, seed, n_rounds), np.random.default_rng(seed)
    if name in ("oracle-restart", "best-arm"):
        settings = {"best_arm": lambda: game.best_arm, **settings}
    policy = getattr(plain_policies, name.replace("-", "_"))(rng, n_arms, **settings)
    chosen = [next(policy)]
    for _ in range(n_rounds - 1):
        chosen.append(policy.send(game.pull(chosen[-1])))
    return chosen


def choices(name, settings, n_arms, seed, n_rounds=500):
    game, policy = Game(n_arms, seed, n_rounds), baselines.make(name, n_arms, seed=seed, **settings)
    if hasattr(policy, "watch"):
        policy.watch(game)
    chosen = []
    for _ in range(n_rounds):
        chosen.append(policy.select_arm())
        policy.update(chosen[-1], game.pull(chosen[-1]))
    return chosen


@pytest.mark.parametrize("seed", mostly_slow([0, 1], 0))
@pytest.mark.parametrize("n_arms", mostly_slow([2, 3, 8, 20], 8))
@pytest.mark.parametrize(("name", "settings"), CASES, ids=IDS)
def test_choices_are_those_of_the_formula(name, settings, n_arms, seed):
    assert choices(name, settings, n_arms, seed) == plain_choices(name, settings, n_arms, seed)


@pytest.mark.parametrize("name", POLICIES)
def test_a_subclass_of_the_user_has_arrays_in_a_single_game_and_makes_the_same_choices(name, monkeypatch):
    class Mine(baselines.POLICIES[name]):
        def _learn(self, arms, rewards):
            assert arms.shape == rewards.shape == (1,)
            super()._learn(arms, rewards)

    usual = choices(name, {}, 6, 0)
    monkeypatch.setitem(baselines.POLICIES, name, Mine)
    assert choices(name, {}, 6, 0) == usual


@pytest.mark.parametrize("n_games", [None, 1, 3])
def test_a_subclass_of_the_user_may_reset_pulls_and_change_settings(n_games):
    class Mine(baselines.POLICIES["ucb1"]):
        def _learn(self, arms, rewards):
            super()._learn(arms, rewards)
            if self._round % 8 == 0:
                self.pulls[:] = 0

    policy = Mine(4, n_games=n_games, seed=0)
    chosen = []
    for _ in range(24):
        chosen.append(np.ravel(policy.select_arm()))
        policy.update(policy.select_arm(), 1 if n_games is None else np.ones(n_games))
    after_each_reset = np.array(chosen).reshape(3, 8, -1)[:, :4]
    assert (np.sort(after_each_reset, axis=1) == np.arange(4)[:, None]).all()


@pytest.mark.parametrize("n_games", [None, 2])
def test_settings_may_change_during_a_game(n_games):
    for name, setting, value in [
        ("softmax", "temperature", 1e3),
        ("exp3s", "mixing", 1.0),
        ("d-ucb", "discount", 0.1),
        ("aspiration", "drift", 1.0),
        ("familiarity", "recovery", 1.0),
        ("m-ucb", "epsilon", 1.0),
    ]:
        usual, changed = (baselines.make(name, 5, n_games=n_games, seed=0) for _ in range(2))
        setattr(changed, setting, value if n_games is None else np.full(n_games, value))
        chosen = []
        for policy in (usual, changed):
            chosen.append([])
            for t in range(200):
                arm = policy.select_arm()
                chosen[-1].append(np.ravel(arm).tolist())
                policy.update(arm, (arm + t) % 2)
        assert chosen[0] != chosen[1], name


def test_arms_are_drawn_in_proportion_to_weights_and_the_last_if_rounding_leaves_none():
    weights = np.random.default_rng(0).random((50, 7)) * (np.arange(7) != 3)
    uniform = np.random.default_rng(1).random(50)
    uniform[0] = 1.0  # as the product with the sum may be rounded up
    arms = draw(weights, uniform)
    for row, number, arm in zip(weights, uniform, arms, strict=True):
        assert arm == min((np.cumsum(row) <= number * row.sum()).sum(), 6) == draw(row[None], float(number))
    assert arms[0] == 6
    assert 3 not in arms


def test_a_generator_that_is_given_is_not_drawn_ahead():
    rng, other = np.random.default_rng(0), np.random.default_rng(0)
    policy = baselines.make("epsilon-greedy", 3, rng=rng)
    policy.update(policy.select_arm(), 1)
    other.random(2)
    assert rng.random() == other.random()


def test_the_settings_of_the_cases_make_detectors_find_something():
    for name, settings in CASES:
        if name in BLIND and settings:
            blind = {**settings, **BLIND[name]}
            assert any(choices(name, settings, 3, seed) != choices(name, blind, 3, seed) for seed in range(2)), name


def play_batch(name, games, n_arms=6, n_rounds=300, **settings):
    """Choices (rounds, games) of some of the games of an experiment."""
    luck = np.random.default_rng(1).random((n_rounds, 3, n_arms))[:, list(games)]
    n_games = len(games)
    policy = baselines.make(name, n_arms, n_games=n_games, rng=streams(0, name, games), **settings)
    if hasattr(policy, "watch"):
        policy.watch(SimpleNamespace(best_arm=np.array([2, 4, 5])[list(games)]))
    chosen = np.empty((n_rounds, n_games), int)
    for t in range(n_rounds):
        chosen[t] = policy.select_arm()
        paid = luck[t, range(n_games), chosen[t]] < np.linspace(0.1, 0.9, n_arms)[(chosen[t] + t // 100) % n_arms]
        policy.update(chosen[t], paid.view(np.int8))
    return chosen


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_conforms(name):
    check_policy(partial(baselines.make, name, 4))


@pytest.mark.parametrize("name", POLICIES)
def test_a_batch_of_settings_is_played_as_each_setting_alone(name):
    grid = {key: tunable.at(np.array([0.2, 0.5, 0.9])) for key, tunable in baselines.POLICIES[name].tunable.items()}
    together = play_batch(name, range(3), n_rounds=150, **grid)
    for game in range(3):
        alone = play_batch(
            name, range(game, game + 1), n_rounds=150, **{key: values[game] for key, values in grid.items()}
        )
        assert (together[:, game] == alone[:, 0]).all()


@pytest.mark.parametrize("name", POLICIES)
class TestTunables:
    def test_there_is_a_grid_for_their_number_and_their_defaults_lie_where_one_would_search(self, name):
        defaults = baselines.settings_of(name)
        assert len(baselines.POLICIES[name].tunable) in (0, *POINTS)
        for key, tunable in baselines.POLICIES[name].tunable.items():
            assert tunable.low <= defaults[key] <= tunable.high
            assert tunable.meaning

    def test_both_ends_of_the_legal_values_are_played_and_what_lies_beyond_is_refused(self, name):
        for key, tunable in baselines.POLICIES[name].tunable.items():
            low, high = tunable.legal
            for end in (low, high):
                play_batch(name, range(2), n_rounds=20, **{key: end})
            for beyond in (low - 1, high + 1, math.nan, np.array([tunable.low, high + 1])):
                with pytest.raises(ValueError, match=f"{key} must be a (whole )?number from {low:g} to"):
                    baselines.make(name, 3, n_games=2, **{key: beyond})

    def test_unknown_settings_are_answered_with_the_known_ones(self, name):
        with pytest.raises(ValueError, match=f"unknown setting 'epsilom' of {name}; known: .*n_games, seed, rng"):
            baselines.make(name, 3, epsilom=0.1)


def test_settings_are_refused_with_name_legal_values_and_value():
    for settings, message in [
        ({"window": 2.5}, "window must be a whole number from 1 to 1e[+]09, got 2.5"),
        ({"window": "long"}, "window must be a whole number from 1 to 1e[+]09, got 'long'"),
        ({"exploration": [1, 2]}, "exploration must be .*, or one for each of 3 games, got an array of shape .2,."),
    ]:
        with pytest.raises(ValueError, match=message):
            baselines.make("sw-ucb", 4, n_games=3, **settings)
    with_ties = [(name, "ties") for name in ("constant-step", "optimistic", "vdbe", "epsilon-greedy")]
    for name, setting in [("f-dsw-thompson", "f"), ("glr-klucb", "restart"), *with_ties]:
        with pytest.raises(ValueError, match=f"{setting} must be one of .*, got 'median'"):
            baselines.make(name, 4, **{setting: "median"})


@pytest.mark.parametrize("scale", ["linear", "log", "log-to-one"])
def test_positions_on_a_scale_go_there_and_back(scale):
    tunable = Tunable(0.1, 0.9, scale)
    positions = np.array([0, 0.3, 1])
    assert tunable.position(tunable.at(positions)) == pytest.approx(positions)
    assert tunable.at(0) == pytest.approx(0.1)
    assert tunable.at(1) == pytest.approx(0.9)
    assert tunable.at(50) == pytest.approx(1)


def test_the_highest_bound_spends_its_arms_budget_and_no_arm_reaches_further():
    rng = np.random.default_rng(0)
    mean, budget = rng.integers(0, 31, (4000, 5)) / 30, 10 ** rng.uniform(-4, 1, (4000, 5))
    bound, arm = highest_bound(mean, budget)
    of_arm = np.arange(4000), arm
    inside = bound < 1 - 1e-9
    assert divergence(mean[of_arm], bound)[inside] == pytest.approx(budget[of_arm][inside], rel=1e-6)
    assert (bound[:, None] >= mean).all()
    above = np.minimum(bound[:, None] * (1 + 1e-6), 1)
    assert (divergence(mean, above) >= budget)[inside].all()


def test_the_highest_bound_is_1_after_successes_alone_and_of_equal_arms_the_first_has_it():
    mean, budget = np.array([[0.0, 1, 0.5, 1], [0, 0.5, 0, 0.5]]), np.array([[0.5, 0.1, 9, 0.9], [0.5, 0, 0.5, 0]])
    bound, arm = highest_bound(mean, budget)
    assert bound == pytest.approx([1, 0.5])
    assert arm.tolist() == [1, 1]
    bound, arm = highest_bound(np.zeros((1, 3)), np.array([[0.1, 0.5, 0.5]]))
    assert (bound[0], arm[0]) == (pytest.approx(1 - math.exp(-0.5)), 1)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("d-ucb", {"discount": 0.5}),
        ("exp3s", {}),
        pytest.param("d-thompson", {"discount": 0.5}, marks=pytest.mark.slow),
        pytest.param("softmax", {"temperature": 1e-6}, marks=pytest.mark.slow),
        pytest.param("vdbe", {"sigma": 1e-9}, marks=pytest.mark.slow),
        pytest.param("forced-exploration", {"window": 20000, "growth": 1e9}, marks=pytest.mark.slow),
    ],
)
def test_a_long_game_stays_within_the_numbers(name, settings):
    policy = baselines.make(name, 40, n_games=2, seed=0, **settings)
    rewards = np.random.default_rng(0).random((20000, 2)) < 0.5
    for reward in rewards:
        policy.update(policy.select_arm(), reward.view(np.int8))
    state = [value for value in vars(policy).values() if isinstance(value, np.ndarray) and value.dtype == float]
    assert state
    assert all(np.isfinite(value).all() for value in state)


def test_who_watches_the_bandit_is_told_if_there_is_none():
    with pytest.raises(ValueError, match="this policy needs the bandit"):
        baselines.make("best-arm", 3).select_arm()


def mean_regret(name, env, n_arms, n_rounds, n_games=40, trial_rounds=2000, env_options=None, **settings):
    bandit = envs.make(env, n_arms, n_games=n_games, trial_rounds=trial_rounds, **(env_options or {}))
    bandit.reset(streams(0, "bandit", range(n_games)))
    policy = baselines.make(name, n_arms, n_games=n_games, seed=1, **settings)
    return regret(play(policy, bandit, n_rounds)).mean()


@pytest.mark.parametrize("env", ["MAB-P", "MAB-D", "MAB-sin", "MAB-sinP"])
def test_the_best_arm_has_no_regret(env):
    assert mean_regret("best-arm", env, 5, 300, trial_rounds=60) == 0


def test_an_arm_that_has_not_paid_is_not_pulled_until_it_does():
    """The first of equals would be: with a low epsilon that costs constant-step a twentieth of a reward."""
    found = [
        mean_regret("constant-step", "MAB-P", 10, 500, n_games=400, epsilon=0.001, ties=ties)
        for ties in ("random", "first")
    ]
    assert found[0] < found[1] - 0.03
    assert found[0] == mean_regret("constant-step", "MAB-P", 10, 500, n_games=400, epsilon=0.001)


class TestTheory:
    P, N = np.array([0.8, 0.7, 0.5, 0.3]), 5000

    @classmethod
    def total(cls, name):
        """Regret of a whole stationary game."""
        return cls.N * mean_regret(name, "schedule", 4, cls.N, env_options={"table": np.tile(cls.P, (cls.N, 1))})

    def test_ucb1_stays_below_the_bound_of_auer_et_al(self):
        gaps = self.P[0] - self.P[1:]
        assert self.total("ucb1") < (8 * math.log(self.N) / gaps + (1 + math.pi**2 / 3) * gaps).sum()

    @pytest.mark.slow
    def test_kl_ucb_comes_near_the_least_that_is_possible_in_the_long_run(self):
        gaps = self.P[0] - self.P[1:]
        least = (gaps * math.log(self.N) / divergence(self.P[1:], self.P[0])).sum()  # Lai and Robbins
        assert 0.5 * least < self.total("kl-ucb") < 1.2 * least < 0.5 * self.total("ucb1")

    @pytest.mark.slow
    def test_on_a_switching_bandit_restarts_help_and_those_of_an_oracle_most(self):
        def got(name, **settings):
            return mean_regret(name, "MAB-P", 5, 4000, n_games=30, trial_rounds=1000, **settings)

        told, ucb1 = got("oracle-restart"), got("ucb1", exploration=0.5)
        for never, detecting in [
            (got("kl-ucb"), got("glr-klucb")),
            (ucb1, got("cusum-ucb", exploration=0.5)),
            (ucb1, got("m-ucb", exploration=0.5)),
        ]:
            assert told < 0.7 * detecting
            assert detecting < 0.9 * never
