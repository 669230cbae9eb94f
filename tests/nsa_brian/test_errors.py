"""What is offered to who mistypes a name."""

import pytest

from nsa_brian.errors import closest


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
