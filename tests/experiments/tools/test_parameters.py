"""``nsa parameters``: sets to look at and to change."""

import json
import re

from evolution.checks import CHECKS
from nsa_brian import load
from nsa_brian.parameter_set import BEST, DEFAULT_SET, model_names, names


def test_parameters_are_listed_shown_and_printed_as_a_file(tmp_path, nsa, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    listed = nsa("parameters", cwd=tmp_path)
    assert all(name in listed for name in names())
    shown = nsa("parameters", "minbandit-29")
    assert re.search(r"tau_v +τ_v +287 +ms +above 0 +5 to 300 \(log\) +time constant of population V", shown)
    (tmp_path / "copy.json").write_text(nsa("parameters", "minbandit-29", "--json"))
    assert load(tmp_path / "copy.json") == load("minbandit-29")


def test_a_parameter_file_made_from_a_shipped_set_and_changed_has_its_own_name(tmp_path, nsa):
    text = nsa("parameters", "minbandit-38", "--json")
    (tmp_path / "mine.json").write_text(text)
    assert load(tmp_path / "mine.json").name == "minbandit-38"
    (tmp_path / "mine.json").write_text(text.replace('"tau_u": 179', '"tau_u": 180'))
    assert load(tmp_path / "mine.json").name == "mine"


def test_without_a_set_json_lists_all_and_names_the_best_known(tmp_path, nsa):
    found = json.loads(nsa("parameters", "--json", cwd=tmp_path))
    assert [each["name"] for each in found["sets"]] == [*names(), *model_names()]
    assert found["best"] == BEST in [*names(), *model_names()]
    assert found["default"] == DEFAULT_SET


def test_any_set_can_be_checked_as_a_search_checks_it(tmp_path, nsa):
    found = json.loads(nsa("parameters", "evolved", "--check", "--json", cwd=tmp_path))
    assert list(found["checks"]) == list(CHECKS)
    assert found["checks"]["silent-rest"] == {"value": 0.5, "met": False}
    assert found["checks"]["critical-weight"]["met"]
    assert found["checks"]["robust"]["value"] > 0
    shown = nsa("parameters", "--model", "spiking", "--check")
    assert re.search(r"critical-weight +not measured: its neurons spike", shown)
