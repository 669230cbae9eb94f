"""Learning by spikes: synapses that flip move the mean as eq. (3) does, in both engines."""

import numpy as np
import pytest
from spiking import OWN, both, interpreted, small

from nsa_brian import load
from nsa_brian.spiking.rounds import SpikingRounds
from nsa_brian.spiking.shipped import EI_LEARNING, LEARNING

GAMES = 30


def moves(engine, way, share, reward, n_rounds=2):
    """How far the mean state of the synapses moves in an outcome: chosen option, others; and what eq. (3) says."""
    w = np.full(engine.n_arms, share * engine.parameters[0].w_max)
    found = []
    for _ in range(n_rounds):
        with way():
            engine.set_weights(w)
            before = engine.w / engine.parameters[0].w_max
            expected = engine.static("Phi_eta") * (reward - before)
            engine.respond()
            engine.learn(np.zeros(engine.n_games, dtype=int), np.full(engine.n_games, reward))
            found.append([engine.w / engine.parameters[0].w_max - before, expected])
    moved, expected = np.concatenate(found, axis=1)
    return moved, expected


def hold_against_the_rule(moved, expected, synapses, eligible=0.9):
    """The chosen option's synapses flip as often as they should, the others' never."""
    rate = np.abs(expected[:, 0]).mean()
    error = np.sqrt(rate * (1 - rate) / (len(moved) * synapses))
    assert (moved[:, 1:] == 0).all()
    assert np.sign(moved[:, 0].mean()) == np.sign(expected[:, 0].mean())
    assert eligible * rate - 4 * error < abs(moved[:, 0].mean()) < rate + 4 * error


@pytest.mark.slow
@pytest.mark.parametrize(("share", "reward"), [(0.3, 1.0), pytest.param(0.6, 0.0, marks=pytest.mark.slow)])
def test_the_mean_moves_as_the_rule_says_in_both_engines(share, reward):
    # A drive by the choice that reaches every neuron, and that no activity of the round before outlasts.
    rounds, network = both(3, small(OWN, push=9), GAMES, model=OWN, seed=3)
    for engine, way in ((rounds, _compiled), (network, interpreted)):
        hold_against_the_rule(*moves(engine, way, share, reward), synapses=25)


class _compiled:  # noqa: N801  # stands where interpreted() does
    def __enter__(self):
        pass

    def __exit__(self, *error):
        pass


@pytest.mark.slow
@pytest.mark.parametrize("model", [LEARNING, EI_LEARNING], ids=lambda model: model.name)
@pytest.mark.parametrize(("share", "reward"), [(0.1, 1.0), (0.8, 0.0)])
def test_shipped_models_learn_by_the_rule(model, share, reward):
    parameters = model.complete(load().parameters)
    rounds, network = both(5, parameters, GAMES, model=model, seed=3)
    for engine, way in ((rounds, _compiled), (network, interpreted)):
        hold_against_the_rule(*moves(engine, way, share, reward), synapses=400)


def test_weights_are_put_into_synapses_as_near_as_there_are():
    engine = SpikingRounds(2, small(OWN), model=OWN, seed=0)
    w_max = engine.parameters[0].w_max
    engine.set_weights(np.array([0.301, 1]) * w_max)
    assert engine.games.b.shape == (1, 2, 5, 5)
    assert set(np.unique(engine.games.b)) == {0, 1}
    assert engine.w[0] == pytest.approx(np.array([0.32, 1]) * w_max)
    engine.reset()
    assert (engine.w == 0).all()


def test_an_option_whose_weight_stays_keeps_its_synapses():
    engine = SpikingRounds(2, small(OWN), 2, model=OWN, seed=0)
    engine.b[:] = learnt = np.random.default_rng(0).integers(2, size=engine.b.shape)
    engine._end.learn_all()
    w = engine.w.copy()
    w[0, 1] = 0
    engine.set_weights(w)
    assert (engine.w == w).all()
    assert (engine.b[0, 1] == 0).all()
    assert (engine.b[1] == learnt[1]).all()
    assert (engine.b[0, 0] == learnt[0, 0]).all()


@pytest.mark.slow
@pytest.mark.parametrize("model", [LEARNING, EI_LEARNING], ids=lambda model: model.name)
def test_learning_by_spikes_finds_the_better_arm(model):
    engine = SpikingRounds(2, load().parameters, 10, model=model, seed=0)
    rng, pulled = np.random.default_rng(0), []

    def pull(arms):
        pulled.append(arms.copy())
        return rng.random(10) < np.array([0.15, 0.85])[arms]

    engine.play(pull, 60)
    assert np.mean(pulled[20:]) > 0.75
