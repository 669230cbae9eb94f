"""``nsa record``: a bandit written down and played back."""

import json

import pytest


@pytest.mark.parametrize("env", ["switching", pytest.param("reversal", marks=pytest.mark.slow)])
def test_a_recorded_bandit_is_played_back_as_it_was(tmp_path, env, nsa):
    game = ["--trials", "2", "--rounds", "200", "--seed", "3"]
    players = ["--repetitions", "1", "--agents", "thompson,random", "--json"]
    back = nsa("record", "r.csv", "--env", env, *game, cwd=tmp_path).splitlines()[1].split()
    assert back[0] == "nsa"
    original = json.loads(nsa("play", "--env", env, *game, *players))
    again = json.loads(nsa(*back[1:], *players))
    assert again["agents"] == original["agents"]
    assert again["settings"]["arms"] == original["settings"]["arms"] == (2 if env == "reversal" else 10)


BAD = {
    "no file": ([], "the following arguments are required: FILE.csv"),
    "suffix": (["r.txt"], "the file to write must be a .csv file, got r.txt"),
    "folder": (["nowhere/r.csv"], "nowhere/r.csv cannot be written: No such file or directory"),
    "env": (["r.csv", "--env", "needles"], "unknown bandit 'needles'; did you mean needle"),
    "rounds": (["r.csv", "--rounds", "0"], "rounds must be a whole number from 1 up, got 0"),
    "option": (["r.csv", "--env", "reversal", "--env-option", "block_low=0"], "1 <= block_low <= block_high"),
    "schedule": (["r.csv", "--env", "schedule", "--env-option", "table=two.csv"], "lasts 1 rounds"),
}


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD)
def test_a_bad_recording_is_one_clear_line_and_nothing_written(tmp_path, options, message, refused):
    (tmp_path / "two.csv").write_text("0.5,0.5\n")
    assert message in refused("record", *options, cwd=tmp_path)
