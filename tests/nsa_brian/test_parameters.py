"""Parameters: checked at construction, frozen, to and from JSON."""

import dataclasses
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsa_brian import PARAMETERS, NSAParameters, load
from nsa_brian.parameter_set import ParameterSet, names

ranges = st.fixed_dictionaries({name: st.floats(*info.search) for name, info in PARAMETERS.items()})


def test_there_are_22():
    assert len(PARAMETERS) == 22


@given(ranges)
def test_everything_in_the_search_ranges_is_legal_and_survives_json(values):
    parameters = NSAParameters(**values)
    assert ParameterSet.from_json(ParameterSet(parameters).to_json()).parameters == parameters


def test_defaults_are_set_38():
    assert load("minbandit-38").parameters == NSAParameters()


@pytest.mark.parametrize("name", names())
def test_shipped_sets_lie_in_the_search_ranges(name):
    for info, value in load(name).parameters.items():
        assert info.search[0] <= value <= info.search[1], info.name


@pytest.mark.parametrize("name", names())
def test_shipped_sets_load_and_tell_where_they_come_from(name):
    chosen = load(name)
    assert chosen.name == name
    assert chosen.source


def test_the_gaussian_of_an_imported_set_is_the_records():
    # The record's own s stands in exp(-(x - mu)^2 / s), here 7.3 for the value function of set 38.
    assert 2 * load("minbandit-38").parameters.sigma_v ** 2 == pytest.approx(7.3, abs=1e-4)


@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "1", None, True])
def test_only_finite_numbers(name, value):
    with pytest.raises(ValueError, match=f"parameter {name} must be .* got {value!r}"):
        NSAParameters(**{name: value})


@pytest.mark.parametrize(
    ("name", "value"), [("r_v", 1.2), ("r_eta", -0.1), ("tau_u", 0), ("sigma_v", -1), ("w_max", 0)]
)
def test_outside_the_legal_domain(name, value):
    with pytest.raises(ValueError, match=f"parameter {name} must be a number .*, got {value}"):
        NSAParameters(**{name: value})


def test_replace_makes_a_copy_and_refuses_unknown_names():
    base = NSAParameters()
    assert base.replace(tau_u=20).tau_u == 20
    assert base.tau_u != 20
    with pytest.raises(ValueError, match="unknown parameter 'tau_w'; did you mean tau_"):
        base.replace(tau_w=20)


def test_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        NSAParameters().tau_u = 1


def test_a_bare_object_of_the_22_names_is_a_parameter_file(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(NSAParameters(tau_u=33).to_dict()))
    assert load(path).parameters.tau_u == 33
    assert load(path).name == "mine"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not JSON"),
        ("[1]", "JSON object"),
        ('{"parameters": 3}', "'parameters' must be a JSON object"),
        ('{"parameters": {}, "colour": "red"}', "unknown entry 'colour'"),
        ('{"parameters": {}, "name": 3}', "'name' must be a text, got 3"),
        ('{"tau_u": 3}', "missing parameters tau_v, "),
    ],
)
def test_a_bad_file_is_named_with_what_is_wrong(tmp_path, content, message):
    path = tmp_path / "bad.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=f"parameter file .*bad.json: .*{message}"):
        load(path)


def test_an_unknown_set_is_answered_with_the_nearest():
    with pytest.raises(ValueError, match="did you mean minbandit-38"):
        load("minbandit38")
