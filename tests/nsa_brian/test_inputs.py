"""Inputs by the agent, the likelihood and the short form of spiking models."""

import numpy as np
import pytest

from nsa_brian import NSA, Input, Model, NSAParameters, Parameter, load_model, log_likelihood

SHORT = NSAParameters(tau_u=12, tau_v=16, duration_input=80, duration_free=80)
SILENCED = Model(name="silenced", inputs=Input("light"), rate_u="du/dt = (-u + I_u + I - 3 * light) / tau_u : 1")
ROUNDS, GAMES, ARMS = 30, 2, 3


@pytest.fixture(scope="module")
def game():
    """Probabilities, luck and light."""
    rng = np.random.default_rng(1)
    sizes = ((ROUNDS, GAMES, ARMS), (ROUNDS, GAMES), (ROUNDS, ARMS))
    probabilities, luck, light = (rng.random(size) for size in sizes)
    return probabilities, luck, (light > 0.5).astype(float)


def agent(**options):
    return NSA(ARMS, SHORT, seed=0, n_games=GAMES, model=SILENCED, **options)


def test_rounds_ahead_with_inputs_are_those_of_the_two_verbs(game):
    probabilities, luck, light = game
    whole = agent(inputs={"light": light}).play_ahead(probabilities, luck)[0]
    parts = agent()
    found = [parts.play_ahead(probabilities[p], luck[p], {"light": light[p]})[0] for p in (slice(12), slice(12, None))]
    assert np.array_equal(np.concatenate(found), whole)
    one_by_one = agent(inputs={"light": light})
    for t in range(ROUNDS):
        arms = one_by_one.select_arm()
        assert np.array_equal(arms, whole[t])
        one_by_one.update(arms, (luck[t] < probabilities[t, range(GAMES), arms]).astype(float))
    assert not np.array_equal(agent().play_ahead(probabilities, luck)[0], whole)


def test_rounds_ahead_refuse_other_inputs(game):
    probabilities, luck, light = game
    with pytest.raises(ValueError, match="has no input 'lihgt'; did you mean light"):
        agent().play_ahead(probabilities, luck, {"lihgt": light})
    with pytest.raises(ValueError, match="input light must be of shape"):
        agent().play_ahead(probabilities, luck, {"light": light[:, :2]})


def test_the_likelihood_takes_inputs(game):
    probabilities, luck, light = game
    arms = agent(inputs={"light": light}).play_ahead(probabilities, luck)[0][:, 0]
    rewards = (luck[:, 0] < probabilities[range(ROUNDS), 0, arms]).astype(int)
    told = log_likelihood(arms, rewards, ARMS, SHORT, SILENCED, inputs={"light": light})
    assert told > log_likelihood(arms, rewards, ARMS, SHORT, SILENCED)


def test_spiking_models_have_inputs_and_store_them_if_they_have_any():
    made = load_model("spiking").change(
        name="lit",
        inputs=Input("light", per="game"),
        u="I_syn = J_u * s_v + I_in * I - J_light * light : amp",
        parameters=Parameter("J_light", 1, "nA"),
    )
    assert made.structure.inputs["light"].per == "game"
    assert Model.from_dict(made.to_dict()) == made
    assert "inputs" not in load_model("spiking").to_dict()
    with pytest.raises(ValueError, match="inputs must be a tuple of Input"):
        load_model("spiking").change(inputs="light")
