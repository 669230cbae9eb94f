"""The agreement rule."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from reference import agreement
from scipy import stats

from nsa_brian.model.agreement import choice_probabilities, select

# A few levels only, so that ties are common.
levels = st.sampled_from([0.0, 0.5, 0.5 + 5e-7, 0.5 + 5e-6, 1.0])
uniforms = st.floats(0, 1, exclude_max=True)
batches = st.integers(2, 6).flatmap(
    lambda k: st.integers(1, 4).flatmap(
        lambda b: st.tuples(
            arrays(float, (b, k), elements=levels),
            arrays(float, (b, k), elements=levels),
            arrays(float, (b, 3), elements=uniforms),
        )
    )
)


@given(batches)
def test_equals_the_rule_written_as_a_loop(batch):
    u, v, luck = batch
    arms, _ = select(np.stack([u, v]), luck)
    assert arms.tolist() == [agreement(*game) for game in zip(u, v, luck, strict=True)]


@given(batches)
def test_first_ties_take_the_first_exact_maximum(batch):
    u, v, luck = batch
    arms, agreed = select(np.stack([u, v]), luck, ties="first")
    k_u, k_v = u.argmax(axis=1), v.argmax(axis=1)
    assert agreed.tolist() == ((k_u == k_v) & (u.max(axis=1) > 0)).tolist()
    assert arms[agreed].tolist() == k_v[agreed].tolist()
    assert arms[~agreed].tolist() == (luck[~agreed, 2] * u.shape[1]).astype(int).tolist()


@pytest.mark.parametrize("level", [0.0, -0.3])
def test_first_ties_explore_where_u_is_silent(level):
    games, n_arms = 20_000, 5
    u, v = np.full((games, n_arms), level), np.tile(np.eye(n_arms)[0], (games, 1))
    arms, agreed = select(np.stack([u, v]), np.random.default_rng(0).random((games, 3)), ties="first")
    assert not agreed.any()
    assert stats.chisquare(np.bincount(arms, minlength=n_arms)).pvalue > 0.001


def test_disagreement_explores_every_arm_alike():
    games, arms = 20_000, 5
    u, v = np.tile(np.eye(arms)[0], (games, 1)), np.tile(np.eye(arms)[1], (games, 1))
    chosen, agreed = select(np.stack([u, v]), np.random.default_rng(0).random((games, 3)))
    assert not agreed.any()
    assert stats.chisquare(np.bincount(chosen, minlength=arms)).pvalue > 0.001


def test_an_untrained_network_explores_every_arm_alike():
    games, arms = 20_000, 5
    rest = np.zeros((games, arms))
    chosen, agreed = select(np.stack([rest, rest]), np.random.default_rng(0).random((games, 3)))
    assert stats.chisquare(np.bincount(chosen, minlength=arms)).pvalue > 0.001
    assert stats.binomtest(int(agreed.sum()), games, 1 / arms).pvalue > 0.001


def test_differences_within_the_tolerance_are_ties():
    u = v = np.array([[0.5, 0.5 + 1e-9]])
    first = np.zeros((1, 3))
    assert select(np.stack([u, v]), first)[0].tolist() == [0]
    assert select(np.stack([u, v]), first, tolerance=0)[0].tolist() == [1]


@pytest.mark.parametrize("ties", ["random", "first"])
@given(batch=batches)
@settings(max_examples=4, deadline=None)
def test_choice_probabilities_are_the_shares_over_all_luck(ties, batch):
    u, v, _ = batch
    n_games, n_arms = u.shape
    grid = (np.arange(60) + 0.5) / 60  # as many as divide by every number of tied arms up to six
    luck = np.stack(np.meshgrid(grid, grid, grid, indexing="ij"), axis=-1).reshape(-1, 3)
    for game in range(n_games):
        activity = np.stack([u[game], v[game]])[:, None]
        arms, _ = select(np.broadcast_to(activity, (2, len(luck), n_arms)), luck, ties)
        share = np.bincount(arms, minlength=n_arms) / len(luck)
        assert choice_probabilities(activity, ties)[0] == pytest.approx(share)


@pytest.mark.parametrize("ties", ["random", "first"])
def test_agreement_on_a_clear_winner_ignores_luck(ties):
    u = v = np.tile([0.0, 1.0, 0.2], (50, 1))
    arms, agreed = select(np.stack([u, v]), np.random.default_rng(1).random((50, 3)), ties)
    assert agreed.all()
    assert (arms == 1).all()
