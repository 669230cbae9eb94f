"""The ``nsa`` command, end to end in processes of its own."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from selection import mostly_slow

from experiments.cli import main
from experiments.parser import build_parser
from experiments.registry import ENTRIES, GROUPS
from experiments.results import load as load_results
from nsa_brian import NSAParameters

SHORT = NSAParameters(tau_u=20, tau_v=30, duration_input=60, duration_free=60).to_dict()
PLAY = ["play", "--arms", "4", "--trials", "1", "--rounds", "20", "--repetitions", "2"]


@pytest.fixture
def short_file(tmp_path):
    path = tmp_path / "short.json"
    path.write_text(json.dumps(SHORT))
    return str(path)


def test_play_prints_a_table_and_writes_results_and_figure(tmp_path, short_file, nsa_process):
    done = nsa_process(*PLAY, "--parameters", short_file, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("MAB-P, 4 arms, 1 x 20 rounds, 2 games, seed 0; nsa: short")
    assert [line.split()[0] for line in lines[4:9]] == ["nsa", "thompson", "epsilon-greedy", "ucb1", "random"]
    results, figure = (tmp_path / line.split()[1] for line in lines[-2:])
    assert load_results(results).settings.arms == 4
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert "\033" not in done.stdout  # no bold in a file


def test_json_is_one_object_and_repeats_itself_whatever_the_company(tmp_path, short_file, nsa, workers_at_hand):
    options = ["--parameters", short_file, "--json"]
    first, second = (json.loads(nsa(*PLAY, "--agents", "nsa", *options, cwd=tmp_path)) for _ in range(2))
    assert first == second
    found = first["agents"]["nsa"]
    assert set(found) == {"regret", "published_regret", "reward", "entropy", "fingerprint"}
    assert set(found["regret"]) == {"mean", "sd", "ci95"}
    assert first["settings"]["seed"] == 0
    assert first["versions"]["brian2"]
    company = nsa(*PLAY, "--agents", "random,nsa,ucb1", *options, "--workers", "2")
    assert json.loads(company)["agents"]["nsa"] == found


def test_quiet_says_nothing_but_the_table(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    assert main([*PLAY, "--agents", "random", "--quiet"]) == 0
    told = capfd.readouterr()
    assert told.err == ""
    assert told.out.splitlines()[-1].startswith("random")


def test_a_schedule_knows_its_arms(tmp_path, nsa):
    np.save(tmp_path / "s.npy", np.full((20, 3), 0.5))
    options = ["--env", "schedule", "--env-option", "table=s.npy", "--trials", "1", "--rounds", "20"]
    said = nsa("play", *options, "--agents", "random", "--json", cwd=tmp_path)
    assert json.loads(said)["settings"]["arms"] == 3


def without(name):
    return {key: value for key, value in SHORT.items() if key != name}


BAD = {
    "unknown env": (["--env", "MAB-Q"], r"unknown bandit 'MAB-Q'; did you mean MAB-[PD]"),
    "unknown agent": (["--agents", "nsa,thomson"], "unknown agent 'thomson'; did you mean thompson"),
    "agent twice": (["--agents", "random,random"], "agent 'random' is given twice"),
    "no agent": (["--agents", ","], "--agents needs a value"),
    "one arm": (["--arms", "1"], "arms must be a whole number from 2 up, got 1"),
    "format": (["--format", "bmp"], "format must be one of png, pdf, svg, got 'bmp'"),
    "no rounds": (["--rounds", "0"], "rounds must be a whole number from 1 up, got 0"),
    "rounds abc": (["--rounds", "abc"], "--rounds takes whole numbers, got 'abc'"),
    "no workers": (["--workers", "0"], "workers must be a whole number from 1 up, got 0"),
    "negative seed": (["--seed", "-1"], "seed must be a whole number from 0 up, got -1"),
    "unknown engine": (["--engine", "warp"], "engine must be one of .*, got 'warp'"),
    "unknown ties": (["--ties", "last"], "ties must be one of random, first, got 'last'"),
    "first ties of a table": (
        ["--ties", "first", "--engine", "table"],
        "cannot play with ties 'first': .* rounds",
    ),
    "env option": (["--env-option", "sd"], "--env-option takes KEY=VALUE, got 'sd'"),
    "env option name": (["--env-option", "colour=3"], "unknown setting 'colour' of MAB-P; known: mean, sd"),
    "env option owned": (["--env-option", "n_games=3"], "unknown setting 'n_games' of MAB-P"),
    "env option value": (["--env-option", "sd=wide"], "sd of MAB-P must be a finite number, got 'wide'"),
    "env option arms": (["--env-option", "n_arms=5"], "unknown setting 'n_arms'"),
    "memory": (["--arms", "2000000000"], "not enough memory"),
    "too many arms": (["--arms", "1000000000000"], "arms must be at most 2147483647"),
    "parameters tau": (["--parameters", "tau.json"], "tau_u and tau_v must be at least dt = 1 ms .* got 0.5 ms"),
    "parameters long": (["--parameters", "long.json"], "a round may have 2147483647 time steps at most"),
    "parameters huge": (["--parameters", "huge.json"], "parameter tau_u must be a number above 0, got 1000"),
    "parameters missing": (["--parameters", "nowhere.json"], "no parameter set 'nowhere.json'"),
    "parameters not JSON": (["--parameters", "text.json"], "text.json: not JSON"),
    "parameters lack a name": (["--parameters", "lacks.json"], "missing parameter tau_u"),
    "parameters unknown name": (["--parameters", "unknown.json"], "unknown parameter 'tau_w'"),
    "parameters r_v": (["--parameters", "r_v.json"], "parameter r_v must be a number from 0 to 1, got 1.2"),
    "parameters NaN": (["--parameters", "nan.json"], "parameter w_max must be a number above 0, got nan"),
    "schedule range": (["--env", "schedule", "--env-option", "table=range.csv"], "from 0 to 1, got 1.5"),
    "schedule arms": (["--env", "schedule", "--arms", "3", "--env-option", "table=two.csv"], "has 2 arms .* 3 arms"),
    "schedule short": (["--env", "schedule", "--env-option", "table=two.csv"], "lasts 1 rounds"),
    "schedule missing": (["--env", "schedule"], "schedule needs the setting table"),
    "out": (["--out", "text.json/x"], "--out text.json/x cannot be written"),
}


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD)
def test_bad_input_is_one_clear_line_exit_code_2_and_nothing_written(tmp_path, options, message, refused):
    (tmp_path / "text.json").write_text("not JSON")
    (tmp_path / "lacks.json").write_text(json.dumps(without("tau_u")))
    (tmp_path / "unknown.json").write_text(json.dumps({**SHORT, "tau_w": 3}))
    (tmp_path / "r_v.json").write_text(json.dumps({"parameters": {**SHORT, "r_v": 1.2}}))
    (tmp_path / "nan.json").write_text(json.dumps({**SHORT, "w_max": float("nan")}))
    (tmp_path / "tau.json").write_text(json.dumps({**SHORT, "tau_u": 0.5}))
    (tmp_path / "long.json").write_text(json.dumps({**SHORT, "duration_input": 1e10}))
    (tmp_path / "huge.json").write_text(json.dumps({**SHORT, "tau_u": 10**400}))
    (tmp_path / "range.csv").write_text("0.5,1.5\n")
    (tmp_path / "two.csv").write_text("0.5,0.5\n")
    said = refused("play", *options, cwd=tmp_path)
    assert re.search(message, said), said


@pytest.mark.parametrize("study", ["table", "standings", "entropy", "updates", "decision"])
def test_every_study_refuses_first_ties_of_a_table(study, tmp_path, refused):
    options = ("--preset", "quick", "--ties", "first", "--engine", "table")
    assert "the engine table cannot play with ties 'first'" in refused(study, *options, cwd=tmp_path)


def test_first_ties_are_played_by_rounds_and_by_policies_whatever_the_engine(tmp_path, nsa):
    game = ("play", "--rounds", "5", "--repetitions", "1", "--ties", "first", "--no-figures", "--json")
    assert json.loads(nsa(*game, "--agents", "nsa", cwd=tmp_path))["settings"]["engine"] == "rounds"
    nsa(*game, "--agents", "random", "--engine", "table", cwd=tmp_path)


def test_bad_input_is_one_line_in_a_process_of_its_own_too(tmp_path, nsa_process):
    done = nsa_process("play", "--arms", "1", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "nsa play: error: arms must be a whole number from 2 up, got 1\n"


LOADED = """
import atexit, sys
atexit.register(lambda: print(sorted({'brian2', 'matplotlib', 'numpy'} & set(sys.modules))))
from experiments.cli import main
from experiments.parser import build_parser
from experiments.registry import ENTRIES
main()
"""


@pytest.mark.parametrize(
    ("words", "loaded"),
    [
        (["--help"], "[]"),
        (["table", "--help"], "['numpy']"),
        ([*PLAY, "--agents", "random,ucb1"], "['matplotlib', 'numpy']"),
    ],
    ids=["help", "help of a command", "baselines"],
)
def test_a_command_loads_what_it_needs(words, loaded, tmp_path):
    done = subprocess.run([sys.executable, "-c", LOADED, *words], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == loaded


def test_a_command_that_there_is_not_is_told(refused, tmp_path):
    assert "invalid choice: 'plya'" in refused("plya", cwd=tmp_path)


def processes_of_group(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("workers", [pytest.param("1", marks=pytest.mark.slow), "2"])
def test_ctrl_c_stops_without_a_traceback_files_or_processes(tmp_path, workers, nsa_process):
    command = nsa_process.words("play", "--agents", "thompson", "--arms", "1000")
    command += ["--repetitions", "50", "--workers", workers, "--out", str(tmp_path / "out")]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while not (tmp_path / "out").exists():  # it is made when the options are read
        time.sleep(0.05)
    time.sleep(2)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert not list(tmp_path.rglob("*.*"))
    for _ in range(100):  # Python's own helper process takes a moment to see that nobody needs it any more
        if not processes_of_group(process.pid):
            break
        time.sleep(0.1)
    assert not processes_of_group(process.pid)


def test_a_terminal_without_greek_letters_gets_question_marks(tmp_path, nsa_process):
    done = nsa_process("parameters", "minbandit-38", cwd=tmp_path, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0, done.stderr
    assert "tau_u" in done.stdout


@pytest.mark.parametrize("name", [entry.name for entry in ENTRIES])
def test_a_word_that_is_no_utf_8_is_one_line_in_every_command(name, nsa_process, tmp_path):
    """In processes of their own: Brian2 writes the words to its log when it is imported."""
    words = [*nsa_process.words(name), b"--out", b"b\xff"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    said = "nsa: error: names must be UTF-8, got 'b\\udcff'\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


def options_of(name):
    """All options of a command that take a value, and the empty word for a value by itself."""
    (commands,) = build_parser([name])._subparsers._group_actions
    actions = commands.choices[name]._actions
    names = [action.option_strings[0] for action in actions if action.option_strings and action.nargs is None]
    return ["", *(option for option in names if option != "--missed")]  # which takes any text


HUGE = ["x" * 100_000, "9" * 5000, "a b " * 2000, "'\"" * 3000, "a=" + "b," * 3000]


@pytest.mark.parametrize("huge", mostly_slow(HUGE, HUGE[0]))
@pytest.mark.parametrize("name", mostly_slow([entry.name for entry in ENTRIES], "play", "record", "table", "evolve"))
def test_an_error_line_repeats_80_characters_of_a_value(name, huge, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for option in options_of(name):
        with pytest.raises(SystemExit) as left:
            main([name, *([option] if option else []), huge])
        told = capsys.readouterr().err
        assert (left.value.code, told.count("\n")) == (2, 1), option
        assert len(told) < 800, option
        assert not any(part in told for part in (huge[:150], repr(huge)[:150])), option
    assert not list(tmp_path.iterdir())


def test_the_help_lists_every_command_once_under_its_group():
    lines = build_parser(()).format_help().splitlines()
    groups = [line.removesuffix(":") for line in lines if line.removesuffix(":") in GROUPS]
    assert groups == list(GROUPS)
    for entry in ENTRIES:
        (place,) = (i for i, line in enumerate(lines) if line.startswith(f"  {entry.name} "))
        assert next(line for line in reversed(lines[:place]) if line.endswith(":")) == f"{entry.group}:"
