"""kill -9 at random moments of all commands that write, and then the same command again."""

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

GAMES = "--agents random,ucb1,nsa --rounds 300 --repetitions 4 --workers 2 --json --out o"

#: Commands that take some seconds, each with the kills that it is shown with; 62 in all.
KILLED = {
    "play": (f"play {GAMES} --rounds 3000", 8),
    "table": (f"table {GAMES} --envs MAB-P,MAB-D --arms 5,20", 10),
    "standings": (f"standings {GAMES} --envs MAB-P,switching --arms 5,20", 8),
    "tune": ("tune --preset quick --policies epsilon-greedy,d-ucb,vdbe --workers 2 --json --out o", 6),
    "evolve, one run": (
        "evolve --preset paper-quick --population 8 --rounds 60 --generations 6 --workers 2 --stagnation 1 "
        "--restarts 1 --json --out o",
        12,
    ),
    "evolve, in stages": (
        "evolve --look 1100 --rungs 3x3x1,1x4x2 --population 8 --envs MAB-P --arms 3 --rounds 40 --workers 2 --json "
        "--out o",
        12,
    ),
    "report": ("report --preset quick --workers 2 --json --out o", 6),
}


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def processes(folder):
    """Processes, ours and our workers', that were started in a folder."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if Path(os.readlink(f"/proc/{pid}/cwd")) == folder and int(pid) != os.getpid():
                found.append(pid)
        except OSError:
            continue
    return found


@pytest.mark.slow
@pytest.mark.skipif(not os.path.isdir("/proc"), reason="looks for orphans in /proc")
@pytest.mark.parametrize("name", KILLED)
def test_goes_on_to_the_same_bytes_without_orphans_or_stray_files(name, nsa_process, tmp_path):
    """Killed several times on the way to each end, at moments from the first import to the last file."""
    line, kills = KILLED[name]
    words = nsa_process.words(*line.split())
    rng, (straight, folder) = random.Random(name), (tmp_path / "straight", tmp_path / "killed")
    straight.mkdir()
    began = time.monotonic()
    expected = subprocess.run(words, cwd=straight, capture_output=True, text=True)
    lasts = time.monotonic() - began
    assert expected.returncode == 0, expected.stderr
    done = 0
    while done < kills:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for _ in range(min(2, kills - done)):  # one kill, and another one of the run that goes on
            process = subprocess.Popen(
                words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
            )
            time.sleep(rng.uniform(0.1, lasts))
            process.send_signal(signal.SIGKILL)  # it alone: its workers must see that it is gone
            process.wait()
            done += 1
            _wait_until(lambda: not processes(folder))
        again = subprocess.run(words, cwd=folder, capture_output=True, text=True)
        assert again.returncode == 0, again.stderr
        assert again.stdout == expected.stdout
        assert contents(folder) == contents(straight)
        _wait_until(lambda: not processes(folder))


def _wait_until(true, seconds=30):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)
