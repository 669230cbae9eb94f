"""What is measured, against numbers by hand and formulas as loops."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from experiments.core import metrics
from experiments.core.game import Record


def record(arms=None, rewards=None, expected=None, best=None):
    size = next(np.shape(a) for a in (arms, rewards, expected, best) if a is not None)
    blank = np.zeros(size)
    pick = lambda a: blank if a is None else np.asarray(a)  # noqa: E731
    return Record(pick(arms).astype(int), pick(rewards), pick(expected), blank, pick(best), blank)


def test_regret_is_eq_1():
    found = metrics.regret(record(expected=[[0.5, 0.2], [0.9, 0.9]], best=[[0.9, 0.8], [0.9, 1.0]]))
    assert found.tolist() == pytest.approx([(0.4 + 0.6) / 2, 0.05])


def test_published_regret_looks_at_the_last_tenth_of_each_trial_and_the_first_best():
    rewards = np.zeros((1, 40))
    rewards[0, [18, 19, 38]] = 1  # of the last tenths, rounds 18, 19, 38, 39, three paid
    rewards[0, :10] = 1  # does not count
    best = np.full((1, 40), 0.1)
    best[0, 0] = 0.8
    assert metrics.published_regret(record(rewards=rewards, best=best), trial_rounds=20).tolist() == pytest.approx(
        [0.05]
    )


@given(arrays(int, st.tuples(st.integers(1, 3), st.integers(1, 40)), elements=st.integers(0, 4)), st.integers(1, 25))
def test_choice_entropy_is_that_of_the_last_choices(arms, window):
    found = metrics.choice_entropy(arms, window)
    for game, row in enumerate(arms):
        for t in range(len(row)):
            p = np.bincount(row[max(0, t - window + 1) : t + 1]) / min(t + 1, window)
            assert found[game, t] == pytest.approx(-sum(x * math.log(x) for x in p if x), abs=1e-12)


def test_smooth_is_a_trailing_mean():
    assert metrics.smooth(np.array([[1.0, 3.0, 5.0, 7.0]]), 2).tolist() == [[1, 2, 4, 6]]


def test_an_estimate_is_students_interval():
    found = metrics.estimate(np.array([1.0, 2.0, 3.0]))
    assert (found.mean, found.sd) == (2.0, 1.0)
    assert found.ci95 == pytest.approx([2 - 4.302653 / 3**0.5, 2 + 4.302653 / 3**0.5])


def test_one_game_has_no_spread():
    assert metrics.estimate(np.array([0.25])) == metrics.Estimate(0.25, None, None)


def test_fingerprints_differ_where_arms_or_rewards_do():
    base = {"arms": [[0, 1]], "rewards": [[1, 0]]}
    same = metrics.fingerprint(record(**base))
    assert metrics.fingerprint(record(**base)) == same
    assert metrics.fingerprint(record(**{**base, "arms": [[1, 1]]})) != same
    assert metrics.fingerprint(record(**{**base, "rewards": [[1, 1]]})) != same


def test_distribution_entropy():
    assert metrics.distribution_entropy(np.array([[0.5, 0.5, 0.0], [0.2, 0.2, 0.2]])) == pytest.approx(
        [np.log(2), np.log(3)]
    )
