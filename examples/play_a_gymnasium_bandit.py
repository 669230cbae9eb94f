"""
Gymnasium bandits, and bandits in Gymnasium
===========================================

NSA and UCB1 play a bandit written for Gymnasium alone. Then ``gymnasium.make`` makes one of this package's bandits, and
random actions play it. Needs ``pip install nsa-brian[gym]``.
"""

import gymnasium

import baselines
import envs.gymnasium_bandit
from experiments.gymnasium_game import play_gymnasium
from nsa_brian import NSA


class SlotMachines(gymnasium.Env):
    """Five slot machines; machine 3 is the best until round 500, machine 1 from then on."""

    action_space = gymnasium.spaces.Discrete(5)
    observation_space = gymnasium.spaces.Discrete(1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pulls = 0
        return 0, {}

    def step(self, action):
        best = 3 if self.pulls < 500 else 1
        reward = float(self.np_random.random() < (0.8 if action == best else 0.2))
        self.pulls += 1
        return 0, reward, False, self.pulls == 1000, {}


agents = {"nsa": NSA(5, seed=1), **{name: baselines.make(name, 5, seed=1) for name in ("ucb1", "random")}}
for name, agent in agents.items():
    played = play_gymnasium(SlotMachines(), agent, seed=7)
    print(f"{name:<7} mean reward {played.rewards.mean():.2f} of 0.80 at best")

gymnasium.register_envs(envs.gymnasium_bandit)  # the import has registered them; this makes it explicit
env = gymnasium.make("nsa/random-walk-v0", n_arms=4, trials=1, trial_rounds=300)
env.reset(seed=7)
env.action_space.seed(7)
regret, over = 0.0, False
while not over:
    _, reward, _, over, info = env.step(env.action_space.sample())
    regret += (info["p_star"] - info["p"]) / 300
print(f"regret of random actions on the random walk: {regret:.3f}")
