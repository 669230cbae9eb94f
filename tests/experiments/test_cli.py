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

from nsa_brian import NSAParameters, load
from nsa_brian.parameter_set import names

SHORT = NSAParameters(tau_u=20, tau_v=30, duration_input=60, duration_free=60).to_dict()
PLAY = ["play", "--arms", "4", "--trials", "1", "--rounds", "20", "--repetitions", "2"]


def nsa(*args, cwd, env=None):
    command = [sys.executable, "-m", "experiments", *args]
    return subprocess.run(
        command, cwd=cwd, env={**os.environ, **(env or {})}, capture_output=True, text=True, timeout=300
    )


@pytest.fixture
def short_file(tmp_path):
    path = tmp_path / "short.json"
    path.write_text(json.dumps(SHORT))
    return str(path)


def test_play_prints_a_table_and_writes_results_and_figure(tmp_path, short_file):
    done = nsa(*PLAY, "--parameters", short_file, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("MAB-P, 4 arms, 1 x 20 rounds, 2 games, seed 0; nsa: short")
    assert [line.split()[0] for line in lines[4:9]] == ["nsa", "thompson", "epsilon-greedy", "ucb1", "random"]
    results, figure = (tmp_path / line.split()[1] for line in lines[-2:])
    from experiments.core.results import load as load_results

    assert load_results(results).settings.arms == 4
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert "\033" not in done.stdout  # no bold in a file


def test_json_is_one_object_and_repeats_itself_whatever_the_company(tmp_path, short_file):
    alone = [nsa(*PLAY, "--agents", "nsa", "--parameters", short_file, "--json", cwd=tmp_path) for _ in range(2)]
    first, second = (json.loads(done.stdout) for done in alone)
    assert first == second
    found = first["agents"]["nsa"]
    assert set(found) == {"regret", "published_regret", "reward", "entropy", "fingerprint"}
    assert set(found["regret"]) == {"mean", "sd", "ci95"}
    assert first["settings"]["seed"] == 0
    assert first["versions"]["brian2"]
    company = nsa(
        *PLAY, "--agents", "random,nsa,ucb1", "--parameters", short_file, "--json", "--workers", "2", cwd=tmp_path
    )
    assert json.loads(company.stdout)["agents"]["nsa"] == found


def test_quiet_says_nothing_but_the_table(tmp_path):
    done = nsa(*PLAY, "--agents", "random", "--quiet", cwd=tmp_path)
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1].startswith("random")


def test_a_schedule_knows_its_arms(tmp_path):
    np.save(tmp_path / "s.npy", np.full((20, 3), 0.5))
    options = [
        "--env",
        "schedule",
        "--env-option",
        "table=s.npy",
        "--trials",
        "1",
        "--rounds",
        "20",
        "--agents",
        "random",
    ]
    done = nsa("play", *options, "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["settings"]["arms"] == 3


@pytest.mark.parametrize("env", ["switching", "reversal"])
def test_a_recorded_bandit_is_played_back_as_it_was(tmp_path, env):
    game = ["--trials", "2", "--rounds", "200", "--seed", "3"]
    players = ["--repetitions", "1", "--agents", "thompson,random", "--json"]
    done = nsa("record", "r.csv", "--env", env, *game, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    back = done.stdout.splitlines()[1].split()
    assert back[0] == "nsa"
    original = json.loads(nsa("play", "--env", env, *game, *players, cwd=tmp_path).stdout)
    again = json.loads(nsa(*back[1:], *players, cwd=tmp_path).stdout)
    assert again["agents"] == original["agents"]
    assert again["settings"]["arms"] == original["settings"]["arms"] == (2 if env == "reversal" else 10)


BAD_RECORD = {
    "no file": ([], "the following arguments are required: FILE.csv"),
    "suffix": (["r.txt"], "the file to write must be a .csv file, got r.txt"),
    "folder": (["nowhere/r.csv"], "nowhere/r.csv cannot be written: No such file or directory"),
    "env": (["r.csv", "--env", "needles"], "unknown bandit 'needles'; did you mean needle"),
    "rounds": (["r.csv", "--rounds", "0"], "rounds must be a whole number from 1 up, got 0"),
    "option": (["r.csv", "--env", "reversal", "--env-option", "block_low=0"], "1 <= block_low <= block_high"),
    "schedule": (["r.csv", "--env", "schedule", "--env-option", "table=two.csv"], "lasts 1 rounds"),
}


@pytest.mark.parametrize("case", BAD_RECORD)
def test_a_bad_recording_is_one_clear_line_and_nothing_written(tmp_path, case):
    options, message = BAD_RECORD[case]
    (tmp_path / "two.csv").write_text("0.5,0.5\n")
    done = nsa("record", *options, cwd=tmp_path)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert message in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["two.csv"]


def test_parameters_are_listed_shown_and_printed_as_a_file(tmp_path):
    listed = nsa("parameters", cwd=tmp_path).stdout
    assert all(name in listed for name in names())
    shown = nsa("parameters", "minbandit-29", cwd=tmp_path).stdout
    assert re.search(r"tau_v +τ_v +287 +ms +above 0 +5 to 300 \(log\) +time constant of population V", shown)
    (tmp_path / "copy.json").write_text(nsa("parameters", "minbandit-29", "--json", cwd=tmp_path).stdout)
    assert load(tmp_path / "copy.json") == load("minbandit-29")


def without(name):
    return {key: value for key, value in SHORT.items() if key != name}


BAD = {
    "unknown env": (["--env", "MAB-Q"], r"unknown bandit 'MAB-Q'; did you mean MAB-[PD]"),
    "unknown agent": (["--agents", "nsa,thomson"], "unknown agent 'thomson'; did you mean thompson"),
    "agent twice": (["--agents", "random,random"], "agent 'random' is named twice"),
    "no agent": (["--agents", ","], "no agent was named"),
    "one arm": (["--arms", "1"], "arms must be a whole number from 2 up, got 1"),
    "format": (["--format", "bmp"], "format must be one of png, pdf, svg, got 'bmp'"),
    "no rounds": (["--rounds", "0"], "rounds must be a whole number from 1 up, got 0"),
    "rounds abc": (["--rounds", "abc"], "argument --rounds: invalid int value: 'abc'"),
    "no workers": (["--workers", "0"], "workers must be a whole number from 1 up, got 0"),
    "negative seed": (["--seed", "-1"], "seed must be a whole number from 0 up, got -1"),
    "unknown engine": (["--engine", "warp"], "engine must be one of .*, got 'warp'"),
    "unknown ties": (["--ties", "last"], "ties must be one of random, first, got 'last'"),
    "env option": (["--env-option", "sd"], "--env-option takes KEY=VALUE, got 'sd'"),
    "env option name": (["--env-option", "colour=3"], "unknown setting 'colour' of MAB-P; known: mean, sd"),
    "env option owned": (["--env-option", "n_games=3"], "unknown setting 'n_games' of MAB-P"),
    "env option value": (["--env-option", "sd=wide"], "sd of MAB-P must be a finite number, got 'wide'"),
    "env option arms": (["--env-option", "n_arms=5"], "unknown setting 'n_arms'"),
    "memory": (["--arms", "1000000000000"], "not enough memory"),
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


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_clear_line_exit_code_2_and_nothing_written(tmp_path, case):
    options, message = BAD[case]
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
    before = sorted(tmp_path.rglob("*"))
    done = nsa("play", *options, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert re.search(message, done.stderr), done.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_help_answers_without_loading_brian2(tmp_path):
    code = "import sys; from experiments.cli import build_parser as b; b(); print('brian2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.strip() == "False"


def processes_of_group(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_stops_without_a_traceback_files_or_processes(tmp_path, workers):
    command = [sys.executable, "-m", "experiments", "play", "--agents", "thompson", "--arms", "1000"]
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


def test_a_parameter_file_made_from_a_shipped_set_and_changed_has_its_own_name(tmp_path):
    text = nsa("parameters", "minbandit-38", "--json", cwd=tmp_path).stdout
    (tmp_path / "mine.json").write_text(text)
    assert load(tmp_path / "mine.json").name == "minbandit-38"
    (tmp_path / "mine.json").write_text(text.replace('"tau_u": 179', '"tau_u": 180'))
    assert load(tmp_path / "mine.json").name == "mine"


def test_a_terminal_without_greek_letters_gets_question_marks(tmp_path):
    done = nsa("parameters", "minbandit-38", cwd=tmp_path, env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0, done.stderr
    assert "tau_u" in done.stdout
