"""The conformance test for policies finds what is wrong with broken ones."""

from functools import partial

import numpy as np
import pytest

from baselines import Policy
from baselines.testing import check_policy


class WinStay(Policy):
    """A policy that conforms; those below break one promise each."""

    def __init__(self, n_arms, **settings):
        super().__init__(n_arms, **settings)
        self.stay = np.full(self.n_games, -1)

    def _select(self):
        explored = (self.rng.random(self.n_games) * self.n_arms).astype(int)
        return np.where(self.stay >= 0, self.stay, explored)

    def _learn(self, arms, rewards):
        self.stay = np.where(rewards > 0, arms, -1)


class LeavesRange(WinStay):
    def _select(self):
        return super()._select() + 1


class GivesFloats(WinStay):
    def _select(self):
        return super()._select().astype(float)


class GivesOneArm(WinStay):
    def _select(self):
        return super()._select()[:1]


class DrawsGlobally(WinStay):
    def _learn(self, arms, rewards):
        np.random.random()  # noqa: NPY002
        super()._learn(arms, rewards)


class HasItsOwnSeed(WinStay):
    def _select(self):
        return np.random.default_rng().integers(self.n_arms, size=self.n_games)


class SharesGames(WinStay):
    def _learn(self, arms, rewards):
        self.stay = np.full(self.n_games, arms[0] if rewards.mean() > 0.5 else -1)


class KeepsTheCallersArray(WinStay):
    def _learn(self, arms, rewards):
        self.stay = arms


class ChangesTheCallersArray(WinStay):
    def _learn(self, arms, rewards):
        super()._learn(arms, rewards)
        rewards -= 0.1


class GivesArraysAlways(WinStay):
    def select_arm(self):
        return self._select()


class TakesAnything(WinStay):
    def update(self, arm, reward):
        arms = np.atleast_1d(arm).astype(int)[: self.n_games] % self.n_arms
        self._learn(arms, np.resize(reward, self.n_games))


class HasProbabilities(WinStay):
    """Conforms, with probabilities."""

    def _probabilities(self, offered):
        stays = np.arange(self.n_arms) == self.stay[:, None]
        return np.where(self.stay[:, None] >= 0, stays, 1 / self.n_arms)


class SumsToTwo(HasProbabilities):
    def _probabilities(self, offered):
        return 2 * super()._probabilities(offered)


class GivesOneRow(HasProbabilities):
    def _probabilities(self, offered):
        return super()._probabilities(offered)[:1]


class DrawsForProbabilities(HasProbabilities):
    def _probabilities(self, offered):
        self.rng.random(self.n_games)
        return super()._probabilities(offered)


class CallsItImpossible(HasProbabilities):
    def _probabilities(self, offered):
        return np.eye(self.n_arms)[np.zeros(self.n_games, int)]


BROKEN = {
    LeavesRange: "arms must be from 0 to 3",
    GivesFloats: "arms must be whole numbers, got float64",
    GivesOneArm: r"select_arm\(\) must return one arm per game, got shape \(1,\)",
    DrawsGlobally: "global generator",
    HasItsOwnSeed: "choices differ with the same generator and rewards",
    SharesGames: "the choices of a game differ between alone and in a batch",
    KeepsTheCallersArray: "must copy the arrays that it stores",
    ChangesTheCallersArray: "must not change its arguments",
    GivesArraysAlways: "the arm of a single game must be an int, got ndarray",
    SumsToTwo: r"probabilities\(\) must be at least 0 and sum to 1",
    GivesOneRow: r"probabilities\(\) must have the shape \(3, 4\), got \(1, 4\)",
    DrawsForProbabilities: r"probabilities\(\) must not change the choices",
    CallsItImpossible: "an arm was selected whose probability is 0",
    TakesAnything: r"update\(\) must raise a ValueError for arms",
}


def test_a_policy_that_conforms_passes():
    check_policy(partial(WinStay, 4))
    check_policy(partial(HasProbabilities, 4))


@pytest.mark.parametrize("broken", BROKEN, ids=lambda kind: kind.__name__)
def test_a_broken_policy_is_found(broken):
    with pytest.raises(AssertionError, match=BROKEN[broken]) as found:
        check_policy(partial(broken, 4))
    assert len(str(found.value).splitlines()) == 1
