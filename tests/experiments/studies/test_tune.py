"""The tuning of the baselines, the tuned agents, and where agents stand."""

import dataclasses
import itertools
import json
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.figure import Figure

import baselines
from baselines import Tunable
from baselines.behaviour import BehaviourModel
from baselines.epsilon_greedy import EpsilonGreedy
from evolution import FitnessGames
from evolution.fitness import rounds
from evolution.search import GAMES
from experiments.core import agents
from experiments.core.metrics import Ranks, mean_ranks
from experiments.core.results import Results
from experiments.studies.table.figure import draw_ranks
from experiments.studies.tune.grid import regrets, tune
from experiments.studies.tune.study import STUDY, Settings, tunable_policies
from nsa_brian.parameter_set import BEST

SMALL = FitnessGames(envs=("stationary",), arms=(4,), iterations=6, trials=1, rounds=150)


class Distant(EpsilonGreedy):
    """Epsilon-greedy whose epsilon is the distance of x from 3.3, far from where the search begins."""

    tunable = {"x": Tunable(0, 1, legal=(-50.0, 50.0))}  # noqa: RUF012

    def __init__(self, n_arms, *, x=0.0, **settings):
        super().__init__(n_arms, epsilon=np.clip(np.abs(np.asarray(x) - 3.3) / 4, 0.02, 1), **settings)

    def _tuned(self, name, value):
        return np.full(self.n_games, value, dtype=float)


@pytest.fixture
def distant(monkeypatch):
    monkeypatch.setitem(baselines.POLICIES, "distant", Distant)


class TestTune:
    def test_widens_until_the_optimum_lies_inside(self, distant):
        found = tune("distant", SMALL, seed=0, narrowings=2)
        best = found.values[found.regret.argmin(), 0]
        assert abs(best - 3.3) < 0.8  # an epsilon below 0.2
        assert found.values.min() < best < found.values.max()

    def test_stays_within_the_legal_values(self, monkeypatch, distant):
        monkeypatch.setattr(Distant, "tunable", {"x": Tunable(0, 1, legal=(-1.0, 2.0))})
        found = tune("distant", SMALL, seed=0, narrowings=1)
        assert found.values.max() == 2.0
        assert found.regret[found.values[:, 0] == 2.0].min() == found.regret.min()

    def test_of_equally_good_values_takes_one_off_the_edge(self, monkeypatch):
        """Where x no longer matters below some value, the range is not widened for nothing."""

        class Flat(Distant):
            tunable = {"x": Tunable(-9, 50, legal=(-50.0, 50.0))}  # noqa: RUF012

            def __init__(self, n_arms, *, x=0.0, **settings):
                super().__init__(n_arms, x=np.maximum(x, 3.3), **settings)

        monkeypatch.setitem(baselines.POLICIES, "flat", Flat)
        found = tune("flat", SMALL, seed=0, narrowings=0)
        assert found.grid.max() == 0
        assert -9 < found.values[found.best, 0] < 3.4

    def test_is_the_same_again(self):
        first, second = (tune("epsilon-greedy", SMALL, seed=3, narrowings=0) for _ in range(2))
        assert (first.regret == second.regret).all()

    def test_meets_the_bandits_and_the_luck_of_the_search(self):
        """A policy that needs no luck of its own, replayed by hand on the games of the search's first generation."""
        found = regrets("ucb1", np.array([[0.5]]), SMALL, (0, GAMES, 0))[0]
        policy = baselines.make("ucb1", 4, n_games=6, exploration=0.5, rng=np.random.default_rng([0, GAMES, 0, 4]))
        missed = []
        for p, luck in rounds(SMALL, (0, GAMES, 0), 4):
            arms = policy.select_arm()
            expected = p[np.arange(6), arms]
            policy.update(arms, (luck[:, 3] < expected).astype(int))
            missed.append(p.max(axis=1) - expected)
        assert found == pytest.approx(np.mean(missed))

    def test_an_optimum_on_the_edge_is_told(self):
        values = np.linspace(0.1, 0.5, 5)[:, None]
        cell = {"values": values, "regret": np.arange(5.0), "best": np.array(0), "default": np.array(1.0)}
        cell["grid"] = np.zeros(5, int)
        found = Results(STUDY, STUDY.presets["full"], {}, {}, {"epsilon-greedy": cell})
        assert STUDY.summary(found).policies["epsilon-greedy"].on_edge == ["epsilon"]
        cell["values"] = np.linspace(0, 0.5, 5)[:, None]
        told = STUDY.summary(found).policies["epsilon-greedy"]
        assert (told.on_edge, told.on_legal_bound) == ([], ["epsilon"])

    def test_as_a_study_writes_data_and_a_figure(self, tmp_path):
        settings = dataclasses.replace(STUDY.presets["quick"], policies=("d-ucb",), rounds=40, narrowings=0)
        results, _ = STUDY.run(settings, tmp_path)
        (export,) = STUDY.exports(results)
        assert set(json.loads(export.text)["policies"]["d-ucb"]["settings"]) == {"discount", "exploration"}
        STUDY.draw(results).savefig(tmp_path / "figure.png")

    def test_refuses_what_cannot_be_tuned(self):
        with pytest.raises(ValueError, match=r"policies must be tunable .*, got 'random'"):
            Settings(policies=("random",))


class TestTunedAgents:
    @pytest.mark.parametrize("name", agents.tuned())
    def test_plays_with_its_tuned_values(self, name):
        agent = agents.make_policy(f"{name}:tuned", 3, 2, np.random.default_rng(0))
        for key, value in agents.tuned()[name].items():
            assert (np.asarray(getattr(agent, key)) == value).all()
        if agents.sees_the_bandit(name):
            agent.watch(SimpleNamespace(best_arm=0))
        agent.update(agent.select_arm(), np.array([0, 1]))

    def test_every_policy_that_can_be_tuned_was(self):
        assert set(agents.tuned()) == set(tunable_policies())

    def test_no_optimum_lies_on_the_edge_of_its_range(self):
        record = json.loads((agents.resources.files("experiments") / "data" / "tuned.json").read_text())
        assert [name for name, found in record["policies"].items() if found["on_edge"]] == []

    def test_the_group_is_nsa_and_every_compared_policy_tuned_where_it_was(self):
        group = agents.expand(["state-of-the-art"])
        agents.check_names(group)
        assert [name.removesuffix(":tuned") for name in group] == ["nsa", f"nsa:{BEST}", *baselines.compared()]
        assert {"random", "best-arm", "thompson", "optimistic:tuned"} <= set(group)

    def test_models_of_behaviour_play_but_are_not_compared(self):
        models = {name for name, policy in baselines.POLICIES.items() if issubclass(policy, BehaviourModel)}
        assert {"q-learning", "choice-kernel", "win-stay-lose-shift"} <= models
        assert models.isdisjoint({*baselines.compared(), *tunable_policies(), *agents.tuned()})
        agents.check_names(sorted(models))

    def test_an_unknown_variant_is_refused(self):
        with pytest.raises(ValueError, match="unknown agent 'ucb1:best'"):
            agents.check_names(["ucb1:best"])


class TestRanks:
    def test_are_averaged_over_the_cells(self):
        found = mean_ranks(["a", "b", "c"], np.array([[0.1, 0.2, 0.3], [0.2, 0.1, 0.3], [0.1, 0.1, 0.2]]))
        assert found.mean == pytest.approx({"a": 1.5, "b": 1.5, "c": 3.0})

    def test_critical_difference_is_demsars(self):
        """Four classifiers on fourteen data sets, the example of Demšar (2006): 1.25."""
        values = np.random.default_rng(0).random((14, 4))
        assert mean_ranks(list("abcd"), values).critical_difference == pytest.approx(1.25, abs=0.005)

    def test_equal_agents_differ_by_chance_only(self):
        rng = np.random.default_rng(1)
        small = [mean_ranks(list("abcde"), rng.random((20, 5))) for _ in range(200)]
        apart = [max(f.mean.values()) - min(f.mean.values()) > f.critical_difference for f in small]
        assert 0.01 < np.mean(apart) < 0.1  # 5% of the time by construction

    def test_bars_of_the_figure_overlap_where_ranks_do_not_differ(self):
        ranks = Ranks({"a": 1.0, "b": 2.4, "c": 2.6}, critical_difference=1.5, p=0.01)
        ax = draw_ranks(Figure().subplots(), ranks)
        bars = [line.get_xdata() for line in ax.lines if len(line.get_xdata()) == 2]
        overlap = {(i, j): bars[i][1] >= bars[j][0] for i, j in itertools.combinations(range(3), 2)}
        assert overlap == {(0, 1): True, (0, 2): False, (1, 2): True}
