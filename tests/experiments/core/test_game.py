"""The game loop: what bandits say goes, however they say it."""

import numpy as np

import envs
from experiments.core.game import play
from nsa_brian import NSA


class Contrary(envs.BANDITS["MAB-P"]):
    """Pays by a rule of its own: nothing for the best arm, always for the others."""

    def pull(self, arms):
        return (np.asarray(arms) != self.best_arm).astype(np.int8)


def test_a_bandit_that_pays_by_a_rule_of_its_own_is_asked():
    bandit = Contrary(4, n_games=2, seed=1)
    record = play(NSA(4, seed=1, n_games=2), bandit, 60)
    assert (record.rewards == (record.arms != record.best_arm)).all()
