"""Regrets against those of an independent kernel that matches the authors' public code bit for bit."""

import dataclasses

import pytest

from experiments.core.metrics import regret
from experiments.core.settings import PlaySettings
from experiments.play import run
from nsa_brian import load

# Regret of eq. (1), 2 trials x 2000 rounds, mean of 40 games, at 10 and at 100 arms.
BASELINES = {
    "MAB-P": {"thompson": (0.076, 0.131), "epsilon-greedy": (0.127, 0.179), "ucb1": (0.076, 0.346)},
    "MAB-D": {"thompson": (0.131, 0.252), "epsilon-greedy": (0.155, 0.219), "ucb1": (0.093, 0.309)},
    "MAB-sin": {"thompson": (0.169, 0.103), "epsilon-greedy": (0.257, 0.111), "ucb1": (0.090, 0.270)},
    "MAB-sinP": {"thompson": (0.190, 0.127), "epsilon-greedy": (0.257, 0.150), "ucb1": (0.101, 0.324)},
}
CYCLING = {"thompson": (0.049, 0.148), "epsilon-greedy": (0.072, 0.116), "ucb1": (0.076, 0.302)}
NSA = {
    ("minbandit-38", "first"): {"MAB-P": (0.113, 0.097), "MAB-D": (0.133, 0.205), "MAB-sin": (0.058, 0.069)},
    ("minbandit-38", "random"): {"MAB-P": (0.105, 0.098), "MAB-D": (0.131, 0.208), "MAB-sin": (0.052, 0.067)},
    ("minbandit-29", "random"): {"MAB-P": (0.072, 0.106), "MAB-D": (0.096, 0.180), "MAB-sin": (0.068, 0.085)},
}


def assert_near(settings, expected):
    """Each agent's regret lies within three standard errors of the difference; both means are of 40 games."""
    for agent, record in run(dataclasses.replace(settings, repetitions=40), workers=2).records.items():
        found = regret(record)
        error = (2 * found.var(ddof=1) / 40) ** 0.5
        assert abs(found.mean() - expected[agent]) < 3 * error, (agent, found.mean(), expected[agent], error)


@pytest.mark.slow
@pytest.mark.parametrize(("column", "arms"), [(0, 10), (1, 100)])
class TestRegrets:
    @pytest.mark.parametrize("env", BASELINES)
    def test_baselines(self, env, column, arms):
        expected = {agent: values[column] for agent, values in BASELINES[env].items()}
        assert_near(PlaySettings(env=env, arms=arms, agents=tuple(expected)), expected)

    def test_baselines_on_a_drift_that_cycles(self, column, arms):
        expected = {agent: values[column] for agent, values in CYCLING.items()}
        options = {"n_targets": 2}
        assert_near(PlaySettings(env="MAB-D", env_options=options, arms=arms, agents=tuple(expected)), expected)

    @pytest.mark.parametrize(("name", "ties"), NSA)
    @pytest.mark.parametrize("env", ["MAB-P", "MAB-D", "MAB-sin"])
    def test_nsa(self, env, name, ties, column, arms):
        settings = PlaySettings(env=env, arms=arms, agents=("nsa",), nsa=load(name), ties=ties)
        assert_near(settings, {"nsa": NSA[name, ties][env][column]})
