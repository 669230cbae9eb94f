"""The laws of the bandits whose changes are drawn at random: ``switching`` to ``seasonal``."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import envs
from envs.base import reflect
from nsa_brian.common.game_streams import streams

#: Settings with which much happens in a short time.
LIVELY = [
    ("switching", {"rate": 0.1}),
    ("switching", {"rate": 0.1, "scope": "one"}),
    ("random-walk", {"sd": 0.3}),
    ("reversal", {"block_low": 1, "block_high": 9}),
    ("needle", {"rate": 0.1}),
    ("seasonal", {"period": 20, "trend": 2}),
]


def play(bandit, rng, n_rounds):
    """Probabilities (rounds, games, arms)."""
    bandit.reset(rng)
    probabilities = [bandit.probabilities]
    for _ in range(n_rounds - 1):
        bandit.step()
        probabilities.append(bandit.probabilities)
    return np.array(probabilities)


@pytest.mark.parametrize(("name", "options"), LIVELY)
def test_a_game_stays_the_same_whatever_happens_beside_it(name, options):
    batch = play(envs.make(name, 3, n_games=5, **options), streams(1, "bandit", range(5)), 1200)
    for game in (0, 3):
        alone = play(envs.make(name, 3, n_games=1, **options), streams(1, "bandit", range(game, game + 1)), 1200)
        assert (batch[:, game] == alone[:, 0]).all()
        assert (alone[1:] != alone[:-1]).any(axis=2).sum() > 90


@pytest.mark.parametrize(("name", "options"), LIVELY)
def test_a_rounds_probabilities_are_not_written_over_by_the_next(name, options):
    bandit = envs.make(name, 4, n_games=3, **options)
    bandit.reset(np.random.default_rng(0))
    for _ in range(60):
        kept, before = bandit.probabilities, bandit.probabilities.copy()
        bandit.step()
        assert (kept == before).all()


def geometric_pvalue(gaps, rate):
    """How likely such waiting times are where an event comes in each round with probability ``rate``."""
    edges = stats.geom(rate).ppf([0, 0.25, 0.5, 0.75]).astype(int)
    counts = np.histogram(gaps, [*edges, np.inf])[0]
    shares = np.diff([*stats.geom(rate).cdf(edges - 1), 1])
    return stats.chisquare(counts, shares / shares.sum() * counts.sum()).pvalue


def test_switching_draws_all_arms_anew_at_geometric_times():
    p = play(envs.make("switching", 5, n_games=40, rate=0.05), np.random.default_rng(1), 4000)
    changed = p[1:] != p[:-1]
    switches = changed.any(axis=2)
    assert changed[switches].mean() > 0.98  # all arms, but for those clipped to the same 0 or 1
    gaps = np.concatenate([np.diff(np.flatnonzero(game)) for game in switches.T])
    assert switches.mean() == pytest.approx(0.05, abs=3.3 * np.sqrt(0.05 * 0.95 / switches.size))
    assert geometric_pvalue(gaps, 0.05) > 0.001
    drawn = p[1:][switches]
    inside = drawn[(drawn > 0) & (drawn < 1)]
    assert stats.kstest(inside, stats.truncnorm(-2.5, 2.5, 0.5, 0.2).cdf).pvalue > 0.001


def test_switching_can_draw_one_arm_alone_any_of_them():
    p = play(envs.make("switching", 5, n_games=40, rate=0.05, scope="one"), np.random.default_rng(1), 1000)
    changed = p[1:] != p[:-1]
    assert set(changed.sum(axis=2).ravel()) == {0, 1}
    assert changed.any(axis=2).mean() == pytest.approx(0.05, abs=0.004)
    assert stats.chisquare(changed.sum(axis=(0, 1))).pvalue > 0.001


@pytest.mark.parametrize("rate", [0, 1])
def test_switches_never_come_or_always(rate):
    p = play(envs.make("switching", 5, n_games=2, rate=rate), np.random.default_rng(1), 60)
    assert ((p[1:] != p[:-1]).any(axis=2) == rate).all()


def test_random_walk_keeps_its_stationary_spread_and_memory():
    p = play(envs.make("random-walk", 4, n_games=2000), np.random.default_rng(4), 301)
    spread = 0.028 / np.sqrt(1 - 0.9836**2)
    # Three sd from the borders, reflection takes less than 2 % of the spread away.
    for t in (0, 100, 300):
        assert p[t].mean() == pytest.approx(0.5, abs=3.3 * spread / np.sqrt(8000))
        assert p[t].std() == pytest.approx(spread, rel=0.03)
    memory = np.corrcoef(p[0].ravel(), p[100].ravel())[0, 1]
    assert memory == pytest.approx(0.9836**100, abs=3.3 / np.sqrt(8000))
    steps = (p[1:] - 0.5) - 0.9836 * (p[:-1] - 0.5)
    far = (p[1:] > 0.2) & (p[1:] < 0.8)  # from the borders
    assert stats.kstest(steps[far][::101], stats.norm(0, 0.028).cdf).pvalue > 0.001


def test_a_random_walk_without_decay_is_uniform_between_its_borders():
    p = play(envs.make("random-walk", 3, n_games=400, preset="two-step", sd=0.1), np.random.default_rng(0), 200)
    assert p.min() >= 0.25
    assert p.max() <= 0.75
    for t in (0, 199):
        assert stats.kstest(p[t].ravel(), stats.uniform(0.25, 0.5).cdf).pvalue > 0.001


def test_arms_of_a_random_walk_wander_apart():
    p = play(envs.make("random-walk", 300, n_games=2), np.random.default_rng(0), 40)  # more arms than drawn ahead
    steps = np.diff(p, axis=0).transpose(1, 2, 0).reshape(600, 39)
    among = np.corrcoef(steps)[np.triu_indices(600, 1)]
    assert among.mean() == pytest.approx(0, abs=0.01)
    assert among.max() < 0.9


def test_reflection_folds_back_from_any_distance():
    assert reflect(np.array([-0.1, 0.0, 0.3, 1.0, 1.2, 2.1, -1.3])) == pytest.approx([0.1, 0, 0.3, 1, 0.8, 0.1, 0.7])
    assert reflect(np.array([0.2, 0.8]), 0.25, 0.75) == pytest.approx([0.3, 0.7])


@settings(max_examples=200, deadline=None)
@given(st.floats(-1e6, 1e6), st.floats(0, 0.49), st.floats(0.5, 1))
def test_reflected_values_are_probabilities(value, low, high):
    reflected = reflect(np.array(value), low, high)
    assert 0 <= reflected <= 1
    assert low <= reflected <= high + 1e-15


def test_reversal_of_two_arms_after_blocks_of_the_stated_lengths():
    bandit = envs.make("reversal", n_games=300, low=0.1, high=0.7, block_low=5, block_high=9)
    assert bandit.n_arms == 2
    p = play(bandit, np.random.default_rng(0), 400)
    assert (np.sort(p, axis=2) == [0.1, 0.7]).all()
    lengths = np.concatenate([np.diff([-1, *np.flatnonzero(np.diff(p[:, game, 0]))]) for game in range(300)])
    values, counts = np.unique(lengths, return_counts=True)
    assert values.tolist() == [5, 6, 7, 8, 9]
    assert stats.chisquare(counts).pvalue > 0.001
    assert stats.binomtest(int((p[0, :, 0] == 0.7).sum()), 300).pvalue > 0.001  # either arm may be the first


def test_reversal_of_many_arms_turns_all_of_them():
    p = play(envs.make("reversal", 7, n_games=100, block_low=3, block_high=3), np.random.default_rng(0), 12)
    good = p == 0.8
    assert good.sum(axis=2)[::3].tolist() == [[3] * 100, [4] * 100, [3] * 100, [4] * 100]
    assert (good[3] == ~good[2]).all()
    assert (good[3:6] == good[3]).all()
    assert stats.chisquare(good[0].sum(axis=0)).pvalue > 0.001


def test_needle_is_exactly_one_good_arm_that_moves_to_any_other():
    p = play(envs.make("needle", 6, n_games=100, rate=0.1, low=0.3, high=0.6), np.random.default_rng(2), 1000)
    assert (np.sort(p, axis=2) == [0.3] * 5 + [0.6]).all()
    place = p.argmax(axis=2)
    moves = np.diff(place, axis=0) % 6
    assert (moves > 0).mean() == pytest.approx(0.1, abs=3.3 * np.sqrt(0.1 * 0.9 / moves.size))
    assert stats.chisquare(np.bincount(moves[moves > 0])[1:]).pvalue > 0.001
    assert stats.chisquare(np.bincount(place[0])).pvalue > 0.001


def test_seasonal_comes_back_after_a_period_but_for_its_trend():
    options = {"n_games": 1, "period": 50, "amplitude": 0.1, "sd": 0.01}  # far from the borders
    p = play(envs.make("seasonal", 400, trend=0.05, **options), np.random.default_rng(0), 201)
    rise = p[50, 0] - p[0, 0]
    assert p[200, 0] - p[0, 0] == pytest.approx(4 * rise)
    assert stats.kstest(rise, stats.uniform(-0.05, 0.1).cdf).pvalue > 0.001
    season = p[:, 0] - p[0, 0] - rise * np.arange(201)[:, None] / 50
    spectrum = np.abs(np.fft.rfft(season[:200] - season[:200].mean(axis=0), axis=0))
    assert (spectrum.argmax(axis=0) == 4).all()  # four cycles in 200 rounds
    assert np.ptp(season, axis=0) == pytest.approx(0.2, abs=0.001)
    still = play(envs.make("seasonal", 4, trend=0, **options), np.random.default_rng(0), 101)
    assert still[100] == pytest.approx(still[0])


def test_a_long_trend_is_reflected_within_probabilities():
    p = play(envs.make("seasonal", 50, n_games=2, period=20, trend=3), np.random.default_rng(0), 300)
    assert ((p >= 0) & (p <= 1)).all()
    assert (np.ptp(p[150:], axis=0) > 0).all()
