"""The strings say what the paper says."""

import math

import numpy as np
import pytest
from brian2 import Equations

from nsa_brian import Model, NSAParameters
from nsa_brian.model.expression import numpy_function
from nsa_brian.model.model import PAPER


def value_of(code, given, constants, **values):
    return float(numpy_function(code, given, constants)(**values))


def test_response_is_a_sigmoid_above_its_threshold_and_silent_below():
    constants = {"gain_u": 2.0, "offset_u": 0.5, "threshold_u": 0.4}
    at = lambda u: value_of("phi_u", PAPER.response_of("u"), constants, u=u)  # noqa: E731
    assert at(0.5) == pytest.approx(0.5)
    assert at(1.0) == pytest.approx(1 / (1 + math.exp(-1)))
    assert at(0.0) == 0.0  # 1 / (1 + e) = 0.27 is below the threshold


def test_response_at_its_threshold_is_silent():
    constants = {"gain_v": 1.0, "offset_v": 0.0, "threshold_v": 0.5}
    assert value_of("phi_v", PAPER.response_of("v"), constants, v=0.0) == 0.0


def test_gaussian_sigmoid_of_the_papers_figure():
    # beta = 10, alpha = mu = sigma = 1, r = 0.5: at w = 1 half a sigmoid's half and half a Gaussian's peak.
    constants = {"beta_v": 10.0, "alpha_v": 1.0, "mu_v": 1.0, "sigma_v": 1.0, "r_v": 0.5}
    at = lambda w: value_of("Phi_v", PAPER.function_of_weight("v"), constants, w=w)  # noqa: E731
    assert at(1.0) == pytest.approx(0.5 * 0.5 + 0.5)
    assert at(2.0) == pytest.approx(0.5 / (1 + math.exp(-10)) + 0.5 * math.exp(-0.5))


@pytest.mark.parametrize(("reward", "expected"), [(1, 1.0 + 0.25 * 3.0), (0, 1.0 - 0.25 * 1.0)])
def test_plasticity_moves_towards_w_max_or_zero_by_the_learning_rate(reward, expected):
    # r = 0 and w = mu: the learning rate is the Gaussian's peak, 1; with r = 0.5 and a flat sigmoid, 0.25 of it.
    constants = {"beta_eta": 1.0, "alpha_eta": 1.0, "mu_eta": 1e9, "sigma_eta": 1.0, "r_eta": 0.5, "w_max": 4.0}
    given = PAPER.function_of_weight("eta")
    assert value_of(PAPER.plasticity, given, constants, w=1.0, R=reward) == pytest.approx(expected)


def test_a_sigmoid_far_below_its_centre_is_zero_without_a_warning():
    constants = {"gain_u": 50.0, "offset_u": 50.0, "threshold_u": -1.0}
    with np.errstate(all="raise"):
        assert value_of("phi_u", PAPER.response_of("u"), constants, u=0.0) == 0.0


@pytest.mark.parametrize("rate", ["rate_u", "rate_v"])
def test_a_time_constant_without_a_unit_is_refused(rate):
    with pytest.raises(ValueError, match="units do not fit"):
        Model(**{rate: getattr(PAPER, rate).replace("tau_", "gain_")})


def test_the_numpy_function_follows_a_changed_string():
    given = Equations("Phi_eta = tanh(w) : 1")
    assert value_of("w + Phi_eta * R", given, {}, w=1.0, R=2.0) == pytest.approx(1 + 2 * math.tanh(1))


def test_parameters_names_are_exactly_those_the_equations_use():
    own = set(NSAParameters().to_dict())
    assert own <= PAPER.structure.used
