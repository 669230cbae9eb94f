"""Cases in which engines of release 0.2 gave different answers without a word, or one of them none."""

import numpy as np
import pytest
from spiking import OWN, both, interpreted, small

from nsa_brian import Model, NSAParameters
from nsa_brian.engines.rounds import Rounds
from nsa_brian.engines.table import Table
from nsa_brian.errors import ModelError

#: Rounds of 160 steps.
SHORT = NSAParameters(tau_u=12, tau_v=16, duration_input=80, duration_free=80)


slow = pytest.mark.slow


def played(make, model, parameters=SHORT, n_rounds=40):
    """A game as commands play it: choices, and the weights after it."""
    engine = make(4, parameters, 2, rng=np.random.default_rng(1), model=model)
    chances = np.broadcast_to(np.linspace(0.2, 0.8, 4), (n_rounds, 2, 4))
    arms, _ = engine.stretch().play(np.arange(2), chances, np.random.default_rng(5).random((n_rounds, 2, 4)))
    return arms, engine.w.copy()


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param("w -= w % 0.1\nw += chosen * Phi_eta * (R * w_max - w)", id="%", marks=slow),
        pytest.param("w + Phi_eta * (R * w_max - w) * 1/3", id="1/3", marks=slow),
        pytest.param("w + 1/3 * (R * w_max - w) - w // 0.7 * 0.01", id="//", marks=slow),
        pytest.param("h = tanh(u)\nw += chosen * h * (R * w_max - w) / 2", id="a helper with a function", marks=slow),
        pytest.param("h = 3\nk = h / 7\nw += chosen * k * (R * w_max - w)", id="a whole number", marks=slow),
    ],
)
def test_a_rule_means_the_same_in_compiled_rounds(rule):
    model = Model(plasticity=rule, initial={"w": "2"})
    arms, w = played(Rounds, model)
    engine = Rounds(4, SHORT, 2, model=model)
    luck = np.random.default_rng(5).random((40, 2, 4))
    for t in range(40):  # the reference: learning in numpy, as the network learns
        engine.respond()
        engine.learn(arms[t], (luck[t, :, 3] < np.linspace(0.2, 0.8, 4)[arms[t]]).astype(float))
    assert engine.w == pytest.approx(w, rel=1e-14)
    if not model.refusal("table"):
        table, weights = played(Table, model)
        assert (table == arms).all()
        assert weights == pytest.approx(w, abs=1e-6)


class TestNotFinite:
    """What is no finite number ends the same way in every engine."""

    STRONG = SHORT.replace(I_ext=2.0, gain_u=50, gain_v=50)

    @slow
    @pytest.mark.parametrize("make", [Rounds, Table])
    def test_activity_beyond_the_range_of_exp(self, make):
        model = Model(response="phi = log(1 + exp(gain * 20 * (x - offset))) / gain : 1")
        with pytest.raises(ModelError, match="activities are not finite"):
            played(make, model, self.STRONG)
        engine = make(4, self.STRONG, 2, rng=np.random.default_rng(1), model=model)
        with pytest.raises(ModelError, match="activities are not finite"):
            engine.play(np.ones_like, 3)

    @pytest.mark.parametrize(
        ("make", "rule"),
        [
            (Rounds, "w + 1e300 * R * 1e10"),
            pytest.param(Rounds, "w + log(R - 2)", marks=slow),
            pytest.param(Rounds, "w = R\nw += 1 / (chosen * 0)", marks=slow),
            pytest.param(Table, "w + log(R - 2)", marks=slow),
        ],
    )
    def test_weights(self, make, rule):
        model = Model(plasticity=rule)
        with pytest.raises(ModelError, match="w is not finite after learning"):
            played(make, model)
        engine = make(4, SHORT, 2, rng=np.random.default_rng(1), model=model)
        with pytest.raises(ModelError, match="w is not finite after learning"):
            engine.play(np.ones_like, 10)

    @slow
    def test_a_variable_of_the_synapse_that_nothing_reads(self):
        model = Model(synapse="h : 1", plasticity="h = log(-1 - R)\nw += chosen * (R - w) / 2")
        with pytest.raises(ModelError, match="h is not finite after learning"):
            played(Rounds, model)

    @slow
    def test_neurons_that_spike(self):
        """A potential that is no number never crosses its threshold: the neuron counted as silent."""
        wild = OWN.change(neuron="dx/dt = (drive - x + 0.3 * noise + x**8) / tau : 1\ndq/dt = -q / (20 * ms) : 1",
                          threshold="x > 1 and x < 2", reset="q += 0.4 * (1 - q)")  # fmt: skip
        rounds, network = both(2, small(wild), 1, model=wild, seed=0)
        with pytest.raises(ModelError, match="x of u is not finite at a round's end"):
            rounds.respond()
        with interpreted(), np.errstate(all="ignore"), pytest.raises(ModelError, match="x of u is not finite"):
            network.respond()


class TestState:
    """Of neurons at a round's end; a change of it was accepted and ignored."""

    @pytest.mark.parametrize("make", [Rounds, Table])
    def test_activities_are_read_only(self, make):
        engine = make(3, SHORT)
        with pytest.raises(ValueError, match="read-only"):
            engine.u[0, 0] = 1
        with pytest.raises(ValueError, match="read-only"):
            engine.state("v")[:] = 1

    @slow
    def test_what_is_carried_is_read_only(self):
        light = "du/dt = (-u + I_u + I - light{noise}) / tau_u : 1\ndlight/dt = 0 * light / second : 1"
        engine = Rounds(3, SHORT, model=Model(rate_u=light, carried=("light",)))
        with pytest.raises(ValueError, match="read-only"):
            engine.state("light")[..., 2] = 1
