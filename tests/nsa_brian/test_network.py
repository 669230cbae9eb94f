"""The Brian2 network: the paper's equations, its rounds, and its manners."""

import brian2
import numpy as np
import pytest
from brian2 import Network, NeuronGroup, StateMonitor, Synapses, ms
from reference import agreement, gaussian_sigmoid, learned, round_by_euler, sigmoid_response
from selection import mostly_slow

from nsa_brian import NSA, NSANetwork, NSAParameters, load

SHORT = NSAParameters(tau_u=20, tau_v=30, duration_input=60, duration_free=40)


class Tape:
    """A random generator that plays what is written on it."""

    def __init__(self, luck):
        self.rows = iter(luck)

    def random(self, size):
        return np.broadcast_to(next(self.rows), size)


@pytest.mark.parametrize("n_rounds", [8, pytest.param(25, marks=pytest.mark.slow)])
def test_plays_as_the_papers_equations_written_by_hand(n_rounds):
    # Set minbandit-38, K = 10, a fixed tape of rewards and luck: equal choices, equal weights.
    parameters = load("minbandit-38").parameters
    tape = np.random.default_rng(7)
    luck, coins = tape.random((n_rounds, 3)), tape.random(n_rounds)
    wins = np.linspace(0.1, 0.9, 10)

    chosen = []
    network = NSANetwork(10, parameters, rng=Tape(luck))

    def pull(arms):
        reward = float(coins[len(chosen)] < wins[arms[0]])
        chosen.append(int(arms[0]))
        return np.array([reward])

    network.play(pull, n_rounds)

    w, expected = np.zeros(10), []
    for t in range(n_rounds):
        u, v = round_by_euler(w, parameters)
        arm = agreement(u, v, luck[t])
        w[arm] = learned(w[arm], float(coins[t] < wins[arm]), parameters)
        expected.append(arm)
    assert chosen == expected
    assert network.w[0] == pytest.approx(w, abs=1e-9)
    assert network.UV.w[:] == pytest.approx(w, abs=1e-9)
    if n_rounds == 25:
        assert len(set(chosen[-8:])) < len(set(chosen[:8]))  # the tape is long enough for it to have settled


def test_a_round_is_simultaneous_euler_steps_to_the_last_bits():
    network = NSANetwork(6, SHORT)
    network.w[0] = np.linspace(0, SHORT.w_max, 6)
    network.respond()
    u, v = round_by_euler(network.w[0].copy(), SHORT)
    assert network.u[0] == pytest.approx(u, abs=1e-14)
    assert network.v[0] == pytest.approx(v, abs=1e-14)


def test_settles_at_the_fixed_points_of_both_phases():
    # Long phases: phase 1 ends at u = phi_v(v) + I, v = Phi_v(w) phi_u(u); the free phase at the same with I = 0.
    p = SHORT.replace(duration_input=1000, duration_free=1000)
    network = NSANetwork(2, p)
    network.w[0] = [0.0, p.w_max]
    decision = network.decide()
    value = gaussian_sigmoid(network.w[0], p.beta_v, p.alpha_v, p.mu_v, p.sigma_v, p.r_v)
    for step, current in ((1000, p.I_ext), (2000, 0.0)):
        u, v = decision.u[step], decision.v[step]
        assert u == pytest.approx(sigmoid_response(v, p.gain_v, p.offset_v, p.threshold_v) + current, abs=1e-9)
        assert v == pytest.approx(value * sigmoid_response(u, p.gain_u, p.offset_u, p.threshold_u), abs=1e-9)
    assert decision.u[2000, 0] < 1e-6  # an untrained option's activity dies
    assert decision.u[2000, 1] > 0.9  # a trained one's persists


def test_decide_returns_the_course_from_rest_and_learns_nothing():
    network = NSANetwork(3, SHORT, seed=0)
    network.w[0] = [0, SHORT.w_max, 0]
    before = network.w.copy()
    decision = network.decide()
    assert (decision.arm, decision.agreed) == (1, True)
    assert decision.u.shape == decision.v.shape == (101, 3)
    assert decision.t[-1] == pytest.approx(0.1)
    assert (decision.u[0] == 0).all()
    assert decision.u[1] == pytest.approx(1.0 * SHORT.I_ext / SHORT.tau_u)  # one Euler step of 1 ms from rest
    assert decision.u[-1] == pytest.approx(network.u[0])
    assert (network.w == before).all()


def test_games_side_by_side_do_not_touch_each_other():
    together = NSANetwork(3, SHORT, n_games=2)
    together.w[:] = [[0.0, 1.0, 2.0], [4.0, 3.0, 0.5]]
    together.respond()
    for game in range(2):
        alone = NSANetwork(3, SHORT)
        alone.w[0] = together.w[game]
        alone.respond()
        assert (alone.u[0] == together.u[game]).all()
        assert (alone.v[0] == together.v[game]).all()


def test_one_run_plays_a_game_as_round_by_round_does(monkeypatch):
    rewards = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0]
    stepwise = NSA(4, SHORT, "network", seed=5)
    arms = []
    for reward in rewards:
        arms.append(stepwise.select_arm())
        stepwise.update(arms[-1], reward)

    runs, run = [], Network.run
    monkeypatch.setattr(Network, "run", lambda self, *args, **kwargs: (runs.append(1), run(self, *args, **kwargs)))
    whole, tape, played = NSANetwork(4, SHORT, seed=5), iter(rewards), []
    whole.play(lambda chosen: (played.append(int(chosen[0])), np.array([next(tape)]))[1], len(rewards))
    assert len(runs) == 1
    assert played == arms
    assert (whole.w == stepwise.engine.w).all()


def test_monitors_record_any_variable_at_their_own_step(with_and_without_compiler):
    network = NSANetwork(3, SHORT, record=["u", "phi_v", "w", "Phi_eta"], record_dt=10 * ms)
    network.play(lambda arms: np.ones(1), 2)
    assert network.monitors["u"].u.shape == (3, 20)
    assert network.monitors["phi_v"].phi_v.shape == (3, 20)
    assert network.monitors["w"].w[:, -1].max() > 0 == network.monitors["w"].w[:, 0].max()
    assert network.monitors["Phi_eta"] is network.monitors["w"]
    with pytest.raises(ValueError, match="cannot record 'x'; U, V and UV have I, "):
        NSANetwork(3, SHORT, record=["x"])


def test_brian2s_report_is_passed_through():
    heard = []
    network = NSANetwork(3, SHORT)
    network.play(
        lambda arms: np.ones(1), 2, report=lambda elapsed, done, start, duration: heard.append((done, duration))
    )
    assert heard[-1][0] == 1.0
    assert heard[-1][1] / ms == pytest.approx(200)


def test_is_made_of_named_brian2_objects_with_diagonal_synapses(without_compiler):
    network = NSANetwork(4, SHORT, name="mine")
    assert isinstance(network.U, NeuronGroup)
    assert isinstance(network.UV, Synapses)
    for synapses in (network.UV, network.VU):
        assert synapses.i[:].tolist() == synapses.j[:].tolist() == [0, 1, 2, 3]
    assert all(obj.name.startswith("mine_") for obj in network.network.objects)
    extra = StateMonitor(network.V, "v", record=[0], name="extra")
    network.network.add(extra)
    network.respond()
    assert extra.v.shape == (1, network.round_steps)


@pytest.mark.parametrize("method", mostly_slow(["rk2", "rk4", "exponential_euler"], "rk2"))
def test_other_methods_converge_in_the_first_order(method, with_and_without_compiler):
    # What the synapses sum up stands still within a step, whatever the method.
    smooth = SHORT.replace(gain_u=4, gain_v=4, threshold_u=-1, threshold_v=-1)
    exact = np.array(round_by_euler(np.array([0.0, 2.5, 4.5]), smooth, dt=0.005))
    errors = []
    for dt in (2, 1, 0.5):
        network = NSANetwork(3, smooth, method=method, dt=dt * ms)
        network.set_weights(np.array([0.0, 2.5, 4.5]))
        network.respond()
        errors.append(np.abs(network.activity[:, 0] - exact).max())
    assert errors[0] / errors[1] == pytest.approx(2, abs=0.3)
    assert errors[1] / errors[2] == pytest.approx(2, abs=0.3)


def test_leaves_the_users_preferences_and_device_alone():
    before, device = brian2.prefs.as_file, brian2.get_device()
    NSANetwork(3, SHORT).respond()
    assert brian2.prefs.as_file == before
    assert brian2.get_device() is device


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_arms": 1}, "n_arms must be a whole number from 2 up, got 1"),
        ({"n_games": 0}, "n_games must be a whole number from 1 up, got 0"),
        ({"ties": "last"}, "ties must be one of random, first, got 'last'"),
        ({"tolerance": -1}, "tolerance must be a number from 0 up, got -1"),
        ({"dt": 50 * ms}, "at least dt = 50 ms with method euler, got 20 ms"),
        ({"dt": 50 * ms, "method": "rk4"}, "at least dt = 50 ms with method rk4, got 20 ms"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        NSANetwork(**{"n_arms": 3, "parameters": SHORT, **options})


@pytest.mark.slow
def test_a_constant_that_is_changed_between_runs_counts_from_the_first_step_on():
    changed, usual = NSANetwork(3, SHORT, name="changed"), NSANetwork(3, SHORT.replace(tau_u=40), name="usual")
    changed.respond()  # calls the code of the first run directly
    changed.U.namespace["tau_u"] = 40 * ms
    for network in (changed, usual):
        network.w[0] = [0.0, 0.4, 0.8]
        network.respond()
    assert (changed.u == usual.u).all()
    assert (changed.v == usual.v).all()


def test_objects_run_their_code_without_detours_from_the_second_step_on():
    network = NSANetwork(3, SHORT)
    updater, seen = network.U.state_updater, []
    network.network.add(brian2.NetworkOperation(lambda: seen.append("run" in vars(updater)), clock=network.U.clock))
    network.respond()
    assert seen == [False] + [True] * 99
