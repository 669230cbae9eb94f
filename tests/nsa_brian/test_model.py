"""Models of one's own: changed equations, noise, couplings between options; and who refuses what."""

import numpy as np
import pytest
from targets import brian2_target, each_network_target, on_target

from nsa_brian import NSA, Lateral, Model, NSANetwork, NSAParameters, load
from nsa_brian.engines.registry import ENGINES, engine_class
from nsa_brian.engines.rounds import Rounds
from nsa_brian.engines.table import Table
from nsa_brian.model.model import PAPER
from nsa_brian.testing import check_engine

SHORT = NSAParameters(tau_u=20, tau_v=30, duration_input=120, duration_free=120)
NOISY = Model(noise=0.1)
LATERAL = Model(
    rate_u="du/dt = (-u + I_u + I_lateral + I{noise}) / tau_u : 1",
    lateral=(Lateral("u", "I_lateral", "-inhibition * phi_u_pre"),),
    constants={"inhibition": 0.4},
)
#: No response, no coupling: each activity is a leaky integrator by itself.
ALONE = SHORT.replace(threshold_u=1.0, threshold_v=1.0, duration_input=300, duration_free=300, I_ext=0.7)


@pytest.mark.parametrize("name", ENGINES)
def test_every_engine_keeps_the_contract(name):
    make = engine_class(name)
    check_engine(lambda n_games, seed: make(3, SHORT, n_games, rng=np.random.default_rng(seed)))


#: The compiled rounds, and the network in numpy; compiled among the slow tests.
NOISY_ENGINES = {
    "rounds": Rounds,
    "network": on_target(NSANetwork, "numpy"),
    "compiled network": pytest.param(NSANetwork, marks=pytest.mark.slow),
}
each_noisy_engine = pytest.mark.parametrize("engine", NOISY_ENGINES.values(), ids=NOISY_ENGINES)


@each_noisy_engine
def test_a_noisy_engine_keeps_the_contract(engine):
    check_engine(lambda n_games, seed: engine(3, SHORT, n_games, rng=np.random.default_rng(seed), model=NOISY))


class TestNoise:
    @pytest.mark.parametrize("name", [pytest.param("network", marks=pytest.mark.slow), "rounds"])
    def test_of_zero_is_no_noise_to_the_last_bit(self, name):
        played = []
        for model in (PAPER, Model(noise=0.0)):
            agent = NSA(4, SHORT, engine=name, seed=5, model=model)
            for reward in np.random.default_rng(1).integers(0, 2, 30):
                agent.update(agent.select_arm(), reward)
            played.append(np.concatenate([agent.engine.w.ravel(), agent.engine.activity.ravel()]).tobytes())
        assert played[0] == played[1]

    @each_noisy_engine
    @pytest.mark.parametrize("noise", [0.05, 0.2])
    def test_of_a_linear_neuron_has_the_mean_and_variance_of_theory(self, engine, noise):
        """In steps, du = -u dt / tau + noise sqrt(2 / tau) dW: variance noise^2 / (1 - dt / (2 tau)), mean 0."""
        made = engine(100, ALONE, 20, rng=np.random.default_rng(7), model=Model(noise=noise))
        made.respond()
        for x, tau in ((made.u, ALONE.tau_u), (made.v, ALONE.tau_v)):
            variance, n = noise**2 / (1 - 1 / (2 * tau)), x.size
            assert abs(x.mean()) < 4 * np.sqrt(variance / n)
            assert abs(x.var() - variance) < 4 * variance * np.sqrt(2 / n)
        assert abs(np.corrcoef(made.u.ravel(), made.v.ravel())[0, 1]) < 4 / np.sqrt(made.u.size)

    @each_noisy_engine
    def test_decays_about_the_input(self, engine):
        """In phase 1 the mean is the input's, I (1 - exp(-t / tau)), whatever the noise."""
        parameters = ALONE.replace(duration_input=40, duration_free=1)
        made = engine(100, parameters, 20, rng=np.random.default_rng(3), model=NOISY)
        made.respond()
        kept = 1 - 1 / parameters.tau_u
        expected = parameters.I_ext * (1 - kept**40) * kept
        assert made.u.mean() == pytest.approx(expected, abs=4 * 0.1 / np.sqrt(made.u.size))

    @each_noisy_engine
    def test_is_new_in_every_round(self, engine):
        made = engine(5, ALONE, rng=np.random.default_rng(3), model=NOISY)
        made.respond()
        first = made.u.copy()
        made.respond()
        assert (made.u != first).all()

    @each_noisy_engine
    def test_of_a_game_does_not_depend_on_its_batch(self, engine):
        from nsa_brian.common.game_streams import streams

        alone = engine(4, SHORT, 1, rng=streams(0, "a", range(1, 2)), model=NOISY)
        batch = engine(4, SHORT, 3, rng=streams(0, "a", range(3)), model=NOISY)
        for made in (alone, batch):
            made.respond()
            made.respond()
        assert (alone.u[0] == batch.u[1]).all()

    def test_without_a_compiler_is_the_same(self):
        found = []
        for target in ("auto", "numpy"):
            with brian2_target(target):
                made = Rounds(3, SHORT, 2, rng=np.random.default_rng(4), model=NOISY)
                made.respond()
                found.append(made.activity.copy())
        assert found[0] == pytest.approx(found[1], abs=1e-10)

    @pytest.mark.slow
    def test_rounds_makes_the_choices_of_the_network(self):
        """40 games of 100 rounds with 10 arms, set 38, noise 0.1: the same noise, so the same regret."""
        import dataclasses

        from experiments.core.metrics import regret
        from experiments.core.play import play_agent
        from experiments.core.settings import PlaySettings

        settings = PlaySettings(trials=1, rounds=100, repetitions=40, noise=0.1)
        settings = dataclasses.replace(settings, parameters=load("minbandit-38").parameters.to_dict())
        found = [
            regret(play_agent(dataclasses.replace(settings, engine=engine), "nsa", range(40)))
            for engine in ("rounds", "network")
        ]
        assert (found[0] == found[1]).all()

    def test_is_refused_where_it_cannot_be(self):
        with pytest.raises(ValueError, match="noise makes many answers to one weight; use rounds or network"):
            Table(3, SHORT, model=NOISY)
        for engine in (NSANetwork, Rounds):
            with pytest.raises(ValueError, match="with noise the method must be euler"):
                engine(3, SHORT, model=NOISY, method="rk4")
        with pytest.raises(ValueError, match=r"noise must be a number from 0 to 1e\+06, got -1"):
            Model(noise=-1)
        with pytest.raises(ValueError, match="rate_u has no place for noise"):
            Model(noise=0.1, rate_u="du/dt = (-u + I_u + I) / tau_u : 1")


class TestLateral:
    @pytest.mark.slow
    def test_inhibition_makes_the_strong_silence_the_weak(self, with_and_without_compiler):
        weights = np.array([3.0, 3.4, 3.8, 4.2])
        ends = {}
        for name, model in (("paper", PAPER), ("lateral", LATERAL)):
            network = NSANetwork(4, load("minbandit-38").parameters, seed=1, model=model)
            network.set_weights(weights)
            ends[name] = network.decide().u[-1]
        assert (ends["paper"] > 0.9).all()
        assert (ends["lateral"][:2] < 0).all()
        assert (ends["lateral"][2:] > 0.5).all()

    def test_joins_the_options_of_a_game_and_no_others(self, with_and_without_compiler):
        """One's own contribution is summed with the others' and taken away again."""
        network = NSANetwork(3, SHORT, 2, model=LATERAL)
        synapses = network.lateral[0]
        pairs = set(zip(synapses.i[:].tolist(), synapses.j[:].tolist(), strict=True))
        assert pairs == {(i, j) for i in range(6) for j in range(6) if i // 3 == j // 3}
        network.set_weights(np.array([3.0, 3.8, 4.2]))
        seen = []

        def note():
            phi = np.array(network.U.phi_u[:]).reshape(2, 3)
            seen.append((np.array(network.U.I_lateral[:]).reshape(2, 3), phi))

        network.at_end(note)
        network.respond()
        # What arrived in the last step was sent by the state before it; at rest both are the same.
        arrived, phi = seen[0]
        assert arrived == pytest.approx(-0.4 * (phi.sum(axis=1, keepdims=True) - phi), abs=0.02)

    def test_is_refused_by_the_table(self):
        with pytest.raises(ValueError, match=r"couples options \(I_lateral\); use rounds or network"):
            Table(3, SHORT, model=LATERAL)

    def test_population_is_checked(self):
        with pytest.raises(ValueError, match="population must be one of u, v, got 'w'"):
            Lateral("w", "I", "phi_u_pre")


class TestChangedEquations:
    #: Rectified and linear, saturating at 1: no sigmoid, no threshold.
    MODEL = Model(response="phi = clip(slope * (x - offset), 0, 1) : 1", constants={"slope": 3.0})

    @each_network_target
    def test_reach_all_engines(self, network_target):
        found = {}
        for name, target in (("network", network_target), ("rounds", "auto"), ("table", network_target)):
            with brian2_target(target):
                engine = engine_class(name)(4, SHORT, rng=np.random.default_rng(0), model=self.MODEL)
                engine.set_weights(np.array([0.5, 2.0, 3.0, 4.4]))
                engine.respond()
                found[name] = engine.activity.copy()
        assert found["rounds"] == pytest.approx(found["network"], abs=1e-9)
        assert found["table"] == pytest.approx(found["network"], abs=1e-4)
        paper = Rounds(4, SHORT)
        paper.set_weights(np.array([0.5, 2.0, 3.0, 4.4]))
        assert np.abs(found["rounds"] - paper.activity).max() > 0.01

    def test_of_the_plasticity_are_learnt_by(self):
        slow = Model(plasticity="w + slowness * Phi_eta * (R * w_max - w)", constants={"slowness": 0.5})
        steps = []
        for model in (PAPER, slow):
            engine = Rounds(2, SHORT, model=model)
            engine.learn(np.array([0]), np.array([1.0]))
            steps.append(engine.w[0, 0])
        assert steps[1] == pytest.approx(steps[0] / 2)

    def test_constants_must_not_hide_parameters(self):
        with pytest.raises(ValueError, match="constant 'tau_u' is a parameter of the model already"):
            Model(constants={"tau_u": 3.0})
