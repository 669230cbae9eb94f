"""What is offered to who mistypes a name."""

import pytest

from nsa_brian import Model, Parameter
from nsa_brian.errors import ModelError, closest
from nsa_brian.model.reading import unit_of


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("tau_U", ["tau_v", "tau_u"], "tau_u"),
        ("mVs", ["MV", "mV"], "mV"),
        ("MVs", ["MV", "mV"], "MV"),
        ("evolvd", ["minbandit-38", "evolved"], "evolved"),
        ("xyz", ["tau_u", "tau_v"], ""),
        ("x", [], ""),
    ],
)
def test_the_nearest_name_is_found_and_capitals_decide_between_equals(name, known, meant):
    assert closest(name, known) == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        *[(text, "second") for text in ("s", "sec", "seconds", "Seconds")],
        *[("msec", "ms"), ("V", "volt"), ("volts", "volt"), ("A", "amp"), ("Ohm", "ohm"), ("S", "siemens")],
        *[("F", "farad"), ("hz", "Hz"), ("m", "metre"), ("1/s", "1/second"), ("mVs", "mV")],
    ],
)
def test_a_unit_as_others_write_it_is_answered_with_brian2s_name(written, meant):
    with pytest.raises(ModelError, match=f"unknown unit '{written}'; did you mean {meant}[?]$"):
        Model(parameters=(Parameter("x", 1, unit=written),))
    unit_of(meant)
