"""The game loop: what bandits say goes, however they say it."""

import numpy as np
import pytest

import baselines
import envs
from experiments.core.game import can_share, play, play_together
from nsa_brian import NSA


class Contrary(envs.BANDITS["MAB-P"]):
    """Pays by a rule of its own: nothing for the best arm, always for the others."""

    def pull(self, arms):
        return (np.asarray(arms) != self.best_arm).astype(np.int8)


def test_a_bandit_that_pays_by_a_rule_of_its_own_is_asked():
    bandit = Contrary(4, n_games=2, seed=1)
    record = play(NSA(4, seed=1, n_games=2), bandit, 60)
    assert (record.rewards == (record.arms != record.best_arm)).all()


@pytest.mark.parametrize("env", ["MAB-sin", "MAB-P", "switching", "random-walk"])
def test_agents_that_share_a_bandit_play_as_if_each_had_its_own(env):
    def agents():
        names = ("thompson", "glr-klucb", "sw-ucb", "softmax", "best-arm", "oracle-restart")
        return [NSA(50, seed=1, n_games=40), *(baselines.make(name, 50, n_games=40, seed=2) for name in names)]

    def bandit():
        return envs.make(env, 50, n_games=40, trial_rounds=100, seed=3)

    together = play_together(agents(), bandit(), 300)  # in stretches of 131 rounds
    for agent, shared in zip(agents(), together, strict=True):
        alone = play(agent, bandit(), 300)
        assert alone.arrays().keys() == shared.arrays().keys()
        for name, array in alone.arrays().items():
            np.testing.assert_array_equal(array, shared.arrays()[name])


@pytest.mark.parametrize("env", ["MAB-sin", "MAB-D", "reversal"])
def test_policies_that_see_the_bandit_see_each_round(env):
    class Observer(baselines.BestArm):  # not of the package, so it meets every round of the bandit itself
        pass

    n_arms = 2 if env == "reversal" else 50
    records = [
        play(kind(n_arms, n_games=40), envs.make(env, n_arms, n_games=40, trial_rounds=100, seed=3), 300)
        for kind in (baselines.BestArm, Observer)
    ]
    for name, array in records[0].arrays().items():
        np.testing.assert_array_equal(array, records[1].arrays()[name])
    assert (records[0].arms == records[0].best_arm).all()


def test_who_does_not_share_a_bandit():
    class Observer(baselines.BestArm):
        """May read anything of the bandit."""

    bandit = envs.make("MAB-P", 4, n_games=2, seed=1)
    assert can_share(baselines.make("ucb1", 4, n_games=2), bandit)
    assert can_share(baselines.make("best-arm", 4, n_games=2), bandit)
    assert not can_share(Observer(4, n_games=2), bandit)
    assert not can_share(NSA(4, engine="network", n_games=2), bandit)
    assert not can_share(baselines.make("ucb1", 4, n_games=2), Contrary(4, n_games=2))
