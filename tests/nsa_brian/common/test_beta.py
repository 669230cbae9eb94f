"""Beta samples of many games: their distribution, and that no game depends on another."""

import numpy as np
import pytest
from scipy import stats

import baselines
from nsa_brian.common import beta
from nsa_brian.common.game_streams import streams

# Flat, peaked, lopsided; below 1, as priors of one's own may be; those of which the fewest are accepted, (1, many).
SHAPES = [(1, 1), (2, 1), (1, 30), (400, 1), (1.3, 1.7), (5, 9), (60, 40), (3000, 7), (0.5, 0.5), (0.1, 3), (0.2, 0.7)]


def draw(a, b, n_games, n_arms, n_rounds):
    rng = streams(0, "agent", range(n_games))
    size = (n_games, n_arms)
    return np.stack([rng.beta(np.full(size, float(a)), np.full(size, float(b))) for _ in range(n_rounds)])


@pytest.mark.parametrize(("a", "b"), SHAPES)
@pytest.mark.parametrize("n_arms", [200, 2500])
def test_samples_are_of_the_distribution(a, b, n_arms):
    samples = draw(a, b, n_games=20, n_arms=n_arms, n_rounds=10_000 // n_arms)
    assert stats.kstest(samples.ravel(), stats.beta(a, b).cdf).pvalue > 0.001


@pytest.mark.parametrize(("a", "b"), [(1, 30), (2, 1), (0.5, 0.5), (60, 40)])
@pytest.mark.parametrize("n_arms", [100, 900, 5000])  # of which blocks drawn ahead hold many, two and none
def test_samples_are_independent_of_those_beside_before_and_in_other_games(a, b, n_arms):
    samples = draw(a, b, n_games=20, n_arms=n_arms, n_rounds=2 * max(2, 5000 // n_arms))
    assert len(np.unique(samples)) == samples.size
    cell = (8 * stats.beta(a, b).cdf(samples)).astype(int)
    for axis in range(3):
        # Pairs that do not overlap: the counts of overlapping ones would not be independent.
        one, other = (cell.take(range(which, cell.shape[axis], 2), axis) for which in (0, 1))
        together = np.bincount((8 * one + other).ravel(), minlength=64)
        assert stats.chisquare(together).pvalue > 0.001


def test_what_is_proposed_lies_nowhere_below_the_density():
    values = np.array([0.1, 0.3, 0.9, 1, 1.01, 1.5, 2, 5, 30, 1e3, 1e5])
    a, b, u = np.meshgrid(values, values, np.linspace(1e-9, 1 - 1e-9, 2001))
    v = np.log(u / (1 - u)) / beta.sharpness(a, b, np.empty(a.shape), np.empty((3, *a.shape)))
    density = a * v - (a + b) * (np.logaddexp(np.log(b), np.log(a) + v) - np.log(a + b))
    assert (density <= np.log(4 * u * (1 - u)) + 1e-9).all()


def test_the_sharpness_of_shapes_from_one_is_the_same_to_the_bit():
    a, b = 1 + np.random.default_rng(0).exponential(3, (2, 1000)).round(1)
    scratch = np.empty((3, *a.shape))
    usual = beta.sharpness(a, b, np.empty(a.shape), scratch)
    assert (beta.sharpness(a, b, np.empty(a.shape), scratch, from_one=True) == usual).all()


def test_a_uniform_number_of_zero_has_a_sample():
    class Zeros:
        def random(self, out):
            out[:] = 0.5
            out[::2] = 0

    with np.errstate(all="raise"):
        samples = beta.BetaStreams([Zeros()]).sample(np.full((1, 8), 3.0), np.full((1, 8), 2.0))
    assert ((samples > 0) & (samples < 1)).all()


def test_mixed_shapes_are_each_its_own():
    a, b = np.array(SHAPES, float).T
    rng = streams(0, "agent", range(2000))
    samples = rng.beta(np.tile(a, (2000, 1)), np.tile(b, (2000, 1)))
    for arm, shape in enumerate(SHAPES):
        assert stats.kstest(samples[:, arm], stats.beta(*shape).cdf).pvalue > 0.001


@pytest.mark.parametrize("n_arms", [pytest.param(3, marks=pytest.mark.slow), 200, 5000])
def test_a_game_draws_the_same_whoever_plays_beside_it(n_arms):
    """In several passes, from several blocks drawn ahead, beside games that reject more or less than this one."""
    n_rounds = max(3, 5000 // n_arms)
    a, b = np.random.default_rng(0).uniform(1, 30, (2, n_rounds, 100, n_arms))

    def drawn(games):
        rng = streams(0, "agent", games)
        return np.stack([rng.beta(a[t, list(games)], b[t, list(games)]) for t in range(n_rounds)])

    together = drawn(range(100))
    for games in (range(7, 8), range(60, 100)):
        assert (drawn(games) == together[:, list(games)]).all()


def test_other_numbers_of_a_stream_are_the_same_with_samples_and_without():
    one, other = (streams(0, "agent", range(3)) for _ in range(2))
    one.beta(np.ones((3, 4)), np.ones((3, 4)))
    assert (one.random((3, 700)) == other.random((3, 700))).all()
    assert (one.normal(0, 1, (3, 5)) == other.normal(0, 1, (3, 5))).all()


@pytest.mark.parametrize("wrong", [0, 0.09, -1, np.nan, np.inf])
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_what_cannot_be_drawn_is_refused(wrong):
    rng = streams(0, "agent", range(2))
    for shapes in [(np.ones((2, 3)), np.full((2, 3), wrong)), (np.full((2, 3), wrong), np.ones((2, 3)))]:
        with pytest.raises(ValueError, match=r"a and b must be at least 0\.1, got"):
            rng.beta(*shapes)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["thompson", "d-thompson", "f-dsw-thompson"])
def test_choices_are_distributed_as_with_a_generator_of_numpy(name):
    """After the same pulls and rewards in each game; a policy is held against its formula with numpy's generator."""
    n_games, n_arms, n_rounds = 20_000, 4, 12
    pulled = np.random.default_rng(3).integers(0, n_arms, n_rounds)
    paid = np.random.default_rng(4).integers(0, 2, n_rounds)
    counts = []
    for rng in (streams(0, "agent", range(n_games)), np.random.default_rng(1)):
        policy = baselines.make(name, n_arms, n_games=n_games, rng=rng)
        for arm, reward in zip(pulled, paid, strict=True):
            policy.update(np.full(n_games, arm), np.full(n_games, reward))
        counts.append(np.bincount(policy.select_arm(), minlength=n_arms))
    assert stats.chi2_contingency(counts).pvalue > 0.001
