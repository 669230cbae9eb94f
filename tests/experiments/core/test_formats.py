"""Tables for other programs: names of users come out as they are, whatever they hold."""

import csv
import io
import json
import re

import pytest

import baselines
import envs
from experiments.core.formats import Entry, Grid, csv_text, latex_text, markdown_table, markdown_text
from nsa_brian.errors import printable

NAMES = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "a|b", "`x`", "a\nb", "<b>x</b>", "50%_of_$1"]
NAMES += [r"\input{x}", "x & y", "{#}", "~^", "**bold**", "[a](b)"]


@pytest.mark.parametrize("name", NAMES)
def test_csv_has_no_formulas_and_gives_names_back(name):
    text = csv_text([{"agent": name, "regret": -0.5, "paper": None}])
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    assert not row["agent"].startswith(("=", "+", "-", "@", "\t", "\r"))
    assert row["agent"].removeprefix("'") == printable(name)
    assert (row["regret"], row["paper"]) == ("-0.5", "")  # numbers stay numbers


@pytest.mark.parametrize("name", NAMES)
def test_markdown_shows_names_as_they_are_in_one_cell(name):
    *_, row = markdown_table(Grid("caption", ["bandit", "agent"], [[Entry(name), Entry("0.1", True)]])).splitlines()
    assert len(re.findall(r"(?<!\\)\|", row)) == 3
    assert not re.search(r"(?<!\\)[`*_\[\]$]|[<>]", markdown_text(name))
    assert row.endswith("| **0.1** |")


def test_latex_escapes_all_that_it_would_obey():
    assert latex_text(r"\a & 50% $ # _ { } ~ ^ | < >") == (
        r"\textbackslash{}a \& 50\% \$ \# \_ \{ \} \textasciitilde{} \textasciicircum{} \textbar{} "
        r"\textless{} \textgreater{}"
    )
    assert latex_text("a`[b]*") == r"a\textasciigrave{}{[}b{]}{*}"  # \\ before [ or * takes it for its own
    assert latex_text("a\nb") == r"a\textbackslash{}nb"


def test_a_users_names_are_escaped_in_all_files_of_a_study(nsa, tmp_path, monkeypatch):
    monkeypatch.setitem(envs.BANDITS, "=2+5|<i>_%", envs.BANDITS["MAB-P"])
    monkeypatch.setitem(baselines.POLICIES, "-a_`b`&c", baselines.POLICIES["random"])
    words = [
        "table",
        "--preset",
        "quick",
        "--envs==2+5|<i>_%",
        "--agents=-a_`b`&c,ucb1",
        "--arms",
        "3",
        "--rounds",
        "10",
    ]
    files = json.loads(nsa(*words, "--no-figures", "--json", cwd=tmp_path))["files"]
    text = {name: (tmp_path / path).read_text() for name, path in files.items() if name != "results"}
    rows = list(csv.DictReader(io.StringIO(text["csv"])))
    assert (rows[0]["env"], rows[0]["agent"]) == ("'=2+5|<i>_%", "'-a_`b`&c")
    assert r"| =2+5\|&lt;i&gt;\_% | -a\_\`b\`&amp;c |" in text["markdown"]
    assert (
        r"=2+5\textbar{}\textless{}i\textgreater{}\_\% & -a\_\textasciigrave{}b\textasciigrave{}\&c &" in text["latex"]
    )
