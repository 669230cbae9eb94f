"""The likelihood of a subject's choices: probabilities by hand, by counting, and a fit that finds what was hidden."""

import math

import numpy as np
import pytest
from spiking import small, unfound

from nsa_brian import NSA, Model, NSAParameters, load, log_likelihood
from nsa_brian.model.agreement import N_LUCK, choice_probabilities, select
from nsa_brian.spiking.shipped import EI, LEARNING, SPIKING

SHORT = NSAParameters(tau_u=12, tau_v=16, duration_input=80, duration_free=80)


def test_probabilities_are_those_of_the_rule_by_hand():
    u = [[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
    v = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
    found = choice_probabilities(np.array([u, v]))
    assert found[0] == pytest.approx([0.5 + 0.125, 0.125, 0.125, 0.125])
    assert found[1] == pytest.approx([0.25] * 4)
    assert found[2] == pytest.approx([0.25] * 4)
    assert choice_probabilities(np.array([u, v]), ties="first")[0] == pytest.approx([1, 0, 0, 0])


def test_probabilities_are_the_frequencies_of_choices():
    rng = np.random.default_rng(0)
    activity = rng.integers(0, 3, (2, 5, 4)).astype(float)  # many ties
    n = 40_000
    arms = select(np.tile(activity, (1, n, 1)), rng.random((n * 5, N_LUCK)))[0].reshape(n, 5)
    counts = np.array([np.bincount(arms[:, game], minlength=4) for game in range(5)])
    expected = choice_probabilities(activity)
    assert expected.sum(axis=1) == pytest.approx(np.ones(5))
    assert np.abs(counts / n - expected).max() < 5 * math.sqrt(0.25 / n)


def subject(parameters, n_rounds, seed):
    agent, rng = NSA(4, parameters, seed=seed), np.random.default_rng(seed)
    arms, rewards = [], []
    for _ in range(n_rounds):
        arm = agent.select_arm()
        reward = float(rng.random() < [0.2, 0.7, 0.4, 0.3][arm])
        agent.update(arm, reward)
        arms.append(arm)
        rewards.append(reward)
    return arms, rewards


def test_the_first_choice_of_an_untrained_network_is_a_guess():
    assert log_likelihood([2], [1], 4, SHORT, lapse=0) == pytest.approx(math.log(1 / 4))
    assert log_likelihood([2], [1], 4, SHORT, lapse=1) == pytest.approx(math.log(1 / 4))


def test_choices_of_the_model_itself_are_never_impossible_and_others_are():
    arms, rewards = subject(SHORT, 60, seed=1)
    own = log_likelihood(arms, rewards, 4, SHORT, lapse=0)
    assert np.isfinite(own)
    assert own > 60 * math.log(1 / 4)
    contrary = [(arm + 1) % 4 for arm in arms]
    assert log_likelihood(contrary, [1.0] * 60, 4, SHORT, lapse=0) == -math.inf
    assert np.isfinite(log_likelihood(contrary, [1.0] * 60, 4, SHORT, lapse=0.05))


SETS = [SHORT, SHORT.replace(alpha_v=2.0), SHORT.replace(r_eta=0.9)]


@pytest.mark.parametrize("engine", ["rounds", "table"])
def test_many_sets_at_once_and_alone_say_the_same(engine):
    arms, rewards = subject(SHORT, 20, seed=2)
    alone = [log_likelihood(arms, rewards, 4, p, engine=engine) for p in SETS]
    assert log_likelihood(arms, rewards, 4, SETS, engine=engine) == pytest.approx(alone, abs=1e-9)
    assert alone == pytest.approx(log_likelihood(arms, rewards, 4, SETS), abs=1e-6)


@pytest.mark.slow
def test_the_network_says_the_same():
    arms, rewards = [0, 2, 1, 1, 1, 3, 1, 1], [0, 0, 1, 1, 0, 0, 1, 1]
    found = [log_likelihood(arms, rewards, 4, p, engine="network") for p in SETS]
    assert found == pytest.approx(log_likelihood(arms, rewards, 4, SETS), abs=1e-9)


@pytest.mark.slow
def test_the_most_likely_set_is_the_one_that_chose():
    """Six learning rates, eight subjects of 150 choices each: the hidden one has the highest likelihood of all."""
    sets = [SHORT.replace(r_eta=1.0, alpha_eta=-5.0 + shift, beta_eta=1.0) for shift in (0, 2, 4, 5, 6, 8)]
    total = np.zeros(6)
    for seed in range(8):
        arms, rewards = subject(sets[3], 150, seed)
        total += log_likelihood(arms, rewards, 4, sets, lapse=0.02, engine="table")
    assert total.argmax() == 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"arms": [0, 1]}, "arms and rewards must be of the same length"),
        ({"arms": [], "rewards": []}, "arms and rewards must be of the same length"),
        ({"arms": [4]}, "arms must be whole numbers from 0 to 3"),
        ({"arms": [0.5]}, "arms must be whole numbers from 0 to 3"),
        ({"rewards": [math.nan]}, "rewards must be numbers from 0 to 1"),
        ({"lapse": 1.5}, "lapse must be a number from 0 to 1, got 1.5"),
        ({"engine": "round"}, "unknown engine 'round'; did you mean rounds?"),
    ],
)
def test_bad_data_is_refused(change, said):
    with pytest.raises(ValueError, match=said):
        log_likelihood(**{"arms": [0], "rewards": [1.0], "n_arms": 4, "parameters": SHORT, **change})


def test_takes_a_model_by_its_name():
    choices = ([0, 2, 2], [0, 1, 1])
    assert log_likelihood(*choices, 3, SHORT, "paper") == log_likelihood(*choices, 3, SHORT)
    with pytest.raises(ValueError, match="no model 'papre'; did you mean paper"):
        log_likelihood(*choices, 3, SHORT, "papre")


@pytest.mark.parametrize("model", [SPIKING, EI, Model(noise=0.1)], ids=lambda model: model.name)
def test_random_numbers_of_the_models_own_make_it_unknown(model):
    assert model.structure.draws
    with pytest.raises(ValueError, match=f"model {model.name} has noise"):
        log_likelihood([0], [1.0], 2, load().parameters, model)


@pytest.mark.slow
def test_spikes_alone_do_not_make_it_unknown_and_contacts_that_flip_do():
    quiet = "\n".join(line for line in SPIKING.neuron.splitlines() if not line.startswith("I_noise"))
    exact = unfound(SPIKING).change(name="exact", neuron=quiet.replace(" + I_noise", ""))
    assert not exact.structure.draws
    assert log_likelihood([0], [1.0], 2, small(exact), exact, lapse=1.0) == pytest.approx(math.log(0.5))
    flipping = unfound(LEARNING).change(neuron=exact.neuron)
    assert flipping.structure.draws
    with pytest.raises(ValueError, match=f"model {flipping.name} has noise"):
        log_likelihood([0], [1.0], 2, load().parameters, flipping)
