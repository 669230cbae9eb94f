"""Values of a model's inputs: ``--input NAME=FILE.csv``, read once, checked, part of a result's identity."""

import hashlib
import json

import numpy as np
import pytest

from evolution import FitnessGames, scores
from experiments import results
from experiments.core.functions import holds_for, refusal
from experiments.core.model_inputs import perturbed
from experiments.core.nsa_agents import with_noise
from experiments.core.settings import PlaySettings
from experiments.studies.decision.rates import decide
from experiments.studies.play import figure
from nsa_brian import Input, Model, NSAParameters, ParameterSet, Population, load_model

MODELS = """
from nsa_brian import Input, Model

RATE = "du/dt = (-u + I_u + I - 3 * light{noise}) / tau_u : 1"
OPTION = Model(name="option", inputs=Input("light"), rate_u=RATE)
GAME = Model(name="game", inputs=Input("light", per="game"), rate_u=RATE)
"""
SHORT = NSAParameters(tau_u=12, tau_v=16, duration_input=80, duration_free=80)
GAME = Model(name="game", inputs=Input("light", per="game"), rate_u="du/dt = (-u + I_u + I - 3 * light) / tau_u : 1")

PLAY = ["play", "--arms", "3", "--trials", "1", "--rounds", "20", "--repetitions", "2", "--agents", "nsa,random"]
PLAY += ["--no-figures", "--parameters", "short.json"]
EVOLVE = ["evolve", "--preset", "paper-quick", "--population", "4", "--rounds", "10", "--arms", "3", "--envs", "MAB-P"]
EVOLVE += ["--no-figures", "--quiet", "--model", "models.py:GAME", "--input", "light=game.csv", "--out", "s"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with two models, a parameter file and files of values."""
    monkeypatch.chdir(tmp_path)
    files = {
        "models.py": MODELS,
        "short.json": json.dumps(SHORT.to_dict()),
        "game.csv": "0\n" * 5 + "1\n" * 10,
        "option.csv": "a,b,c\n" + "0,0,0\n" * 5 + "1,1,1\n" * 10,
        "words.csv": "1,2,3\n1,x,3\n",
        "ragged.csv": "1,2,3\n1,2\n",
        "nan.csv": "nan,1,2\n",
        "header.csv": "a,b,c\n",
        "two.csv": "0,0\n1,1\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\x00")
    return tmp_path


@pytest.fixture
def outcome(nsa, without_compiler):
    """Run nsa play without a compiler, which takes longer than these games; what it says in JSON."""
    return lambda *words: json.loads(nsa(*PLAY, *words, "--json"))


def test_values_for_options_and_for_the_game_are_the_same_game(outcome):
    silenced = outcome("--model", "models.py:GAME", "--input", "light=game.csv")
    each = outcome("--model", "models.py:OPTION", "--input", "light=option.csv")
    untouched = outcome("--model", "models.py:GAME")
    assert silenced["agents"] == each["agents"] != untouched["agents"]
    assert silenced["agents"]["random"] == untouched["agents"]["random"]


def test_values_are_part_of_a_results_identity(outcome, folder):
    words = ["--model", "models.py:GAME", "--input", "light=game.csv"]
    first = outcome(*words)
    digest = hashlib.sha256((folder / "game.csv").read_bytes()).hexdigest()[:16]
    assert first["settings"]["inputs"] == {"game.csv": digest}
    assert first["settings"]["input_files"] == {"light": "game.csv"}
    (folder / "game.csv").write_text("1\n" * 20)
    second = outcome(*words)
    assert second["files"]["results"] != first["files"]["results"]
    assert "input_files" not in outcome("--model", "models.py:GAME")["settings"]


@pytest.mark.slow
def test_workers_are_sent_the_values(outcome, workers_at_hand):
    words = ["--model", "models.py:GAME", "--input", "light=game.csv"]
    assert outcome(*words, "--workers", "2") == outcome(*words)


def test_results_show_the_rounds_that_were_perturbed_where_the_file_is_gone(outcome, folder):
    path = outcome("--model", "models.py:GAME", "--input", "light=game.csv")["files"]["results"]
    (folder / "game.csv").unlink()
    found = results.load(path)
    assert figure.perturbed_rounds(found) == {"light": [(5, 15)]}
    axes = figure.draw(found).axes
    assert [text.get_text() for text in axes[0].texts] == [" light = 1"]
    assert all(len(ax.collections) == 1 for ax in axes)
    assert np.array_equal(found.inputs["light"][:, 0], [0] * 5 + [1] * 10)


def test_stretches_of_rounds_in_which_an_input_differs():
    table = np.array([[1, 0], [0, 0], [0, 0], [0, 2], [3, 0]])
    assert perturbed(table, 0) == [(0, 1), (3, 5)]
    assert perturbed(table, 1) == [(0, 5)]
    assert perturbed(np.zeros((4, 1)), 0) == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["light=none.csv"], "input light: none.csv does not exist"),
        (["light=."], "input light: . is not a file"),
        (["light=words.csv"], "words.csv is not a table of finite numbers: it has 'x' in line 2"),
        (["light=nan.csv"], "nan.csv is not a table of finite numbers: it has 'nan' in line 1"),
        (["light=bytes.csv"], "bytes.csv is not a table of numbers"),
        (["light=ragged.csv"], "ragged.csv has 3 columns, but 2 in line 2"),
        (["light=header.csv"], "header.csv contains no numbers"),
        (["light=two.csv"], "input light: two.csv has 2 columns, but 3 arms need one each"),
        (["ligth=option.csv"], "the model option has no input 'ligth'; did you mean light?"),
        (["zebra=option.csv"], "the model option has no input 'zebra'; known: light"),
        (["light=option.csv", "light=two.csv"], "--input: light is given twice"),
        (["light"], "--input takes NAME=FILE.csv, got 'light'"),
        (["=option.csv"], "--input takes NAME=FILE.csv"),
    ],
)
def test_bad_values_are_refused_in_a_line(given, said, refused, folder):
    words = [word for each in given for word in ("--input", each)]
    assert said in refused(*PLAY, "--model", "models.py:OPTION", *words, cwd=folder)


def test_models_without_inputs_refuse_values(refused, folder):
    assert "the model paper has no inputs" in refused(*PLAY, "--input", "light=option.csv", cwd=folder)
    words = ["play", "--agents", "random", "--input", "light=option.csv"]
    assert "no agent is nsa" in refused(*words, cwd=folder)
    several = ["--model", "models.py:GAME", "--input", "light=option.csv"]
    assert "option.csv has 3 columns, but an input per game needs one" in refused(*PLAY, *several, cwd=folder)


@pytest.mark.parametrize("command", ["table", "evolve", "report"])
def test_several_numbers_of_arms_need_an_input_of_the_game(command, refused, folder):
    words = [command, "--preset", "quick", "--model", "models.py:OPTION", "--input", "light=option.csv"]
    assert "option.csv has 3 columns, but" in refused(*words, cwd=folder)


@pytest.mark.slow
def test_a_study_takes_values_of_the_game_for_any_arms(nsa, folder):
    words = [
        "table",
        "--preset",
        "quick",
        "--envs",
        "MAB-P",
        "--arms",
        "3,4",
        "--rounds",
        "10",
        "--agents",
        "nsa,random",
    ]
    words += ["--model", "models.py:GAME", "--parameters", "short.json", "--no-figures", "--json"]
    plain, told = json.loads(nsa(*words)), json.loads(nsa(*words, "--input", "light=game.csv"))
    assert told["settings"]["input"] == ["light=game.csv"]
    assert list(told["settings"]["inputs"]) == ["game.csv"]
    assert "input" not in plain["settings"]
    assert told["files"]["results"] != plain["files"]["results"]


def test_a_search_is_not_resumed_with_other_values(nsa, refused, folder):
    nsa(*EVOLVE, "--generations", "1")
    resume = ["evolve", "--resume", "s", "--generations", "2", "--no-figures", "--quiet"]
    old = (folder / "game.csv").read_text()
    (folder / "game.csv").write_text("1\n")
    changed = "nsa evolve: error: game.csv has changed since the search in s began: restore it"
    assert refused(*resume, cwd=folder).startswith(changed)
    assert refused(*EVOLVE, "--generations", "2", cwd=folder).startswith(changed)
    (folder / "renamed.csv").write_text(old)
    nsa(*resume, "--input", "light=renamed.csv")
    assert json.loads((folder / "s" / "best.json").read_text())["evolve"]["input"] == ["light=renamed.csv"]


def test_games_of_a_search_have_inputs():
    shared = {"envs": ("MAB-P",), "arms": (3,), "iterations": 2, "trials": 1, "rounds": 20, "model": GAME}
    games = FitnessGames(**shared, inputs={"light": np.ones(20)})
    assert FitnessGames.from_dict(json.loads(json.dumps(games.to_dict()))) == games
    assert "inputs" not in FitnessGames(**shared).to_dict()
    assert scores(games, (0,), [SHORT]).reward != scores(FitnessGames(**shared), (0,), [SHORT]).reward
    with pytest.raises(ValueError, match="the model game has no input 'lit'"):
        FitnessGames(**shared, inputs={"lit": np.ones(20)})


def test_a_decision_is_told_the_values_of_its_round(folder, without_compiler):
    settings = PlaySettings(
        arms=3, trials=1, rounds=20, repetitions=1, agents=("nsa",),
        nsa=ParameterSet(SHORT, model=GAME), input_files={"light": "game.csv"},
    )  # fmt: skip
    assert decide(settings, 0)["u"].max() > 0.5
    lit = decide(settings, 7)
    assert lit["u"].max() <= 0
    assert lit["input_on"].tolist() == [[0, 0.08]]
    assert lit["end"] == pytest.approx(0.16)


def test_why_a_model_has_no_response_to_a_weight():
    noisy = Population("pool", "dp/dt = (-p + u_u + xi) / (10*ms) : 1".replace("xi", "x"), per="game", normal=("x",))
    rate = "du/dt = (-u + I_u + I - 0.2 * p_pool) / tau_u : 1"
    assert "draw random numbers" in refusal(Model(name="noisy", rate_u=rate, populations=noisy))
    assert "its neurons spike" in refusal(load_model("spiking"))
    assert refusal(GAME) == ""
    assert holds_for(GAME, 5) == "any number of arms; light = 0"


def test_noise_is_for_the_rates_of_u_and_v():
    with pytest.raises(
        ValueError, match="noise needs the rate equations of U and V, but the model spiking replaces U and V"
    ):
        with_noise(ParameterSet(SHORT, model=load_model("spiking")), 0.1)
