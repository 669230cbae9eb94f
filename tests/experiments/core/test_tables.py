"""Tables on the terminal: within its width, and nothing is lost."""

import re

import pytest
from selection import mostly_slow

from experiments.core.tables import Table, terminal_width, text_table
from nsa_brian import PARAMETERS, load

WIDTHS = (40, 80, 100, 120)


def words(text):
    """All that a table says, without its lines."""
    return set(re.sub("[─\n]", " ", text).split())


@pytest.mark.parametrize("width", WIDTHS)
def test_parameters_fit_the_terminal_and_say_all(width, nsa, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    for said in (nsa("parameters", cwd=tmp_path), nsa("parameters", "evolved")):
        assert max(map(len, said.splitlines())) <= width
    meanings = [info.meaning for info in PARAMETERS.values()]
    assert words(" ".join([load("evolved").note, *meanings])) <= words(said)


def test_json_does_not_depend_on_the_width(nsa, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    assert nsa("parameters", "evolved", "--json", cwd=tmp_path) == load("evolved").to_json() + "\n"


def test_without_a_terminal_lines_have_at_most_120_columns(monkeypatch, nsa_process, tmp_path):
    monkeypatch.delenv("COLUMNS", raising=False)
    said = nsa_process("parameters", cwd=tmp_path).stdout
    assert 100 < max(map(len, said.splitlines())) <= 120


@pytest.mark.parametrize("width", WIDTHS[1:])
@pytest.mark.parametrize(
    "name",
    mostly_slow(["play", "table", "standings", "entropy", "decision", "noise", "tune", "updates"], "play", "table"),
)
def test_every_table_of_a_study_fits_or_is_divided_with_all_its_cells(name, width, done):
    for table in done[name][0].tables:
        text = table.text(width=width)
        assert max(map(len, text.splitlines())) <= width
        for row in table.rows:
            assert all(words(cell) <= words(text) for cell in row)


def test_a_table_that_fits_is_one_block_without_wrapping():
    text = text_table(["name", "value"], [["a", "1"], ["long name", "22"]], right=[1], width=40)
    assert text == "name       value\n─────────  ─────\na              1\nlong name     22"


def test_columns_that_do_not_fit_go_below_with_the_columns_that_name_the_rows():
    header = ["bandit", "agent", *(f"K={k}" for k in (5, 10, 50))]
    text = text_table(header, [["MAB-P", "nsa", "0.123 ±0.001"] + ["0.456 ±0.002"] * 2], right=range(2, 5), width=45)
    first, second = text.split("\n\n")
    assert first.splitlines()[0].split() == ["bandit", "agent", "K=5", "K=10"]
    assert second.splitlines()[0].split() == ["bandit", "agent", "K=50"]
    assert second.splitlines()[2].split() == ["MAB-P", "nsa", "0.456", "±0.002"]


def test_all_lines_of_a_bold_row_are_bold_and_names_cannot_command_the_terminal():
    table = Table("caption", ["name", "text"], [["a\x1b[2J\nb", "word " * 20]], bold=[0])
    *_, one, two, three = table.text(bold=True, width=50).splitlines()
    assert all(line.startswith("\033[1m") and line.endswith("\033[0m") for line in (one, two, three))
    assert r"a\x1b[2J\nb" in one


def test_the_width_of_the_terminal_is_asked_for(monkeypatch):
    monkeypatch.setenv("COLUMNS", "97")
    assert terminal_width() == 97
    monkeypatch.setenv("COLUMNS", "3")
    assert terminal_width() == 40
