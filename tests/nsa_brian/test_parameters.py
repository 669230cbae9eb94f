"""Parameters: checked at construction, frozen, to and from JSON."""

import dataclasses
import json
import math
import os
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsa_brian import PARAMETERS, NSAParameters, load, load_model
from nsa_brian.engines.table import Table
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


@pytest.mark.parametrize(("name", "s_v", "s_eta"), [("minbandit-38", 7.3, 8.8), ("minbandit-29", 5.5, 2.6)])
def test_the_gaussians_of_an_imported_set_are_the_records_to_the_last_digit(name, s_v, s_eta):
    # The record's own s stands in exp(-(x - mu)^2 / s).
    p = load(name).parameters
    assert (p.sigma_v, p.sigma_eta) == (math.sqrt(s_v / 2), math.sqrt(s_eta / 2))


@pytest.mark.parametrize(("name", "s"), [("minbandit-38", 8.8), ("minbandit-29", 2.6)])
def test_weights_of_an_imported_set_end_where_the_records_own_formula_leads_them(name, s):
    p, rewards = load(name).parameters, np.random.default_rng(0).random(2000) < 0.6
    engine = Table(2, p)
    w = 0.0
    for reward in rewards:
        engine.learn(np.array([0]), np.array([float(reward)]))
        sigmoid = p.r_eta / (1 + math.exp(-p.beta_eta * (w - p.alpha_eta)))
        w += (sigmoid + (1 - p.r_eta) * math.exp(-((w - p.mu_eta) ** 2) / s)) * (reward * p.w_max - w)
    assert engine.w[0, 0] == pytest.approx(w, rel=1e-13)


@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "1", None, True])
def test_only_finite_numbers(name, value):
    with pytest.raises(ValueError, match=f"parameter {name} must be .* got {value!r}"):
        NSAParameters(**{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("r_v", 1.2),
        ("r_eta", -0.1),
        ("tau_u", 0),
        ("w_max", 0),
        ("sigma_v", -1),
        ("sigma_v", 1e-170),
        ("sigma_eta", 1e200),
    ],
)
def test_outside_the_legal_domain(name, value):
    with pytest.raises(ValueError, match=f"parameter {name} must be a number .*, got {re.escape(str(value))}"):
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


DEEP = '{"name": ' + "[" * 100_000 + "]" * 100_000 + "}"


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("fifo", "cannot be read: not a regular file"),
        ("endless", "cannot be read: not a regular file"),
        ("long", "cannot be read: longer than 4 MB"),
        ("nested", "nested too deeply"),
        ("less nested", "nested too deeply"),
        ("digits", "not JSON"),
        ("bytes", "not JSON: it is not a text file"),
    ],
)
@pytest.mark.parametrize("read", [load, load_model])
def test_what_is_no_file_of_parameters_or_a_model_is_refused_in_one_line(tmp_path, read, kind, message):
    path = tmp_path / "odd.json"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "endless":
        path.symlink_to("/dev/zero")
    else:
        texts = {"long": " " * (5 << 20), "nested": DEEP, "less nested": "[" * 50 + "]" * 50, "digits": "1" * 5000}
        path.write_bytes(texts.get(kind, "\xff").encode("latin-1"))
    with pytest.raises(ValueError, match=f"odd.json: {message}") as told:
        read(path)
    assert len(str(told.value).splitlines()) == 1


@pytest.mark.parametrize("name", ["x" * 300, "x" * 300 + ".json", "nul\0.json"])
def test_a_name_that_no_file_can_have_is_refused(name):
    with pytest.raises(ValueError, match="no parameter set"):
        load(name)


def test_control_characters_in_names_are_shown_escaped(tmp_path):
    values = json.dumps(NSAParameters().to_dict())
    path = tmp_path / "a\x1b[2J.json"
    path.write_text('{"name": "b\\u001b[2J\\n", "note": "\\u0007", "parameters": ' + values + "}")
    assert load(path).name == "b\\x1b[2J\\n"
    assert load(path).note == "\\x07"
    assert ParameterSet.from_json(load(path).to_json()) == load(path)
    path.write_text(values)
    assert load(path).name == "a\\x1b[2J"
    path.write_text("{")
    with pytest.raises(ValueError, match="not JSON") as told:
        load(path)
    assert str(told.value).isprintable()


def test_an_unknown_set_is_answered_with_the_nearest():
    with pytest.raises(ValueError, match="did you mean minbandit-38"):
        load("minbandit38")


def test_parameters_show_themselves_in_notebooks():
    shown = NSAParameters(own={"b": 0.5})._repr_html_()
    assert shown.count("<tr>") == 23
    assert "<td>tau_u</td><td>179 ms</td>" in shown
    assert "<td>b</td><td>0.5</td>" in shown
