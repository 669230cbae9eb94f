"""The conformance test for bandits finds what is wrong with broken ones."""

from functools import partial

import numpy as np
import pytest

from envs import Bandit
from envs.testing import check_bandit


class Walk(Bandit):
    """A bandit that conforms; those below break one promise each."""

    def _begin(self):
        return self._rng.random((self.n_games, self.n_arms))

    def _next(self):
        return np.clip(self.probabilities + self._rng.uniform(-0.1, 0.1, (self.n_games, self.n_arms)), 0, 1)


class LeavesRange(Walk):
    def _next(self):
        return self.probabilities + 0.05


class IsNaN(Walk):
    def _begin(self):
        return np.full((self.n_games, self.n_arms), np.nan)


class HasAnotherShape(Walk):
    def _begin(self):
        return self._rng.random((self.n_games, self.n_arms - 1))


class DrawsGlobally(Walk):
    def _next(self):
        np.random.random()  # noqa: NPY002
        return super()._next()


class HasItsOwnSeed(Walk):
    def _begin(self):
        return np.random.default_rng().random((self.n_games, self.n_arms))


class SharesGames(Walk):
    def _next(self):
        return (super()._next() + self.probabilities.mean()) / 2


class FollowsTheAgent(Walk):
    pulled = 0

    def pull(self, arms):
        self.pulled = np.max(arms)
        return super().pull(arms)

    def _next(self):
        return super()._next() / (1 + self.pulled)


class DrawsAtEachPull(Walk):
    def pull(self, arms):
        self._uniform = self._reward_rng.random(self.n_games)
        return super().pull(arms)


class PaysHalves(Walk):
    def pull(self, arms):
        return super().pull(arms) * 0.5


class TakesAnyArm(Walk):
    def pull(self, arms):
        return super().pull(np.atleast_1d(arms).astype(int)[: self.n_games] % self.n_arms)


class RemembersAfterReset(Walk):
    games_played = 0

    def _begin(self):
        self.games_played += 1
        return super()._begin() / self.games_played


class LaysOutOtherRounds(Walk):
    def _lay_out(self, n_rounds):
        return np.broadcast_to(self.probabilities, (n_rounds, self.n_games, self.n_arms))


class CountsNoRounds(Walk):
    def step(self):
        self.probabilities = self._next()


class HidesTheBest(Walk):
    @property
    def best_arm(self):
        return 0 if self._single else np.zeros(self.n_games, int)


BROKEN = {
    LeavesRange: "probabilities must be from 0 to 1",
    IsNaN: "probabilities must be from 0 to 1",
    HasAnotherShape: r"probabilities must be of shape \(3, 4\), got \(3, 3\)",
    DrawsGlobally: "global generator",
    HasItsOwnSeed: "two games with the same generator differ",
    SharesGames: "a game differs between alone and in a batch",
    FollowsTheAgent: "the game depends on the arms pulled",
    DrawsAtEachPull: "pulling twice in a round",
    PaysHalves: "rewards must be 0 or 1",
    TakesAnyArm: r"pull\(\) must raise a ValueError",
    RemembersAfterReset: r"the game differs after reset\(\)",
    LaysOutOtherRounds: r"probabilities of ahead\(\) and step\(\) differ",
    CountsNoRounds: "round must be 1 after 1 steps, got 0",
    HidesTheBest: "best_arm must be",
}


def test_a_bandit_that_conforms_passes():
    check_bandit(partial(Walk, 4))


@pytest.mark.parametrize("broken", BROKEN, ids=lambda kind: kind.__name__)
def test_a_broken_bandit_is_found(broken):
    with pytest.raises(AssertionError, match=BROKEN[broken]) as found:
        check_bandit(partial(broken, 4))
    assert len(str(found.value).splitlines()) == 1
