"""Probabilities of every arm in every round: against the agent's own choices, between engines, by hand."""

import numpy as np
import pytest

import nsa_brian.likelihood
from nsa_brian import NSA, Choice, Input, Model, NSAParameters, Parameter, choice_probabilities, load, log_likelihood
from nsa_brian.engines.registry import engine_class
from nsa_brian.model import agreement

SHORT = NSAParameters(tau_u=12, tau_v=16, duration_input=80, duration_free=80)
SETS = [SHORT, SHORT.replace(alpha_v=2.0), SHORT.replace(r_eta=0.9), SHORT.replace(offset_v=0.3)]
FORGETTING = Model(
    name="forgetting", plasticity="w += chosen * Phi_eta * (R * w_max - w)\nw = w * (0.9 + 0.1 * chosen)"
)
SOFTMAX = Model(
    name="softmax",
    choice=Choice(exploit="never", explore="exp((v - v_top) / T)"),
    parameters=(Parameter("T", 0.3, search=(0.01, 3), scale="log"),),
)
SIGNAL = Model(
    name="signal",
    signals="surprise : 1",
    signal_update="surprise += 0.2 * (abs(R - w_chosen / w_max) - surprise)",
    plasticity="w + clip(Phi_eta * (1 + surprise), 0, 1) * (R * w_max - w)",
)


def a_subject(n_rounds, n_arms=4, seed=0):
    rng = np.random.default_rng(seed)
    arms = rng.integers(n_arms, size=n_rounds)
    arms[n_rounds // 3 :: 2] = 1  # one arm is chosen often enough to be exploited
    return arms, (rng.random(n_rounds) < np.where(arms == 1, 0.8, 0.3)).astype(float)


def frequencies(arms, rewards, n_arms, parameters, n, engine="table", seed=1):
    """How often n agents with this history choose each arm."""
    player = engine_class(engine, Model())(n_arms, parameters, n, rng=np.random.default_rng(seed))
    found = np.empty((len(arms), n_arms))
    for t, (arm, reward) in enumerate(zip(arms, rewards, strict=True)):
        player.respond()
        found[t] = np.bincount(player.select(), minlength=n_arms) / n
        player.learn(np.full(n, arm), np.full(n, reward))
    return found


def within_errors(probable, counted, n, errors=4):
    spread = np.sqrt(probable * (1 - probable) / n)
    return (np.abs(counted - probable) <= errors * spread + 1e-12).all()


def test_probabilities_are_the_frequencies_of_the_agents_own_choices():
    arms, rewards = a_subject(40)
    probable = choice_probabilities(arms, rewards, 4, SHORT)
    assert probable.sum(axis=1) == pytest.approx(np.ones(40))
    assert within_errors(probable, frequencies(arms, rewards, 4, SHORT, 2000), 2000)
    assert not within_errors(np.roll(probable, 1, axis=1), frequencies(arms, rewards, 4, SHORT, 2000), 2000)


@pytest.mark.slow
def test_probabilities_of_300_rounds_and_4_arms_are_within_4_standard_errors():
    agent, rng = NSA(4, "evolved", seed=3), np.random.default_rng(3)
    arms, rewards = np.empty(300, int), np.empty(300)
    for t in range(300):
        arms[t] = agent.select_arm()
        rewards[t] = rng.random() < [0.2, 0.7, 0.4, 0.3][(arms[t] + t // 100) % 4]
        agent.update(int(arms[t]), rewards[t])
    probable = choice_probabilities(arms, rewards, 4, "evolved")
    assert 0.1 < (probable.max(axis=1) == 1).mean() < 0.95  # rounds with and without agreement
    assert within_errors(probable, frequencies(arms, rewards, 4, load("evolved").parameters, 4000), 4000)


@pytest.mark.parametrize("model", [None, FORGETTING, SOFTMAX, SIGNAL], ids=["paper", "forgetting", "softmax", "signal"])
def test_engines_agree_and_so_does_playing_round_by_round(model, monkeypatch):
    arms, rewards = a_subject(30)
    given = (arms, rewards, 4, SETS, model)
    engines = ("rounds",) if model is SIGNAL else ("rounds", "table")
    found = {engine: choice_probabilities(*given, engine=engine) for engine in engines}
    monkeypatch.setattr(nsa_brian.likelihood.Ahead, "serves", property(lambda _: False))
    for engine, probable in found.items():
        assert probable.shape == (4, 30, 4)
        assert np.abs(probable - found["rounds"]).max() < 1e-9
        assert np.abs(probable - choice_probabilities(*given, engine=engine)).max() < 1e-9
    alone = choice_probabilities(arms, rewards, 4, SETS[1], model)
    assert np.abs(alone - found["rounds"][1]).max() < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("model", [None, SOFTMAX, SIGNAL], ids=["paper", "softmax", "signal"])
def test_the_network_agrees(model):
    arms, rewards = a_subject(12)
    network = choice_probabilities(arms, rewards, 4, SHORT, model, engine="network")
    assert np.abs(network - choice_probabilities(arms, rewards, 4, SHORT, model)).max() < 1e-9


@pytest.mark.parametrize("model", [None, SOFTMAX], ids=["paper", "softmax"])
def test_arms_that_are_not_offered_are_not_chosen(model):
    arms, rewards = a_subject(30, n_arms=3)
    # A third and a fourth arm that nobody chooses and nobody can choose leave everything as it is with two.
    arms %= 2
    offered = np.zeros((30, 4), bool)
    offered[:, :2] = True
    probable = choice_probabilities(arms, rewards, 4, SHORT, model, offered=offered)
    assert (probable[:, 2:] == 0).all()
    assert probable[:, :2] == pytest.approx(choice_probabilities(arms, rewards, 2, SHORT, model), abs=1e-12)
    lapsing = choice_probabilities(arms, rewards, 4, SHORT, model, lapse=1, offered=offered)
    assert (lapsing == offered / 2).all()


def test_ties_are_among_the_offered_arms():
    activity = np.array([[[1.0, 1.0, 0.0]], [[1.0, 0.0, 1.0]]])
    offered = np.array([[False, True, True]])
    assert agreement.choice_probabilities(activity, offered=offered)[0] == pytest.approx([0, 0.5, 0.5])
    first = agreement.choice_probabilities(activity, "first", offered=np.array([[True, True, False]]))
    assert first[0] == pytest.approx([1, 0, 0])


def test_blocks_start_anew():
    arms, rewards = a_subject(20)
    twice = choice_probabilities(np.tile(arms, 2), np.tile(rewards, 2), 4, SETS, blocks=[0] * 20 + [1] * 20)
    once = choice_probabilities(arms, rewards, 4, SETS)
    assert (twice == np.concatenate([once, once], axis=1)).all()
    slow = choice_probabilities(np.tile(arms, 2), np.tile(rewards, 2), 4, SHORT, SIGNAL, blocks=["a"] * 20 + ["b"] * 20)
    assert (slow[20:] == slow[:20]).all()


def test_inputs_are_those_of_the_rounds_of_the_data_in_every_block():
    lit = Model(name="lit", inputs=Input("light"), rate_u="du/dt = (-u + I_u + I - 3 * light{noise}) / tau_u : 1")
    arms, rewards = a_subject(20)
    light = np.zeros((40, 4))
    light[20:] = 1
    twice = (np.tile(arms, 2), np.tile(rewards, 2))
    both = choice_probabilities(*twice, 4, SHORT, lit, blocks=[0] * 20 + [1] * 20, inputs={"light": light})
    dark, bright = (
        choice_probabilities(arms, rewards, 4, SHORT, lit, inputs={"light": x}) for x in (light, light[20:])
    )
    assert (both == np.concatenate([dark, bright])).all()
    assert (dark != bright).any()


def test_the_highest_activity_is_that_of_an_offered_arm():
    near_top = SOFTMAX.change(name="near", choice=Choice(exploit="never", explore="int(v > 0.9 * v_top)"))
    arms, rewards = [1] * 20 + [2] * 2 + [0, 3], [1.0] * 20 + [0.2] * 2 + [0.0, 0.0]
    offered = np.ones((24, 4), bool)
    offered[-1, 1] = False  # the arm with the highest value
    probable = choice_probabilities(arms, rewards, 4, SHORT, near_top, offered=offered)
    assert probable[-2].argmax() == 1
    assert probable[-1] == pytest.approx([0.5, 0, 0, 0.5])  # not 1/3 each, as if none came near the top


def test_each_set_can_have_a_subject_of_its_own():
    arms, rewards = (np.array(each) for each in zip(*(a_subject(20, seed=s) for s in range(4)), strict=True))
    found = log_likelihood(arms, rewards, 4, SETS, lapse=[0.1, 0.2, 0.3, 0.4])
    alone = [log_likelihood(arms[i], rewards[i], 4, SETS[i], lapse=0.1 + i / 10) for i in range(4)]
    assert found == pytest.approx(alone, abs=1e-9)


def test_noise_needs_a_number_of_simulations():
    arms, rewards = a_subject(6)
    noisy = Model(noise=0.02)
    with pytest.raises(ValueError, match="has noise: its probabilities are means over simulations"):
        choice_probabilities(arms, rewards, 4, SHORT, noisy)


@pytest.mark.slow
def test_probabilities_of_a_noisy_model_are_means_over_simulations():
    arms, rewards = a_subject(6)
    noisy = Model(noise=0.02)
    first, again = (choice_probabilities(arms, rewards, 4, SHORT, noisy, samples=50) for _ in range(2))
    assert (first == again).all()
    assert first.sum(axis=1) == pytest.approx(np.ones(6))
    assert (first != choice_probabilities(arms, rewards, 4, SHORT)).any()


@pytest.mark.slow
def test_noise_that_lasts_is_weighed_by_the_choices_that_it_explains():
    """Two rounds by hand: the second probability is that of both choices divided by that of the first."""
    lasting = Model(
        name="lasting",
        rate_u="du/dt = (-u + I_u + I{noise}) / tau_u : 1",
        noise=0.3,
        carried=("u",),
        choice=Choice(exploit="never", explore="exp(3 * u)"),
    )
    arms, rewards, slow = np.array([1, 1]), np.array([0.0, 0.0]), SHORT.replace(tau_u=1000)
    found = choice_probabilities(arms, rewards, 2, slow, lasting, samples=4000, seed=5)
    player = NSA(2, [slow] * 4000, n_games=4000, seed=6, model=lasting).engine
    both = []
    for _ in range(2):
        player.respond()
        both.append(player.probabilities()[:, 1])
        player.learn(np.full(4000, 1), np.zeros(4000))
    assert found[1, 1] == pytest.approx((both[0] * both[1]).mean() / both[0].mean(), abs=0.02)
    assert abs(found[1, 1] - both[1].mean()) > 0.02  # the plain mean is something else


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"offered": [[True]]}, "offered must be true or false for each of 2 rounds x 3 arms, got bool of shape"),
        ({"offered": [[1, 1, 1]] * 2}, "offered must be true or false for each of 2 rounds x 3 arms, got int"),
        ({"offered": [[True] * 3, [True, False, True]]}, "arm 1 was chosen in round 1, but was not offered"),
        ({"blocks": [1]}, "blocks must have one entry for each of 2 rounds"),
        ({"lapse": [0.1, 0.2]}, "lapse must be a number from 0 to 1, got"),
        ({"arms": [[0, 1]], "rewards": [[0, 1]]}, "arms and rewards must be of the same length"),
    ],
)
def test_bad_arguments_are_refused(change, said):
    with pytest.raises(ValueError, match=said):
        choice_probabilities(**{"arms": [0, 1], "rewards": [0, 1], "n_arms": 3, "parameters": SHORT, **change})
