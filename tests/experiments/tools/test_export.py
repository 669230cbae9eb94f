"""``nsa export`` and ``nsa describe``: files, formats, and errors of one line."""

import json

import pytest
from exported import imports, run_here
from guide import RECIPES

from nsa_brian import load

pytestmark = pytest.mark.usefixtures("without_compiler")


@pytest.fixture
def folder(tmp_path):
    """A folder with a model, a parameter set of short rounds, and a file."""
    values = load().parameters.replace(tau_u=10, tau_v=12, duration_input=60, duration_free=60).to_dict()
    (tmp_path / "short.json").write_text(json.dumps({"name": "short", "parameters": values}))
    (tmp_path / "lateral.py").write_text(RECIPES["lateral.py"])
    (tmp_path / "there.py").write_text("mine")
    return tmp_path


def test_a_script_repeats_the_game_of_the_command_at_its_top(folder, nsa):
    options = ["--model", "lateral.py", "--parameters", "short.json", "--arms", "3", "--rounds", "4", "--seed", "5"]
    said = nsa("export", *options, "--out", "script.py", cwd=folder)
    text = (folder / "script.py").read_text("utf-8")
    assert f"{len(text.splitlines())} lines" in said
    assert imports(text) <= {"numpy", "brian2"}
    (command,) = [line.strip() for line in text.splitlines() if line.strip().startswith("nsa play")]
    played = json.loads(nsa(*command.split()[1:], "--json"))
    assert played["settings"]["engine"] == "network"
    found = run_here(text, folder)
    assert len(found["arms"]) == played["settings"]["trials"] * played["settings"]["rounds"] == 8
    assert sum(found["rewards"]) / 8 == played["agents"]["nsa"]["reward"]
    assert nsa("export", *options).endswith(text)  # after what the script printed


def test_a_file_is_replaced_only_if_asked_to(folder, nsa, refused):
    assert "there.py exists; --force replaces it" in refused("export", "--out", "there.py", cwd=folder)
    assert (folder / "there.py").read_text() == "mine"
    nsa("export", "--parameters", "short.json", "--out", "there.py", "--force", cwd=folder)
    assert "NeuronGroup" in (folder / "there.py").read_text()


@pytest.mark.parametrize(
    ("name", "suffix", "start"),
    [
        ("latex", "tex", "% needs"),
        ("markdown", "md", "## Model lateral"),
        ("html", "html", "<h2>"),
        ("svg", "svg", "<svg"),
    ],
)
def test_a_description_is_printed_or_written(folder, nsa, name, suffix, start):
    printed = nsa("describe", "--model", "lateral.py", "--format", name, cwd=folder)
    assert printed.startswith(start)
    nsa("describe", "--model", "lateral.py", "--format", name, "--out", f"d.{suffix}")
    assert (folder / f"d.{suffix}").read_text("utf-8") == printed


BAD = {
    "model": (["export", "--model", "nope"], "no model 'nope'"),
    "set": (["export", "--parameters", "evolvd"], "no parameter set 'evolvd'; did you mean evolved"),
    "bandit": (["export", "--env", "MAB-Q"], "no script has the bandit 'MAB-Q'; did you mean MAB-P"),
    "arms": (["export", "--arms", "1"], "arms must be a whole number from 2 up"),
    "rounds": (["export", "--rounds", "0"], "rounds must be a whole number from 1 up"),
    "dt": (["export", "--dt", "-1"], "dt must be a number of ms above 0"),
    "suffix": (["export", "--out", "a.txt"], "the file to write must be a .py file, got a.txt"),
    "folder": (["export", "--out", "no/a.py"], "no/a.py cannot be written: No such file or directory"),
    "format": (["describe", "--format", "pdf"], "--format must be one of latex, markdown, html, svg, got 'pdf'"),
    "standalone": (["describe", "--standalone"], "--standalone needs --format latex or html, got markdown"),
    "method": (["describe", "--method", "exact"], "method must be one of euler, rk2, rk4, got 'exact'"),
    "spikes": (["describe", "--model", "spiking", "--method", "rk4"], "the method must be euler"),
    "file": (["describe", "--out", "a.tex"], "the file to write must be a .md file, got a.tex"),
}


@pytest.mark.parametrize(("words", "message"), BAD.values(), ids=BAD)
def test_a_bad_request_is_one_clear_line_and_nothing_written(folder, refused, words, message):
    before = sorted(folder.iterdir())
    assert message in refused(*words, cwd=folder)
    assert sorted(folder.iterdir()) == before
