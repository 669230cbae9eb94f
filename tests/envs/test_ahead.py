"""Rounds laid out at once: those of stepping through them, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import envs
from envs.draws import random_rounds
from evolution import FitnessGames
from evolution.fitness import rounds, stretches
from evolution.random_numbers import CommonRandomNumbers, stream
from nsa_brian.common.game_streams import streams

TABLE = np.linspace(0, 1, 200 * 4).reshape(200, 4)
#: Settings under which much happens in few rounds.
LIVELY = [
    ("MAB-D", {"tau": 3.0, "delta": 0.1}),
    ("MAB-D", {"tau": 1.0, "n_targets": 3}),
    ("MAB-D", {"tau": 2.5, "delta": 0.3, "distance": "sum", "n_targets": 1}),
    ("MAB-D", {"tau": 1.5, "delta": 1e-14}),
    ("switching", {"rate": 0.2}),
    ("switching", {"rate": 0.2, "scope": "one"}),
    ("switching", {"rate": 1.0}),
    ("reversal", {"block_low": 1, "block_high": 4}),
    ("reversal", {"low": 0.5, "high": 0.5, "block_low": 1, "block_high": 1}),
    ("needle", {"rate": 0.3}),
    ("seasonal", {"period": 7.0, "amplitude": 2.0, "trend": 1.0}),
    ("random-walk", {"sd": 0.7}),
]
PRESETS = [(name, {"preset": preset}) for name, bandit in envs.BANDITS.items() for preset in bandit.presets]
KINDS = [(name, {}) for name in envs.BANDITS] + PRESETS + LIVELY
LENGTHS = (1, 2, 7, 1, 40, 23, 2)


def make(name, options, n_games=None):
    table = {"table": TABLE} if name == "schedule" else {}
    return envs.make(name, 4, n_games=n_games, trial_rounds=20, **table, **options)


def generator(own, n_games):
    return streams(3, "bandit", range(n_games or 1)) if own else np.random.default_rng(3)


def stepped(bandit, n_rounds):
    """What ``ahead`` is to give."""
    found = []
    for t in range(n_rounds):
        if t:
            bandit.step()
        found.append((bandit.probabilities.copy(), bandit._uniform.copy()))
    return tuple(np.array(each) for each in zip(*found, strict=True))


def assert_same(one, other, n_rounds):
    for found, expected in zip(one.ahead(n_rounds), stepped(other, n_rounds), strict=True):
        assert (found == expected).all()
        assert found.shape == expected.shape
    assert one.round == other.round
    assert (one.probabilities == other.probabilities).all()
    arms = 2 if one._single else np.arange(one.n_games) % one.n_arms
    assert np.all(one.pull(arms) == other.pull(arms))


@pytest.mark.parametrize("own", [True, False], ids=["a stream a game", "one generator"])
@pytest.mark.parametrize("n_games", [None, 1, 5])
@pytest.mark.parametrize(("name", "options"), KINDS)
def test_rounds_are_those_of_stepping(name, options, n_games, own):
    one, other = make(name, options, n_games), make(name, options, n_games)
    for bandit in (one, other):
        bandit.reset(generator(own, n_games))
    for n_rounds in LENGTHS:
        assert_same(one, other, n_rounds)
        for bandit in (one, other):
            bandit.step()
    assert_same(one, other, 3)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(KINDS), st.lists(st.integers(1, 30), min_size=1, max_size=5), st.integers(0, 2**32))
def test_it_does_not_matter_where_rounds_are_cut(kind, lengths, seed):
    one, other = make(*kind, 3), make(*kind, 3)
    for bandit in (one, other):
        bandit.reset(np.random.default_rng(seed))
    for n_rounds in lengths:
        assert_same(one, other, n_rounds)


@pytest.mark.parametrize("name", envs.BANDITS)
def test_what_was_laid_out_stays(name):
    bandit = make(name, {}, 2)
    laid_out, luck = bandit.ahead(5)
    before = laid_out.copy(), luck.copy()
    bandit.ahead(30)
    bandit.step()
    assert (laid_out == before[0]).all()
    assert (luck == before[1]).all()


def test_a_piece_that_does_not_divide_the_rounds(monkeypatch):
    monkeypatch.setattr("envs.base.PIECE", 9 * 4 * 3)
    for name in ("MAB-sin", "MAB-sinP", "seasonal"):
        one, other = make(name, {}, 3), make(name, {}, 3)
        for bandit in (one, other):
            bandit.reset(np.random.default_rng(0))
        assert_same(one, other, 31)


def test_a_schedule_ends_where_it_ends():
    bandit = make("schedule", {})
    assert (bandit.ahead(200)[0][:, 0] == TABLE).all()
    with pytest.raises(ValueError, match=r"the schedule has 200 rounds \(rows\), round 201 was asked for"):
        bandit.ahead(2)


@pytest.mark.parametrize("n_rounds", [0, -1])
def test_there_is_at_least_the_present_round(n_rounds):
    with pytest.raises(ValueError, match="n_rounds must be a whole number from 1 up, got"):
        make("MAB-P", {}).ahead(n_rounds)


class InPlace(envs.Bandit):
    """Writes over its probabilities, which the rounds laid out must not notice."""

    def _begin(self):
        return self._rng.random((self.n_games, self.n_arms))

    def _next(self):
        self.probabilities *= 0.9
        return self.probabilities


class Louder(envs.BANDITS["MAB-P"]):
    """Derived from a bandit with a short cut, which does not know of this."""

    def _next(self):
        return super()._next() * 0.5 + 0.5 * self._rng.random((self.n_games, 1))


class Fading:
    """Comes before a bandit in a class of two parents."""

    def _next(self):
        return super()._next() * 0.99


class FadingWave(Fading, envs.BANDITS["MAB-sin"]):
    pass


class ByTrial(envs.BANDITS["MAB-P"]):
    """Draws what depends on the trial."""

    def _draw(self):
        return super()._draw() / (1 + self.trial)


class LouderStill(Louder):
    pass


class Leaping(envs.BANDITS["MAB-sin"]):
    """Goes two rounds in one."""

    def step(self):
        super().step()
        super().step()


@pytest.mark.parametrize("kind", [InPlace, Louder, LouderStill, FadingWave, ByTrial, Leaping])
def test_bandits_of_ones_own(kind):
    one, other = (kind(4, n_games=3, trial_rounds=5) for _ in range(2))
    for bandit in (one, other):
        bandit.reset(np.random.default_rng(1))
    for n_rounds in LENGTHS:
        assert_same(one, other, n_rounds)


def test_a_bandit_of_ones_own_does_not_depend_on_what_was_asked_of_its_parent():
    class Parent(envs.BANDITS["MAB-P"]):  # of this test alone, so that nothing was asked of it before
        _next, _lay_out = envs.BANDITS["MAB-P"]._next, envs.BANDITS["MAB-P"]._lay_out

    assert isinstance(Parent(4), Parent)
    assert issubclass(Parent, Parent)

    class Quieter(Parent):
        def _next(self):
            return super()._next() * 0.5

    test_bandits_of_ones_own(Quieter)


@pytest.mark.parametrize("size", [(3,), (3, 2), (3, 5, 7), (3, 700), (3, 0)])
def test_random_rounds_are_those_of_calls_and_leave_the_generators_where_calls_do(size):
    for rng, again in (
        (streams(0, "a", range(3)), streams(0, "a", range(3))),
        (np.random.default_rng(0), np.random.default_rng(0)),
    ):
        for n_rounds in (4, 1, 0, 100, 300):
            expected = np.array([again.random(size) for _ in range(n_rounds)]).reshape(n_rounds, *size)
            assert (random_rounds(rng, n_rounds, size) == expected).all()
        assert (rng.random(3) == again.random(3)).all()
        assert (rng.normal(0, 1, (3, 2)) == again.normal(0, 1, (3, 2))).all()


def test_common_luck_of_many_rounds_is_that_of_calls():
    luck, again = (CommonRandomNumbers([stream((0,), f"game {i}") for i in range(3)], 2) for _ in range(2))
    for n_rounds in (4, 1, 100):
        expected = np.array([again.random((6, 5)) for _ in range(n_rounds)])
        assert (luck.rounds(n_rounds, (6, 5)) == expected).all()
    assert (expected[:, :3] == expected[:, 3:]).all()


@pytest.mark.parametrize("most", [1, 200, 1 << 18])
def test_the_rounds_of_a_search_are_those_of_stepping_and_of_its_own_luck(monkeypatch, most):
    monkeypatch.setattr("envs.base.MOST_PROBABILITIES", most)
    games = FitnessGames(envs=("MAB-P", "MAB-D", "MAB-sin"), arms=(4,), iterations=2, rounds=30)
    bandits = [games.bandit(env, 4, stream((5,), f"{env} 4")) for env in games.envs]
    luck = np.concatenate([stream((5,), f"{env} 4 luck").random((60, 2, 4)) for env in games.envs], axis=1)
    played = [*rounds(games, (5,), 4)]
    for t, (probabilities, drawn) in enumerate(played):
        assert (probabilities == np.concatenate([bandit.probabilities for bandit in bandits])).all()
        assert (drawn == luck[t]).all()
        for bandit in bandits:
            bandit.step()
    assert len(played) == games.n_rounds
    assert max(probabilities.size for probabilities, _ in stretches(games, (5,), 4)) <= max(most, 6 * 4)
