"""Schedules: tables of the user's own, and games recorded from other bandits."""

import os

import numpy as np
import pytest

import envs

TABLE = np.linspace(0, 1, 60 * 4).reshape(60, 4)


def test_schedule_plays_its_rows_and_ends():
    bandit = envs.make("schedule", None, table=TABLE[:3])
    assert (bandit.n_arms, bandit.horizon) == (4, 3)
    assert (bandit.probabilities[0] == TABLE[0]).all()
    bandit.step()
    bandit.step()
    assert (bandit.probabilities[0] == TABLE[2]).all()
    with pytest.raises(ValueError, match=r"has 3 rounds .* round 4 was asked for"):
        bandit.step()


@pytest.mark.parametrize("header", ["", "left,right\n", "\ufeff"])
def test_schedule_from_files(tmp_path, header):
    table = np.array([[0.1, 0.9], [0.5, 0.25]])
    np.save(tmp_path / "t.npy", table)
    (tmp_path / "t.csv").write_text(header + "0.1,0.9\n0.5,0.25\n")
    for name in ("t.npy", "t.csv"):
        assert (envs.make("schedule", 2, table=str(tmp_path / name)).table == table).all()


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[0.1, 1.2]], r"from 0 to 1, got 1.2 \(round 1, arm 1\)"),
        ([[0.1, np.nan]], "from 0 to 1, got nan"),
        ([[0.1], [0.2]], "at least 2 arms"),
        ([0.1, 0.2], "at least 2 arms"),
        (np.zeros((0, 3)), "at least 2 arms"),
        ("t.txt", "must be a .npy or .csv file, got t.txt"),
        ("missing.csv", "missing.csv: cannot be read: No such file"),
        ("empty.npy", "empty.npy: not a table of numbers"),
        ("archive.npy", "archive.npy: not a table of numbers but an archive"),
        ("words.csv", "words.csv: not a table of numbers"),
    ],
)
def test_bad_schedules(table, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.npy").touch()
    with open("archive.npy", "wb") as file:
        np.savez(file, np.zeros((2, 2)))
    (tmp_path / "words.csv").write_text("0.5,0.5\n0.5,half\n")
    with pytest.raises(ValueError, match=message):
        envs.make("schedule", None, table=table)


def huge_header(path):
    """A table of a terabyte, of which there is the first line only."""
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (1 << 35, 4)})


@pytest.mark.parametrize(
    ("name", "make", "message"),
    [
        ("fifo.csv", os.mkfifo, "cannot be read: not a regular file"),
        ("fifo.npy", os.mkfifo, "cannot be read: not a regular file"),
        ("endless.csv", lambda path: path.symlink_to("/dev/zero"), "cannot be read: not a regular file"),
        ("long.csv", lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_RDWR), 300 << 20), "longer than 256 MB"),
        ("wide.npy", lambda path: np.save(path, np.zeros((40 << 10, 1 << 10), np.int8)), "longer than 256 MB"),
        ("header.npy", huge_header, "not a table of numbers"),
        ("a\x1b[2J.csv", lambda path: path.write_text("x"), r"a\\x1b\[2J.csv must be a table"),
    ],
)
def test_what_is_no_file_of_a_schedule_is_refused_in_one_line(tmp_path, name, make, message):
    make(tmp_path / name)
    with pytest.raises(ValueError, match=message) as told:
        envs.make("schedule", table=tmp_path / name)
    assert str(told.value).isprintable()


@pytest.mark.parametrize("name", envs.BANDITS)
def test_a_recorded_schedule_plays_the_same_game_again_from_a_file(name, tmp_path):
    bandit = envs.make(name, 4, trial_rounds=20, **({"table": TABLE} if name == "schedule" else {}))
    (tmp_path / "recorded.csv").write_text(envs.to_csv(envs.record(bandit, 60, np.random.default_rng(8))))
    again = envs.make("schedule", table=tmp_path / "recorded.csv")
    bandit.reset(np.random.default_rng(8))
    again.reset(np.random.default_rng(8))
    for t in range(60):
        if t:
            bandit.step()
            again.step()
        assert (again.probabilities == bandit.probabilities).all()
        assert [again.pull(arm) for arm in range(4)] == [bandit.pull(arm) for arm in range(4)]


def test_a_schedule_is_recorded_from_one_game():
    with pytest.raises(ValueError, match=r"record\(\) needs a bandit with one game, got 3 games"):
        envs.record(envs.make("MAB-P", n_games=3), 10, np.random.default_rng(0))
    with pytest.raises(ValueError, match="n_rounds must be a whole number from 1 up, got 0"):
        envs.record(envs.make("MAB-P"), 0, np.random.default_rng(0))
