"""Every agent, NSA and baselines alike: one contract."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import baselines
import envs
from experiments.core.agents import names, tuned
from nsa_brian import NSA, NSAParameters
from nsa_brian.common.game_streams import streams

SHORT = NSAParameters(tau_u=20, tau_v=30, duration_input=60, duration_free=60)


def make(name, n_arms=4, **options):
    policy, _, variant = name.partition(":")
    settings = {**options, **(tuned()[policy] if variant else {})}
    agent = NSA(n_arms, SHORT, **options) if name == "nsa" else baselines.make(policy, n_arms, **settings)
    if hasattr(agent, "watch"):
        known = envs.make("MAB-P", n_arms, n_games=options.get("n_games"), seed=0)
        agent.watch(known if policy == "oracle-bayes" else SimpleNamespace(best_arm=1))
    return agent


def choices(agent, n_rounds, n_games=None, best=1):
    """Arms chosen against a bandit whose arm ``best`` always pays and whose others never do."""
    chosen = []
    for _ in range(n_rounds):
        arm = agent.select_arm()
        agent.update(arm, (np.asarray(arm) == best).astype(float) if n_games else float(arm == best))
        chosen.append(arm)
    return np.array(chosen)


@pytest.mark.parametrize("name", names())
class TestContract:
    def test_a_single_game_takes_and_gives_plain_numbers(self, name):
        arm = make(name, seed=0).select_arm()
        assert isinstance(arm, int)
        assert 0 <= arm < 4

    def test_many_games_at_once(self, name):
        chosen = choices(make(name, n_games=3, seed=0), 5, n_games=3)
        assert chosen.shape == (5, 3)
        assert ((chosen >= 0) & (chosen < 4)).all()

    def test_same_seed_same_choices(self, name):
        same = [choices(make(name, 30, seed=3), 120).tolist() for _ in range(2)]
        assert same[0] == same[1]
        other = choices(make(name, 30, seed=4), 120).tolist()
        assert (same[0] == other) == (name == "best-arm")  # which has nothing to draw

    def test_a_game_is_the_same_alone_and_in_a_batch(self, name):
        batch = choices(make(name, n_games=3, rng=streams(0, name, range(3))), 12, n_games=3)
        alone = choices(make(name, n_games=1, rng=streams(0, name, range(1, 2))), 12, n_games=1)
        assert (batch[:, 1] == alone[:, 0]).all()

    def test_a_sure_arm_is_found(self, name):
        chosen = choices(make(name, seed=1), 60)
        late = (chosen[-20:] == 1).mean()
        assert late < 0.6 if name in ("random", "biased-random", "choice-kernel") else late > 0.6

    def test_an_arm_out_of_range_is_refused(self, name):
        agent = make(name, seed=0)
        agent.select_arm()
        with pytest.raises(ValueError, match="arm must be a whole number from 0 to 3, got 4"):
            agent.update(4, 1)
        with pytest.raises(ValueError, match="arms must be whole numbers from 0 to 3, one for each of 2 games, got -1"):
            make(name, n_games=2).update(np.array([0, -1]), np.ones(2))

    @pytest.mark.parametrize(
        ("arms", "rewards", "got"),
        [
            ([0.0, 1.0], [0, 1], "arms .*, got 0.0"),
            ([[0], [1]], [0, 1], r"arms .*, got an array of shape \(2, 1\)"),
            ([0, 1, 2], [0, 1, 1], r"arms .*, got an array of shape \(3,\)"),
            ([True, False], [0, 1], "arms .*, got True"),
            (["0", "1"], [0, 1], "arms .*, got '0'"),
            ([0, 1], [0, math.nan], "rewards must be numbers from 0 to 1, one for each of 2 games, got nan"),
            ([0, 1], [0, math.inf], "rewards .*, got inf"),
            ([0, 1], [2, 0], "rewards .*, got 2"),
            ([0, 1], [0.5, -1.0], "rewards .*, got -1.0"),
            ([0, 1], [[0], [1]], r"rewards .*, got an array of shape \(2, 1\)"),
            ([0, 1], 1, r"rewards .*, got an array of shape \(1,\)"),
            ([0, 1], [None, 1], "rewards .*, got None"),
        ],
    )
    def test_what_is_no_arm_or_reward_is_refused_and_changes_nothing(self, name, arms, rewards, got):
        told, not_told = (make(name, n_games=2, rng=streams(0, name, range(2))) for _ in range(2))
        with pytest.raises(ValueError, match=got):
            told.update(np.array(arms), np.array(rewards))
        assert (choices(told, 8, n_games=2) == choices(not_told, 8, n_games=2)).all()

    def test_whole_numbers_and_rewards_of_every_type_are_taken(self, name):
        for arms, rewards in [("i1", "f4"), ("u8", "?"), (">i4", ">f8"), ("i8", "u1")]:
            make(name, n_games=2, seed=0).update(np.array([3, 0], arms), np.array([1, 0], rewards))
        make(name, seed=0).update(np.int64(3), np.float32(0.25))

    def test_one_arm_is_no_choice(self, name):
        with pytest.raises(ValueError, match="n_arms must be a whole number from 2 up, got 1"):
            make(name, 1)


def test_unknown_names_are_answered_with_the_nearest():
    with pytest.raises(ValueError, match="unknown policy 'thomson'; did you mean thompson"):
        baselines.make("thomson", 3)
    with pytest.raises(ValueError, match="unknown engine 'netwrok'; did you mean network"):
        NSA(3, engine="netwrok")


def test_nsa_takes_parameters_in_every_form(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text('{"parameters": ' + str(SHORT.to_dict()).replace("'", '"') + "}")
    for given in (SHORT, path, str(path), SHORT.to_dict()):
        assert NSA(2, given).engine.parameters == [SHORT]
    assert NSA(2, "minbandit-29").engine.parameters[0].tau_u == 63


def test_epsilon_greedy_explores_as_often_as_it_says():
    agent = baselines.make("epsilon-greedy", 10, n_games=4000, seed=0, epsilon=0.3)
    agent.update(np.full(4000, 7), np.ones(4000))
    share = (agent.select_arm() != 7).mean()  # exploring finds arm 7 once in ten
    assert abs(share - 0.27) < 3.3 * math.sqrt(0.27 * 0.73 / 4000)
    with pytest.raises(ValueError, match="epsilon must be a number from 0 to 1, got 2"):
        baselines.make("epsilon-greedy", 3, epsilon=2)


def test_ucb1_plays_every_arm_once_in_random_order_and_then_by_its_index():
    agent = baselines.make("ucb1", 4, seed=2)
    payoff = [0.2, 0.9, 0.4, 0.6]
    pulls, sums, order = [0] * 4, [0.0] * 4, []
    for t in range(200):
        arm = agent.select_arm()
        if t < 4:
            order.append(arm)
        else:
            index = [sums[k] / pulls[k] + math.sqrt(2 * math.log(t) / pulls[k]) for k in range(4)]
            assert arm == index.index(max(index))
        agent.update(arm, payoff[arm])
        pulls[arm] += 1
        sums[arm] += payoff[arm]
    assert sorted(order) == [0, 1, 2, 3]
    starts = {baselines.make("ucb1", 4, seed=s).select_arm() for s in range(40)}
    assert starts == {0, 1, 2, 3}


def test_thompson_samples_its_posterior():
    agent = baselines.make("thompson", 2, n_games=4000, seed=0)
    for reward in (1, 1, 0):
        agent.update(np.zeros(4000, int), np.full(4000, reward))
    # P(Beta(3, 2) > Beta(1, 1)) is the mean of Beta(3, 2), 0.6.
    share = (agent.select_arm() == 0).mean()
    assert abs(share - 0.6) < 3.3 * math.sqrt(0.6 * 0.4 / 4000)
