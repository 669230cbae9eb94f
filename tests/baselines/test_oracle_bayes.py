"""The bound: Gittins indices against published ones, filters against sums over their grids, and play."""

from functools import partial

import numpy as np
import pytest

import baselines
import envs
from baselines.bayes.beliefs import clipped_normal
from baselines.bayes.drift import DriftBeliefs
from baselines.bayes.gittins import indices, posterior_means
from baselines.bayes.piecewise import PiecewiseBeliefs
from baselines.bayes.sinusoid import SinusoidBeliefs
from baselines.testing import check_policy
from experiments.core.agents import expand, sees_the_bandit
from experiments.core.game import play
from experiments.core.metrics import regret
from nsa_brian.common.game_streams import streams

BANDITS = ("MAB-P", "MAB-D", "MAB-sin", "MAB-sinP")


class TestGittins:
    @pytest.mark.parametrize(("discount", "published"), [(0.9, 0.7029), (0.99, 0.8699)])
    def test_index_of_a_uniform_prior_is_that_of_gittins_tables(self, discount, published):
        s, f = np.indices((251, 251))
        assert indices((s + 1) / (s + f + 2), discount)[0, 0] == pytest.approx(published, abs=5e-4)

    def test_without_a_future_the_index_is_the_mean(self):
        means = posterior_means(0.5, 0.2, 30)
        s, f = np.indices(means.shape)
        played = s + f <= 30
        assert indices(means, 0.0)[played] == pytest.approx(means[played], abs=1e-12)

    def test_the_index_falls_to_the_mean_as_the_arm_becomes_known_and_the_horizon_shorter(self):
        means = posterior_means(0.5, 0.2, 200)
        far, near = (indices(means, discount) for discount in (0.999, 0.9))
        bonus = [(far - means)[n, n] for n in (0, 5, 20, 80)]
        assert sorted(bonus, reverse=True) == bonus
        assert 0 < (near - means)[5, 5] < (far - means)[5, 5]

    def test_posterior_means_are_those_of_samples_of_the_bandit(self):
        p = np.random.default_rng(0).normal(0.5, 0.2, 400_000).clip(0, 1)
        for s, f in [(0, 0), (3, 1), (0, 6)]:
            weights = p**s * (1 - p) ** f
            assert posterior_means(0.5, 0.2, 8)[s, f] == pytest.approx((weights * p).sum() / weights.sum(), abs=3e-3)


def test_a_clipped_normal_number_has_its_moments_on_the_grid():
    points, weights = clipped_normal(0.5, 0.2, 41)
    drawn = np.random.default_rng(0).normal(0.5, 0.2, 400_000).clip(0, 1)
    mean = (weights * points).sum()
    assert weights.sum() == pytest.approx(1)
    assert mean == pytest.approx(drawn.mean(), abs=2e-3)
    assert np.sqrt((weights * points**2).sum() - mean**2) == pytest.approx(drawn.std(), abs=3e-3)


class TestBeliefs:
    def test_of_a_new_trial_are_those_of_the_first(self):
        beliefs = PiecewiseBeliefs(envs.make("MAB-P", 3, trial_rounds=8), 2, 3)
        first = beliefs.index().copy()
        for t in range(8):
            beliefs.learn(np.array([t % 3, 0]), np.array([1.0, 0.0]))
            assert t == 7 or not np.array_equal(beliefs.index(), first)
        assert np.array_equal(beliefs.index(), first)

    def test_mean_and_sd_of_a_wave_are_sums_over_the_grid(self):
        beliefs = SinusoidBeliefs(envs.make("MAB-sin", 2), 1, 2, c=0.7)
        rng = np.random.default_rng(0)
        omega, phase = np.meshgrid(beliefs._omega, beliefs._phase, indexing="ij")
        weights = np.ones_like(omega)
        for t in range(300):
            p = 0.5 + 0.5 * np.sin(omega * t + phase)
            mean = (weights * p).sum() / weights.sum()
            sd = np.sqrt((weights * p**2).sum() / weights.sum() - mean**2)
            assert beliefs.index()[0, 1] == pytest.approx(mean + 0.7 * sd)
            assert beliefs.index()[0, 0] == pytest.approx(0.5 + 0.7 * 8**-0.5)  # never pulled
            reward = float(rng.random() < 0.5 + 0.5 * np.sin(0.004 * t + 1))
            weights *= p if reward else 1 - p
            beliefs.learn(np.array([1]), np.array([reward]))

    @pytest.mark.parametrize("env", ["MAB-sin", "MAB-sinP", "MAB-D"])
    def test_follow_the_probability_of_an_arm_that_is_pulled(self, env):
        bandit = envs.make(env, 4, n_games=30, seed=1)
        beliefs = (DriftBeliefs if env == "MAB-D" else SinusoidBeliefs)(bandit, 30, 4, c=0.0)
        arms, missed = np.full(30, 3), []
        for _ in range(600):
            missed.append(np.abs(beliefs.index()[:, 3] - bandit.probabilities[:, 3]).mean())
            beliefs.learn(arms, bandit.pull(arms).astype(float))
            bandit.step()
        assert np.mean(missed[300:]) < 0.09
        assert np.mean(missed[300:]) < 0.7 * missed[0]

    def test_constant_arms_have_the_posterior_of_counts(self):
        beliefs = SinusoidBeliefs(envs.make("MAB-sinP", 4), 1, 4, c=0.0)
        assert beliefs.index()[0] == pytest.approx([0.35, 0.35, 0.5, 0.5])
        for reward in (1.0, 0.0, 1.0):
            beliefs.learn(np.array([0]), np.array([reward]))
        p = np.linspace(0, 0.7, 20001)
        weights = p**2 * (1 - p)
        assert beliefs.index()[0, 0] == pytest.approx((weights * p).sum() / weights.sum(), abs=1e-3)

    def test_new_targets_leave_the_probabilities_and_make_the_future_uncertain(self):
        bandit = envs.make("MAB-D", 5)
        beliefs = DriftBeliefs(bandit, 1, 5, c=0.0)
        for t in range(400):
            beliefs.learn(np.array([t % 5]), np.array([float(t % 5 == 2)]))
        before = beliefs.index()[0].copy()
        beliefs._change(0)
        assert beliefs.index()[0] == pytest.approx(before, abs=1e-9)
        assert beliefs._moments[1, 0] == pytest.approx(0.5, abs=1e-3)  # the mean target

    def test_targets_change_about_when_those_of_the_bandit_do(self):
        bandit = envs.make("MAB-D", 50, seed=0)
        beliefs, changes, found, targets = DriftBeliefs(bandit, 1, 50), [], [], bandit._targets.copy()
        for t in range(1500):
            beliefs.learn(np.array([t % 50]), np.array([float(bandit.pull(t % 50))]))
            bandit.step()
            if not np.array_equal(bandit._targets, targets):
                targets = bandit._targets.copy()
                changes.append(t)
            if beliefs._age[0] == 0:
                found.append(t)
        assert len(found) == len(changes)
        assert found == pytest.approx(changes, abs=100)


@pytest.mark.parametrize("env", BANDITS)
def test_conforms(env):
    check_policy(partial(baselines.make, "oracle-bayes", 4), n_rounds=100, bandit=envs.make(env, 4))


def found_regret(name, env, n_arms, n_games, n_rounds=1000, **settings):
    bandit = envs.make(env, n_arms, n_games=n_games, trial_rounds=500)
    bandit.reset(streams(3, "bandit", range(n_games)))
    return regret(play(baselines.make(name, n_arms, n_games=n_games, seed=1, **settings), bandit, n_rounds))


@pytest.mark.parametrize("env", ["MAB-P", *(pytest.param(env, marks=pytest.mark.slow) for env in BANDITS[1:])])
def test_has_less_regret_than_a_tuned_policy(env):
    """Optimistic with the values that nsa tune found for it, in the same games."""
    bound = found_regret("oracle-bayes", env, 20, 24)
    other = found_regret("optimistic", env, 20, 24, epsilon=0.0125, step=0.03162, start=0.8438)
    better = other - bound
    assert better.mean() > 2 * better.std(ddof=1) / np.sqrt(24)


def test_is_an_oracle_and_no_member_of_the_group():
    assert sees_the_bandit("oracle-bayes")
    assert "oracle-bayes" not in expand(["state-of-the-art"])


def test_refuses_bandits_that_it_has_no_model_of():
    class Mine(type(envs.make("MAB-P"))):
        pass

    for bandit, message in [
        (envs.make("needle", 3), "oracle-bayes plays MAB-P, MAB-D, MAB-sin and MAB-sinP only, got Needle"),
        (Mine(3), "only, got Mine"),
        (envs.make("MAB-D", 3, preset="published-table"), "bandits with n_targets 0 only, got 2"),
        (envs.make("MAB-sinP", 3, preset="appendix"), "bandits with spacing random only, got 'even'"),
    ]:
        with pytest.raises(ValueError, match=message):
            baselines.make("oracle-bayes", 3).watch(bandit)


def test_needs_the_bandit_and_a_legal_weight():
    with pytest.raises(ValueError, match="this policy needs the bandit"):
        baselines.make("oracle-bayes", 3).select_arm()
    with pytest.raises(ValueError, match="c must be a number from 0 to 100, got -1"):
        baselines.make("oracle-bayes", 3, c=-1)
