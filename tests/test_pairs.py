"""Two processes at once on one folder, for all pairs of commands that write there: nothing lost, nothing mixed."""

import itertools
import shutil
import subprocess

import pytest

GAMES = "--agents random,ucb1,thompson --rounds 300 --repetitions 3 --quiet --out o"

#: Commands that write to a folder, each in two sizes or with two seeds: with other settings, and with the same.
WRITE = {
    "play": f"play {GAMES}",
    "play, other": f"play {GAMES} --seed 1",
    "table": f"table {GAMES} --envs MAB-P --arms 5,20",
    "standings": f"standings {GAMES} --envs MAB-P,switching --arms 5",
    "tune": "tune --preset quick --policies epsilon-greedy --quiet --out o",
    "report": "report --preset quick --quiet --out o",
    "evolve": "evolve --preset paper-quick --population 8 --rounds 60 --generations 3 --quiet --out o",
    "evolve, other": "evolve --preset paper-quick --population 8 --rounds 60 --generations 3 --quiet --out o --seed 1",
    "evolution-figures": "evolution-figures o",
    "record": "record o/walk.csv --rounds 500 --quiet",
}
PAIRS = list(itertools.combinations_with_replacement(WRITE, 2))


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def alone(nsa_process, tmp_path_factory):
    """What each command writes by itself."""
    made = {}
    for name, line in WRITE.items():
        folder = tmp_path_factory.mktemp("alone")
        (folder / "o").mkdir()
        if name == "evolution-figures":
            shutil.copytree(made["evolve"] / "o", folder / "o", dirs_exist_ok=True)
        done = nsa_process(*line.split(), cwd=folder)
        assert done.returncode == 0, done.stderr
        made[name] = folder
    return made


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS, ids=" and ".join)
def test_two_at_once_leave_what_each_leaves_alone(pair, alone, nsa_process, tmp_path):
    (tmp_path / "o").mkdir()
    if "evolution-figures" in pair:
        shutil.copytree(alone["evolve"] / "o", tmp_path / "o", dirs_exist_ok=True)
    started = [
        subprocess.Popen(
            nsa_process.words(*WRITE[name].split()),
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in pair
    ]
    told = [process.communicate(timeout=300)[1] for process in started]
    codes = [process.returncode for process in started]
    assert not any("Traceback" in text for text in told)
    done = [name for name, code in zip(pair, codes, strict=True) if code == 0]
    for code, text in zip(codes, told, strict=True):
        if code:  # a folder has one search: the second is told so, while the first is at work or after it
            assert all(name.startswith("evolve") or name == "evolution-figures" for name in pair)
            assert code == 2
            assert "is in use by process" in text or "has --seed" in text
    expected = {}
    for name in done:
        expected |= contents(alone[name])
    assert done
    assert contents(tmp_path) == expected
