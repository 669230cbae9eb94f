"""The bandits: one contract for all, and what each one promises."""

import itertools
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import envs
from envs.draws import Draws
from envs.testing import check_bandit

TABLE = np.linspace(0, 1, 60 * 4).reshape(60, 4)


def make(name, n_arms=4, **options):
    return envs.make(name, n_arms, **({"table": TABLE} if name == "schedule" else {}), **options)


def run(bandit, rng, n_rounds=60):
    """Probabilities and rewards of arm 0 over some rounds."""
    bandit.reset(rng)
    probabilities, rewards = [], []
    for t in range(n_rounds):
        if t:
            bandit.step()
        probabilities.append(bandit.probabilities.copy())
        rewards.append(np.atleast_1d(bandit.pull(np.zeros(bandit.n_games, int))).copy())
    return np.array(probabilities), np.array(rewards)


@pytest.mark.parametrize("name", envs.BANDITS)
class TestContract:
    def test_conforms(self, name):
        check_bandit(partial(make, name, trial_rounds=20))

    def test_what_is_no_arm_is_refused(self, name):
        bandit = make(name)
        with pytest.raises(ValueError, match="arm must be a whole number from 0 to 3, got 4"):
            bandit.pull(4)
        with pytest.raises(ValueError, match="arm must be a whole number from 0 to 3, got -1"):
            bandit.pull(-1)
        with pytest.raises(ValueError, match=r"arm must be a whole number from 0 to 3, got 2\.5"):
            bandit.pull(2.5)

    @pytest.mark.parametrize("arms", [[0, -1], [0, 4], [0.0, 1.0], [[0], [1]], [0, 1, 2], 1, [True, False], ["0", "1"]])
    def test_what_is_no_arm_is_refused_in_batches_too(self, name, arms):
        with pytest.raises(ValueError, match="arms must be whole numbers from 0 to 3, one for each of 2 games, got"):
            make(name, n_games=2).pull(np.array(arms))

    def test_rewards_come_as_often_as_probabilities_say(self, name):
        bandit = make(name, n_games=4000)
        bandit.reset(np.random.default_rng(3))
        rewards = bandit.pull(np.full(4000, 2))
        p = bandit.probabilities[:, 2]
        z = (rewards.sum() - p.sum()) / np.sqrt((p * (1 - p)).sum())
        assert abs(z) < 3.3

    def test_counts_trials(self, name):
        bandit = make(name, trial_rounds=2)
        seen = []
        for _ in range(4):
            seen.append(bandit.trial)
            bandit.step()
        assert seen == [0, 0, 1, 1]

    def test_unknown_settings_are_refused(self, name):
        with pytest.raises(ValueError, match=f"unknown setting 'colour' of {name}; known: "):
            make(name, colour="red")


@pytest.mark.parametrize("name", [n for n in envs.BANDITS if n != "schedule"])
@pytest.mark.parametrize("n_arms", [1, 0, -3, 2.5])
def test_too_few_arms(name, n_arms):
    with pytest.raises(ValueError, match="n_arms must be a whole number from 2 up"):
        envs.make(name, n_arms)


def test_unknown_names_are_answered_with_the_nearest():
    with pytest.raises(ValueError, match="unknown bandit 'mab-sinp'; did you mean MAB-sinP"):
        envs.make("mab-sinp")


def test_piecewise_changes_at_trial_borders_only_and_is_normal_clipped():
    p, _ = run(envs.make("MAB-P", 500, n_games=2, trial_rounds=20), np.random.default_rng(1))
    changed = (p[1:] != p[:-1]).any(axis=(1, 2))
    assert np.flatnonzero(changed).tolist() == [19, 39]
    inside = p[0][(p[0] > 0) & (p[0] < 1)]
    assert stats.kstest(inside, stats.truncnorm(-2.5, 2.5, 0.5, 0.2).cdf).pvalue > 0.001


def test_stationary_never_changes():
    p, _ = run(envs.make("stationary", 5, n_games=1, trial_rounds=20), np.random.default_rng(1))
    assert (p == p[0]).all()


def test_drift_follows_its_equation_to_new_targets():
    bandit = envs.make("MAB-D", 30, n_games=1, tau=20, delta=0.02)
    p, _ = run(bandit, np.random.default_rng(2), 400)
    # Between changes each arm closes the same share 1/tau of its gap: steps shrink by 1 - 1/tau.
    steps = np.diff(p[:, 0], axis=0)
    steady = np.isclose(steps[1:], steps[:-1] * (1 - 1 / 20), atol=1e-12).all(axis=1)
    changes = np.flatnonzero(~steady) + 1
    assert 4 <= len(changes) <= 12
    for change in changes:
        target = p[change - 1, 0] + 20 * steps[change - 1]
        assert np.abs(target - p[change, 0]).mean() < 0.02 <= np.abs(target - p[change - 1, 0]).mean()
    targets = [p[c, 0] + 20 * steps[c] for c in changes]
    assert all(np.abs(a - b).mean() > 0.1 for a, b in itertools.pairwise(targets))
    assert np.abs(targets[0] - targets[2]).mean() > 0.1  # drawn anew, not cycling


def test_drift_cycles_through_a_set_of_targets_from_the_first():
    bandit = envs.make("MAB-D", 10, n_games=1, tau=10, n_targets=2)
    p, _ = run(bandit, np.random.default_rng(2), 300)
    steps = np.diff(p[:, 0], axis=0)
    targets = p[:-1, 0] + 10 * steps
    distinct = np.unique(targets.round(8), axis=0)
    assert len(distinct) == 2
    assert any(np.allclose(p[0, 0], target) for target in distinct)


def test_drift_keeps_only_targets_that_are_still_ahead():
    bandit = envs.make("MAB-D", 3, n_games=2, tau=1, delta=0.5)  # a new target every round
    run(bandit, np.random.default_rng(0), 200)
    assert len(bandit._draws._made) < 5


def test_draws_come_in_order_to_each_game_and_cycle_if_asked():
    for cycle in (0, 2):
        made = iter(range(100))
        draws = Draws(lambda made=made: np.full(3, next(made)), 3, cycle)
        taken = [draws.next(np.array(games)).tolist() for games in ([0], [0], [0], [1, 2], [1], [0, 1])]
        assert taken == ([[0], [1], [2], [0, 0], [1], [3, 2]] if cycle == 0 else [[0], [1], [0], [0, 0], [1], [1, 0]])


def test_peaked_has_one_arm_at_the_top_and_gets_flatter_as_beta_falls():
    p = {}
    for beta in (17, 0.5):
        bandit = envs.make("peaked", 200, n_games=50, beta=beta, trial_rounds=20)
        p[beta], _ = run(bandit, np.random.default_rng(0), 21)
    assert (p[17][0].max(axis=1) == 1).all()
    assert ((p[17][0] > 0.5).sum(axis=1) == 1).all()
    assert (p[17][0].argmax(axis=1) != p[17][20].argmax(axis=1)).mean() > 0.9  # drawn anew in the next trial
    z = np.log(p[0.5][0]) / 0.5  # softmax, but for a constant
    spread = z.max(axis=1) - z.min(axis=1)
    assert spread == pytest.approx(1, abs=0.05)  # from 1 down to nearly 0


def test_drifts_published_preset():
    bandit = envs.make("MAB-D", 5, preset="published-table", tau=50)
    assert (bandit.tau, bandit.delta, bandit.distance, bandit.n_targets) == (50, 0.01, "sum", 2)
    with pytest.raises(ValueError, match="unknown preset 'x' of MAB-D; known: published-table"):
        envs.make("MAB-D", 5, preset="x")


def test_sinusoid_is_the_stated_wave():
    bandit = envs.make("MAB-sin", 3, n_games=1, f_low=0.1, f_high=0.4, spacing="even")
    p, _ = run(bandit, np.random.default_rng(0), 1001)
    wave = 2 * p[:, 0] - 1
    assert wave[1000] == pytest.approx(wave[0] * [1, -1, 1])  # 1, 2.5 and 4 cycles in 1000 rounds
    crossings = (np.diff(np.sign(wave), axis=0) != 0).sum(axis=0)
    assert crossings.tolist() == [2, 5, 8]
    assert np.abs(wave).max(axis=0) == pytest.approx(1, abs=0.001)


def test_partial_sinusoid_keeps_the_first_half_constant_in_its_range():
    p, _ = run(envs.make("MAB-sinP", 401, n_games=1), np.random.default_rng(0), 300)
    constant, moving = p[:, 0, :200], p[:, 0, 200:]
    assert (constant == constant[0]).all()
    assert stats.kstest(constant[0], stats.uniform(0, 0.7).cdf).pvalue > 0.001
    assert (np.ptp(moving, axis=0) > 0).all()


def test_arms_by_default():
    assert envs.make("MAB-P").n_arms == 10
    assert envs.make("reversal").n_arms == 2
    assert envs.make("schedule", table=TABLE).n_arms == 4


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("MAB-D", {"tau": 0}, "tau must be a number from 1 to 1e[+]12, got 0"),
        ("MAB-D", {"delta": -1}, "delta must be a number above 0, got -1"),
        ("MAB-D", {"distance": "max"}, "distance must be one of mean, sum, got 'max'"),
        ("MAB-D", {"n_targets": -1}, "n_targets must be a whole number from 0 up, got -1"),
        ("MAB-P", {"sd": 0}, "sd must be a number above 0, got 0"),
        ("MAB-P", {"mean": 2}, "mean must be a number from 0 to 1, got 2"),
        ("MAB-P", {"mean": "x"}, "mean of MAB-P must be a finite number, got 'x'"),
        ("MAB-D", {"tau": 10**400}, "tau of MAB-D must be a finite number, got 1000"),
        ("MAB-D", {"n_targets": True}, "n_targets of MAB-D must be a finite number, got True"),
        ("MAB-D", {"n_targets": 1.5}, "n_targets must be a whole number from 0 up, got 1.5"),
        ("MAB-D", {"preset": [1]}, r"unknown preset \[1\] of MAB-D"),
        ("peaked", {"beta": 0}, "beta must be a number above 0, got 0"),
        ("MAB-sin", {"f_low": 0.5}, "0 <= f_low <= f_high <= 1e[+]09, got 0.5 to 0.1"),
        ("MAB-sinP", {"constant_high": 1.5}, "0 <= low <= high <= 1, got 0.0 to 1.5"),
        ("switching", {"rate": 1.5}, "rate must be a number from 0 to 1, got 1.5"),
        ("switching", {"scope": "two"}, "scope must be one of all, one, got 'two'"),
        ("random-walk", {"decay": -0.1}, "decay must be a number from 0 to 1, got -0.1"),
        ("random-walk", {"sd": 0}, "sd must be a number above 0 and up to 1e[+]06, got 0"),
        ("random-walk", {"high": 2}, "the borders must satisfy 0 <= low <= high <= 1, got 0.0 to 2"),
        ("random-walk", {"low": 0.6}, r"centre must lie in \[low, high\] with low < high, got 0.5 in \[0.6, 1.0\]"),
        ("random-walk", {"low": 0.5, "high": 0.5}, r"centre must lie in \[low, high\] with low < high"),
        ("reversal", {"low": 0.9}, "0 <= low <= high <= 1, got 0.9 to 0.8"),
        (
            "reversal",
            {"block_low": 0},
            "<= block_high <= 1000000000000, whole numbers of rounds, got 0 to 100",
        ),
        ("reversal", {"block_high": 50.5}, "whole numbers of rounds, got 40 to 50.5"),
        ("needle", {"rate": -1}, "rate must be a number from 0 to 1, got -1"),
        ("needle", {"high": 0.1}, "0 <= low <= high <= 1, got 0.2 to 0.1"),
        ("seasonal", {"period": 0}, "period must be a number from 1e-12 up, got 0"),
        ("seasonal", {"amplitude": -1}, "amplitude must be a number from 0 to 1e[+]12, got -1"),
        ("seasonal", {"trend": -1}, "trend must be a number from 0 to 1e[+]12, got -1"),
        ("schedule", {}, "schedule needs the setting table"),
    ],
)
def test_bad_settings(name, options, message):
    with pytest.raises(ValueError, match=message):
        envs.make(name, 4, **options)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 12), st.sampled_from(["mean", "sum"]), st.integers(0, 3))
def test_drift_stays_within_probabilities(seed, n_arms, distance, n_targets):
    bandit = envs.make("MAB-D", n_arms, n_games=2, tau=2, distance=distance, n_targets=n_targets)
    p, _ = run(bandit, np.random.default_rng(seed), 50)
    assert ((p >= 0) & (p <= 1)).all()


def test_the_same_seed_is_the_same_bandit():
    def play(bandit):
        rewards = []
        for _ in range(50):
            rewards.append(bandit.pull(0))
            bandit.step()
        return rewards, bandit.probabilities.tolist()

    made = [play(envs.make("MAB-D", 4, seed=seed)) for seed in (1, 1, 2)]
    assert made[0] == made[1] != made[2]
    assert play(envs.make("MAB-D", 4, rng=np.random.default_rng(1))) == made[0]
    assert play(envs.BANDITS["MAB-D"](4, seed=1)) == made[0]


def test_a_bandit_says_what_it_is():
    bandit = envs.make("MAB-P", 4, n_games=3, trial_rounds=50)
    assert repr(bandit) == "Piecewise(n_arms=4, n_games=3, trial_rounds=50), round 0"


#: At the edge of what floating-point numbers hold, and beyond that of whole ones.
EXTREME = (1e-320, 1e-308, 1e-9, 1e9, 1e15, 1e300, 1.7e308, 2**31, 2**62, 2**70, 10**30, -1e308)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", [name for name in envs.BANDITS if name != "schedule"])
def test_an_extreme_setting_is_refused_or_gives_probabilities(name):
    for setting, default in envs.settings_of(name).items():
        for value in EXTREME if isinstance(default, int | float) else ():
            try:
                bandit = make(name, 5, n_games=2, seed=0, **{setting: value})
            except ValueError:
                continue
            probabilities, _ = bandit.ahead(300)
            assert ((probabilities >= 0) & (probabilities <= 1)).all(), (setting, value)


@pytest.mark.parametrize(
    ("name", "setting", "value", "legal"),
    [
        ("MAB-sin", "period", 1e-320, "period must be a number from 1e-09 up"),
        ("MAB-sinP", "period", 1e-320, "period must be a number from 1e-09 up"),
        ("seasonal", "period", 1e-320, "period must be a number from 1e-12 up"),
        ("random-walk", "sd", 1e308, "sd must be a number above 0 and up to 1e[+]06"),
        ("MAB-D", "tau", 1e300, "tau must be a number from 1 to 1e[+]12"),
    ],
)
def test_an_extreme_setting_is_told_what_is_legal(name, setting, value, legal):
    with pytest.raises(ValueError, match=f"^{legal}, got {str(value).replace('+', '[+]')}"):
        make(name, 3, **{setting: value})
