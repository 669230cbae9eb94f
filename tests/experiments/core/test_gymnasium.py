"""Our bandits in Gymnasium, and our agents in Gymnasium's."""

import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import baselines
import envs
import envs.gymnasium_bandit
from envs.gymnasium_bandit import GymnasiumBandit
from experiments.core.gymnasium_game import play_gymnasium
from nsa_brian import NSA

TABLE = np.linspace(0, 1, 50 * 4).reshape(50, 4)


def make(name, **options):
    return gymnasium.make(f"nsa/{name}-v0", n_arms=4, **({"table": TABLE} if name == "schedule" else {}), **options)


@pytest.mark.parametrize("name", envs.BANDITS)
class TestContract:
    def test_passes_gymnasiums_own_check_without_a_warning(self, name):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_env(make(name, trials=1, trial_rounds=50).unwrapped)

    def test_an_episode_is_the_bandits_game(self, name):
        env = make(name, trials=2, trial_rounds=25)
        bandit = env.unwrapped.bandit
        env.reset(seed=4)
        for t in range(50):
            observation, reward, terminated, truncated, info = env.step(t % 4)
            p = bandit.probabilities[0]
            assert observation == 0
            assert reward == bandit.pull(t % 4)
            assert isinstance(reward, float)
            assert (terminated, truncated) == (False, t == 49)
            assert info == {
                "p": p[t % 4], "p_star": p.max(), "best_arm": p.argmax(), "trial": t // 25, "round": t,
            }  # fmt: skip
        with pytest.raises(gymnasium.error.ResetNeeded, match="is over: call reset"):
            env.step(0)

    def test_resets_without_a_seed_go_on_to_other_games_and_with_it_repeat_them(self, name):
        env = make(name, trials=1, trial_rounds=50)
        games = []
        for seed in (4, None, 4, None):
            env.reset(seed=seed)
            games.append([env.step(t % 4)[1] for t in range(50)])
        assert games[:2] == games[2:]
        assert games[0] != games[1]

    def test_what_is_no_arm_is_refused_and_no_round_is_lost(self, name):
        env, other = make(name).unwrapped, make(name).unwrapped
        env.reset(seed=0), other.reset(seed=0)
        for t in range(10):
            for bad in (4, -1, 2.5, np.array([0, 1]), None):
                with pytest.raises(ValueError, match="arm must be a whole number from 0 to 3, got"):
                    env.step(bad)
            assert env.step(t % 4) == other.step(np.int64(t % 4))


def test_the_settings_of_a_bandit_are_those_of_envs_make():
    env = gymnasium.make("nsa/MAB-D-v0", preset="published-table", tau=50).unwrapped
    assert (env.bandit.tau, env.bandit.n_targets, env.action_space.n, env.horizon) == (50, 2, 10, 4000)
    assert gymnasium.make("nsa/reversal-v0").action_space.n == 2
    with pytest.raises(ValueError, match="unknown setting 'colour' of MAB-D"):
        gymnasium.make("nsa/MAB-D-v0", colour="red")


@pytest.mark.parametrize(
    ("options", "message"),
    [({"trials": 0}, "trials must be a whole number from 1 up, got 0"), ({"n_games": 3}, "is one game; for many")],
)
def test_bad_settings(options, message):
    with pytest.raises(ValueError, match=message):
        GymnasiumBandit("MAB-P", **options)


def test_a_step_wants_a_reset_first():
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset first"):
        GymnasiumBandit("MAB-P").step(0)


def test_many_games_at_once():
    games = gymnasium.make_vec("nsa/needle-v0", num_envs=3, n_arms=5)
    games.reset(seed=1)
    _, rewards, _, _, info = games.step(np.array([0, 1, 2]))
    assert rewards.shape == info["p"].shape == (3,)


def test_a_bandit_of_ones_own_is_registered_on_request(monkeypatch):
    monkeypatch.setitem(envs.BANDITS, "mine", envs.BANDITS["needle"])
    envs.gymnasium_bandit.register()
    assert gymnasium.make("nsa/mine-v0", n_arms=3).action_space.n == 3
    del gymnasium.registry["nsa/mine-v0"]


@pytest.mark.parametrize("module", ["envs", "experiments.cli"])
def test_nothing_else_needs_gymnasium(module, tmp_path):
    code = "import sys; sys.modules['gymnasium'] = None; import " + module
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = subprocess.run([sys.executable, "-c", f"{code}, envs.gymnasium_bandit"], capture_output=True, text=True)
    assert 'pip install "nsa-brian[gym]"' in done.stderr.splitlines()[-1]


class Plain(gymnasium.Env):
    """A bandit as anybody would write it: arm 2 of 5 pays most; an episode is one pull."""

    action_space = gymnasium.spaces.Discrete(5)
    observation_space = gymnasium.spaces.Discrete(1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return 0, {}

    def step(self, action):
        p = [0.1, 0.3, 0.8, 0.2, 0.4][action]
        return 0, int(self.np_random.random() < p), True, False, {"p": p}


@pytest.mark.slow
def test_nsa_plays_a_foreign_bandit_far_better_than_chance():
    games = [play_gymnasium(Plain(), NSA(5, seed=seed), 300, seed=100 + seed) for seed in range(8)]
    found = np.array([played.rewards.mean() for played in games])
    assert all(len(played.arms) == len(played.infos) == 300 for played in games)
    assert found.mean() - 3 * found.std(ddof=1) / np.sqrt(8) > 0.36 + 0.15  # the arms' mean, and much more
    chance = play_gymnasium(Plain(), baselines.make("random", 5, seed=0), 3000, seed=1)
    assert chance.rewards.mean() == pytest.approx(0.36, abs=3.3 * np.sqrt(0.36 * 0.64 / 3000))


#: All that play by rewards alone; an oracle has to watch one of our own bandits.
POLICIES = [name for name, policy in baselines.POLICIES.items() if not hasattr(policy, "watch")]


@pytest.mark.parametrize("name", POLICIES)
def test_every_baseline_plays_a_foreign_bandit(name):
    played = play_gymnasium(Plain(), baselines.make(name, 5, seed=1), 30, seed=2)
    assert [info["p"] for info in played.infos] == [[0.1, 0.3, 0.8, 0.2, 0.4][arm] for arm in played.arms]
    again = play_gymnasium(Plain(), baselines.make(name, 5, seed=1), 30, seed=2)
    assert (again.rewards == played.rewards).all()


def test_an_episode_is_played_to_its_end_and_longer_games_go_on_in_the_next():
    env = gymnasium.make("nsa/MAB-P-v0", n_arms=3, trials=1, trial_rounds=20)
    agent = baselines.make("ucb1", 3, seed=0)
    assert len(play_gymnasium(env, agent, seed=0).arms) == 20
    rounds = [info["round"] for info in play_gymnasium(env, agent, 50, seed=0).infos]
    assert rounds == [*range(20), *range(20), *range(10)]
    assert agent.pulls.sum() == 70  # it has kept all it learnt


def test_agents_count_arms_from_0_wherever_the_environment_starts():
    env = Plain()
    env.action_space = gymnasium.spaces.Discrete(3, start=2)
    played = play_gymnasium(env, baselines.make("random", 3, seed=0), 20, seed=0)
    assert [info["p"] for info in played.infos] == [[0.8, 0.2, 0.4][arm] for arm in played.arms]


def test_what_is_no_bandit_for_our_agents_is_refused():
    random = baselines.make("random", 5, seed=0)
    env = Plain()
    env.action_space = gymnasium.spaces.Box(0, 1, (2,))
    with pytest.raises(ValueError, match=r"action space must be Discrete\(K\), got Box"):
        play_gymnasium(env, random)
    with pytest.raises(ValueError, match="n_rounds must be a whole number from 1 up, got 0"):
        play_gymnasium(Plain(), random, 0)
    with pytest.raises(ValueError, match="made for one game with 5 arms, but it chose"):
        play_gymnasium(Plain(), baselines.make("random", 50, seed=0), 100)
    with pytest.raises(ValueError, match="made for one game with 5 arms, but it chose"):
        play_gymnasium(Plain(), baselines.make("random", 5, n_games=2, seed=0), 100)
    points = gymnasium.wrappers.TransformReward(Plain(), lambda reward: 100 * reward)
    with pytest.raises(ValueError, match=r"rewards must be in \[0, 1\], got 100"):
        play_gymnasium(points, random, 100, seed=0)
