"""Fits: against an independent one, of hidden parameters, with priors, by cross-validation, from the command line."""

import json
import math

import numpy as np
import pytest
from scipy.optimize import minimize

from envs import make
from evolution.maximise import latin_hypercube, maximise
from experiments.fit import fit
from experiments.studies.fit.batch import Batch
from experiments.studies.fit.candidates import candidate
from experiments.studies.fit.data import Behaviour, Game, Subject
from experiments.studies.fit.fitting import Effort, best, folds_of
from experiments.studies.fit.genes import Gene, Prior
from experiments.studies.fit.predictive import Statistics, of_agent, of_subject
from experiments.studies.fit.settings import FitSettings
from experiments.studies.fit.study import STUDY
from experiments.studies.recover.simulating import simulate, typical_values
from experiments.studies.recover.study import STUDY as RECOVER
from experiments.studies.recover.study import RecoverSettings
from nsa_brian import Model, Parameter, ParameterSet, load

SMALL = {"screened": 64, "restarts": 2, "generations": 15, "predictive": 0}
EXAMPLE = FitSettings(agents=("q-learning",)).behaviour()


def subject(*rows, offered=None):
    arms, rewards = zip(*rows, strict=True)
    return Subject("s", (Game("", np.array(arms), np.array(rewards, float), offered),))


def q_learning_by_hand(games):
    """The largest log-likelihood of Q-learning with a softmax of two arms, by scipy from several starts."""

    def loss(x):
        step, beta = 1 / (1 + math.exp(-x[0])), math.exp(x[1])
        total = 0.0
        for game in games:
            q = [0.5, 0.5]
            for arm, reward in zip(game.arms.tolist(), game.rewards.tolist(), strict=True):
                total += np.logaddexp(0, beta * (q[1 - arm] - q[arm]))
                q[arm] += step * (reward - q[arm])
        return total

    bounds = [(-9, 9), (math.log(0.1), math.log(50))]
    starts = [(-3, 1), (0, 1), (-4, 3), (3, 0)]
    return -min(minimize(loss, start, bounds=bounds, method="L-BFGS-B").fun for start in starts)


@pytest.mark.parametrize("n", [1, pytest.param(28, marks=pytest.mark.slow)])
def test_q_learning_is_as_likely_as_in_an_independent_fit(n):
    subjects = EXAMPLE.subjects[:n]
    agent = candidate("q-learning", None)
    _, found = best(agent, Batch(subjects, 2), Effort(), [(0, i) for i in range(n)])
    for own, each in zip(found, subjects, strict=True):
        assert own.value == pytest.approx(q_learning_by_hand(each.games), rel=1e-3)


def test_the_example_is_the_probabilistic_selection_task():
    assert len(EXAMPLE.subjects) == 28
    assert EXAMPLE.n_trials == 5280
    assert [game.label for game in EXAMPLE.subjects[0].games] == ["CD", "EF", "AB"]


class TestSearch:
    def test_finds_the_top_of_a_rugged_hill_and_a_bound(self):
        def objective(x, which):
            return -((x[:, 0] - 0.3) ** 2) - 0.01 * np.cos(60 * x[:, 0]) + x[:, 1]

        (found,) = maximise(objective, 2, [np.random.default_rng(0)])
        grid = np.linspace(0, 1, 100_001)
        top = objective(np.stack([grid, np.ones_like(grid)], axis=1), None).max()
        assert found.value == pytest.approx(top, abs=1e-4)
        assert found.point[1] == pytest.approx(1, abs=1e-3)

    def test_problems_do_not_depend_on_each_other(self):
        def objective(x, which):
            return -(((x - np.array([0.2, 0.7])[which, None]) ** 2).sum(axis=1))

        both = maximise(objective, 2, [np.random.default_rng(i) for i in range(2)], screened=16)
        (alone,) = maximise(lambda x, _: objective(x, np.ones(len(x), int)), 2, [np.random.default_rng(1)], screened=16)
        assert (both[1].point == alone.point).all()
        assert [each.point[0] for each in both] == pytest.approx([0.2, 0.7], abs=1e-2)

    def test_nothing_to_search(self):
        (found,) = maximise(lambda x, which: np.full(len(x), -3.0), 0, [np.random.default_rng(0)])
        assert (found.value, found.evaluations, found.point.size) == (-3.0, 1, 0)

    def test_a_latin_hypercube_has_one_point_in_each_slice(self):
        points = latin_hypercube(20, 3, np.random.default_rng(0))
        assert (np.sort((points * 20).astype(int), axis=0) == np.arange(20)[:, None]).all()


def test_a_batch_gives_the_likelihood_of_each_subject_alone():
    rng = np.random.default_rng(0)

    def game(n, label=""):
        mask = rng.random((n, 3)) < 0.7
        arms = rng.integers(3, size=n)
        mask[np.arange(n), arms] = True
        return Game(label, arms, rng.integers(2, size=n) * 1.0, mask)

    people = [Subject("a", (game(7), game(12, "2"))), Subject("b", (game(5),))]
    which = np.array([0, 1, 1, 0])
    for name in ("q-kernel", "nsa"):
        agent = candidate(name, load() if name == "nsa" else None)
        values = typical_values(agent, 4, rng)
        found = Batch(people, 3).log_likelihood(agent, values, which)
        for i, person in enumerate(which):
            own = {key: value[i : i + 1] for key, value in values.items()}
            probable = agent.choice_probabilities(own, people[person].games, 3)[0]
            chosen = np.concatenate([each.arms for each in people[person].games])
            assert found[i] == pytest.approx(np.log(probable[np.arange(len(chosen)), chosen]).sum(), abs=1e-9)


def test_a_likelihood_has_the_same_bits_beside_longer_games():
    rng, agent, n = np.random.default_rng(0), candidate("q-learning", None), 50
    short, long = (
        Subject("s", (Game("", rng.integers(2, size=n_trials), rng.integers(2, size=n_trials) * 1.0),))
        for n_trials in (61, 120)
    )
    values, which = typical_values(agent, n, rng), np.zeros(n, int)
    alone, beside = (Batch(subjects, 2).log_likelihood(agent, values, which) for subjects in ([short], [short, long]))
    assert np.array_equal(alone, beside)


def test_the_weight_of_exploitation_is_fitted_and_simulated_up_to_the_largest_weight():
    for set_name, top in (("evolved", 4.5), ("evolved-0.3", load("evolved-0.3").parameters.w_max)):
        (gene,) = (gene for gene in candidate("nsa", load(set_name)).genes if gene.name == "alpha_v")
        assert gene.range.high == top
        assert gene.typical == pytest.approx((0.4 / 4.5 * top, 3.6 / 4.5 * top))


@pytest.mark.parametrize("name", ["nsa", "q-learning"])
def test_a_fit_is_at_least_as_likely_as_the_truth(name):
    agent, rng, everybody = candidate(name, load() if name == "nsa" else None), np.random.default_rng(1), np.arange(3)
    true = typical_values(agent, 3, rng)
    arms, rewards = simulate(agent, true, make("random-walk", 4, n_games=3), 150, rng)
    batch = Batch([Subject(str(i), (Game("", arms[i], rewards[i]),)) for i in everybody], 4)
    found, _ = best(agent, batch, Effort(screened=256, restarts=2, generations=20), [(0, i) for i in everybody])
    assert (batch.log_likelihood(agent, found, everybody) > batch.log_likelihood(agent, true, everybody) - 1).all()


@pytest.mark.slow
def test_parameters_that_are_free_by_default_are_recovered():
    """As in ``nsa recover``: 40 subjects, 300 rounds, 4 arms."""
    settings = RecoverSettings(agents=("nsa",))
    cells = {name: cell() for name, cell in RECOVER.cells(settings).items()}
    summary = RECOVER.collect(settings, cells).summary
    assert [each.parameter for each in summary.parameters] == ["mu_eta", "r_eta", "alpha_v", "lapse"]
    for each in summary.parameters:
        assert each.correlation >= 0.7, each


def test_the_confusion_matrix_counts_the_lowest_bic():
    settings = RecoverSettings(agents=("q-learning", "win-stay-lose-shift"), subjects=3, rounds=100)
    totals = {
        ("q", "q"): [-50, -60, -70],
        ("q", "w"): [-49, -57, -69],
        ("w", "q"): [-9, -9, -9],
        ("w", "w"): [-9, -8, -5],
    }
    full = {"q": "q-learning", "w": "win-stay-lose-shift"}
    cells = {
        f"{full[true]}|{full[fitted]}": {
            "log_likelihood": np.array(found, float),
            "true": np.ones((3, 2)),
            "values": np.ones((3, 2)),
        }
        for (true, fitted), found in totals.items()
    }
    found = RECOVER.collect(settings, cells).summary
    # Q-learning has one parameter more, which costs log(100) / 2 = 2.3 nats.
    assert found.confusion["q-learning"] == pytest.approx({"q-learning": 0, "win-stay-lose-shift": 1})
    assert found.confusion["win-stay-lose-shift"] == pytest.approx({"q-learning": 0, "win-stay-lose-shift": 1})
    cells["q-learning|q-learning"]["log_likelihood"] += 3.5
    assert RECOVER.collect(settings, cells).summary.confusion["q-learning"]["q-learning"] == pytest.approx(2 / 3)


def test_a_prior_draws_the_estimate_to_itself():
    data = {"subject": [1] * 6, "choice": [0, 1, 0, 0, 1, 0], "reward": [1, 0, 1, 1, 0, 1]}
    free = fit(data, ["q-learning"], **SMALL).summary.fits[0]
    drawn = fit(data, ["q-learning"], prior={"q-learning.beta": "lognormal:2:0.01"}, **SMALL).summary.fits[0]
    assert drawn.parameters["beta"] == pytest.approx(2, rel=0.05)
    assert drawn.log_likelihood < free.log_likelihood
    assert free.log_posterior is None
    assert drawn.log_posterior is not None
    assert Prior.of("normal:0:1").log_density(np.zeros(1)) == pytest.approx(-0.5 * math.log(2 * math.pi))
    for text in ("beta:1", "cauchy:0:1", "gamma:-1:-1", "normal:0:0", "beta:x:y"):
        with pytest.raises(ValueError, match="a prior"):
            Prior.of(text)


def test_folds_are_games_or_parts():
    games = tuple(Game(str(i), np.zeros(n, int), np.zeros(n)) for i, n in enumerate((2, 3, 1)))
    assert folds_of(Subject("s", games), 2).tolist() == [0, 0, 1, 1, 1, 0]
    assert folds_of(Subject("s", games[1:2]), 3).tolist() == [0, 1, 2]


def test_held_out_choices_are_less_likely_than_fitted_ones():
    found = fit("example", ["q-learning"], subjects=2, folds=3, **SMALL).summary
    for each in found.fits:
        assert each.held_out < each.log_likelihood + 1e-6
    assert found.agents["q-learning"].held_out_nats_per_choice == pytest.approx(
        -sum(each.held_out for each in found.fits) / sum(each.trials for each in found.fits)
    )


def test_pooled_subjects_share_their_parameters():
    (found,) = fit("example", ["q-learning"], subjects=3, pooled=True, **SMALL).summary.fits
    each = fit("example", ["q-learning"], subjects=3, **SMALL).summary.fits
    assert found.subject == "all"
    assert found.trials == sum(one.trials for one in each)
    assert found.log_likelihood < sum(one.log_likelihood for one in each)


def test_a_model_of_ones_own_has_its_parameters_free():
    own = Model(name="own", parameters=(Parameter("T", 0.3, search=(0.01, 3), scale="log"),), plasticity="w + T / 9")
    agent = candidate("nsa:own", ParameterSet(own.complete(load().parameters), "own", model=own))
    assert [gene.name for gene in agent.genes][-2:] == ["lapse", "T"]
    assert Gene.of_parameter(own.parameters[0]).range.scale == "log"


def test_policies_without_choice_probabilities_are_refused():
    with pytest.raises(ValueError, match=r"agent thompson cannot be fitted: .* no closed form"):
        candidate("thompson", None)
    with pytest.raises(ValueError, match="agent best-arm sees the bandit"):
        candidate("best-arm", None)
    assert [gene.name for gene in candidate("ucb1", None).genes] == ["exploration", "lapse"]


def test_statistics_by_hand():
    found = Statistics.of_array(of_subject(subject((0, 1), (0, 0), (1, 1), (1, 1), (0, 0))))
    assert (found.switch, found.win_stay, found.lose_shift) == pytest.approx((2 / 4, 2 / 3, 1))
    assert found.reward[0] == 1
    always = subject(*[(0, 1)] * 20)
    agent = candidate("win-stay-lose-shift", None)
    simulated = Statistics.of_array(of_agent(agent, {"lapse": np.zeros(1)}, always, 2, 5, np.random.default_rng(0)))
    assert (simulated.switch, simulated.lose_shift) == (0.0, None)


def test_data_in_memory_and_in_a_file_give_the_same(tmp_path):
    people = Behaviour(EXAMPLE.subjects[:1], 2)
    rows = [(game.label, arm, reward) for game in people.subjects[0].games
            for arm, reward in zip(game.arms, game.rewards, strict=True)]  # fmt: skip
    labels, arms, rewards = zip(*rows, strict=True)
    columns = {"subject": ["42"] * len(rows), "block": labels, "choice": arms, "reward": rewards}
    found = [fit(each, ["q-learning"], **SMALL).summary for each in (people, columns)]
    assert found[0].fits == found[1].fits == fit("example", ["q-learning"], subjects=1, **SMALL).summary.fits
    with pytest.raises(ValueError, match="columns must be of the same length"):
        fit({"subject": [1], "choice": [0, 1], "reward": [1]})
    with pytest.raises(ValueError, match="data must be a file, columns by name or a data frame, got int"):
        fit(5)


def test_two_workers_find_what_one_finds():
    settings = FitSettings(agents=("q-learning",), subjects=3, **SMALL)
    (cell,) = STUDY.cells(settings).values()
    whole, parts = cell(), cell.split(2)
    joined = cell.join([part() for part in parts])
    assert joined.keys() == whole.keys()
    assert all(np.array_equal(joined[name], whole[name], equal_nan=joined[name].dtype.kind == "f") for name in whole)


def test_the_command_writes_fits(tmp_path, nsa):
    file = tmp_path / "data.tsv"
    file.write_text("subjID\tchoice\toutcome\n" + "".join(f"a\t{1 + i % 2}\t{1 - 2 * (i % 2)}\n" for i in range(30)))
    words = ["fit", str(file), "--agents", "win-stay-lose-shift,biased-random", "--scale-rewards=-1,1", "--json"]
    found = json.loads(nsa(*words, "--out", tmp_path, "--no-figures"))
    fits = {each["agent"]: each for each in found["fits"]}
    assert fits["biased-random"]["log_likelihood"] == pytest.approx(30 * math.log(0.5), abs=1e-3)
    assert {"subject", "agent", "log_likelihood", "parameters", "aic", "bic"} <= fits["biased-random"].keys()
    assert fits["biased-random"]["bic"] == pytest.approx(math.log(30) - 2 * fits["biased-random"]["log_likelihood"])
    assert found["files"]["fits"].endswith(".csv")
    pooled = json.loads(nsa(*words, "--pooled", "--out", tmp_path, "--no-figures"))
    assert [each["subject"] for each in pooled["fits"]] == ["all", "all"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["gone.csv"], "no file gone.csv"),
        (["."], ". is a folder, not a file"),
        (["a.csv", "--data", "b.csv"], "give one file: FILE or --data FILE"),
        (["--agents", "q-learnin"], "unknown agent 'q-learnin'; did you mean q-learning?"),
        (["--search", "nsa=alpha"], "agent nsa has no parameter 'alpha' to fit; did you mean"),
        (["--search", "nsa=alpha_v:1"], "--search nsa: a range is NAME:LOW:HIGH, got 'alpha_v:1'"),
        (["--search", "nsa=alpha_v:3:1"], "--search nsa, alpha_v: low and high must satisfy low < high"),
        (["--search", "softmax=step"], "--search softmax: not among the agents"),
        (["--prior", "nsa.tau_u=normal:0:1"], "--prior nsa.tau_u: not a free parameter; free are nsa.mu_eta"),
        (["--dt", "1000"], "tau_u and tau_v must be at least dt = 1000 ms"),
        (["--dt", "6", "--agents", "nsa", "--search", "nsa=tau_u"], "at least dt = 6 ms with method euler, got 5 ms"),
        (["--folds", "1"], "folds must be 0 or at least 2, got 1"),
        (["--criterion", "dic"], "criterion must be one of bic, aic, got 'dic'"),
        (["--condition", "colour"], "example: line 1: no column 'colour' (--condition)"),
    ],
)
def test_bad_options_get_one_line(words, said, refused, tmp_path):
    assert said in refused("fit", *words, cwd=tmp_path)


def test_subjects_of_play_can_be_fitted(tmp_path, nsa, refused):
    file = str(tmp_path / "subjects.csv")
    play = ["play", "--env", "random-walk", "--arms", "3", "--trials", "1", "--rounds", "30", "--repetitions", "2"]
    nsa(*play, "--agents", "q-learning", "--subjects", file, "--out", tmp_path, "--no-figures")
    found = fit(file, ["q-learning"], **SMALL).summary
    assert [(each.subject, each.trials) for each in found.fits] == [("q-learning-0", 30), ("q-learning-1", 30)]
    assert "cannot be written" in refused(*play, "--subjects", "gone/s.csv", cwd=tmp_path)
