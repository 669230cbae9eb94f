"""What is taken out of a time step."""

import math

import numpy as np
import pytest
from brian2 import NeuronGroup

from nsa_brian.codegen.invariants import Invariants


def split(code, constant):
    group = NeuronGroup(1, "x : 1\ny : 1\na : 1\nb : 1", name="some_group")
    group._network = "none"  # it is only asked for its variables
    invariants = Invariants(constant)
    step = invariants.split(code, group.variables)
    return invariants.found, step


def run(code, **values):
    scope = {"exp": math.exp, "int": int, **values}
    exec(code, scope)
    return scope


@pytest.mark.parametrize(
    "code",
    [
        "y = x + a*(b - x)/b",
        "y = exp(-a*b)*x + exp(a)",
        "y = x*int(1/(1 + exp(-a*(x - b))) > 0.3)/(1 + exp(-a*(x - b)))",
        "_z = a*x\ny = _z + a*b",
    ],
)
def test_the_split_code_computes_the_same(code):
    invariants, step = split(code, {"a", "b"})
    for x, a, b in np.random.default_rng(0).random((20, 3)) + 0.1:
        values = {"x": x, "a": a, "b": b}
        known = {name: run(f"r = {expr}", **values)["r"] for name, expr in invariants.items()}
        assert run(step, **values, **known)["y"] == pytest.approx(run(code, **values)["y"], rel=1e-12)


def test_what_does_not_change_is_computed_once_and_what_repeats_is_computed_once():
    invariants, step = split("y = x*int(1/(1 + exp(-a*(x - b))) > 0.3)/(1 + exp(-a*(x - b)))", {"a", "b"})
    assert step.count("exp(") == 1
    assert set(invariants.values()) == {"-a", "-b"}


def test_nothing_constant_nothing_taken_out():
    invariants, step = split("y = x*(1 - x)", {"a"})
    assert invariants == {}
    assert step == "y = x*(1 - x)"
