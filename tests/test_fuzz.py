"""All commands with random options and damaged files: an exit code, at most one line, nothing half written."""

import contextlib
import io
import os
import random
import shutil
import signal
import subprocess

import fuzzing
import pytest

from experiments.cli import main

#: Cases that once found something.
KNOWN = tuple((number, fuzzing.damaged_case) for number in (1417, 1458, 1761))
SHORT, LONG = 5, int(os.environ.get("NSA_FUZZ", "2000"))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Good files of every kind."""
    folder = tmp_path_factory.mktemp("corpus")
    here = os.getcwd()

    def nsa(*words, cwd=None):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            assert main([*map(str, words)]) == 0
        return out.getvalue()

    os.chdir(folder)
    try:
        fuzzing.corpus(folder, nsa)
    finally:
        os.chdir(here)
    return folder


def fuzz(numbers, files, tmp_path, seconds=4.0):
    findings = []
    for number in numbers:
        number, kind = number if isinstance(number, tuple) else (number, None)
        folder = tmp_path / str(number)
        shutil.copytree(files, folder, copy_function=_copy)
        done = fuzzing.case(number, folder, kind, seconds)
        if done.findings:
            findings.append(f"{number}: {' '.join(done.words)!r:.300}: {done.findings}")
        shutil.rmtree(folder, ignore_errors=True)
    assert not findings, "\n".join(findings)


def _copy(source, target):
    if os.path.isfile(source):
        shutil.copy(source, target)
    else:
        os.mkfifo(target)


def test_no_case_ends_in_a_traceback(files, tmp_path):
    fuzz([*KNOWN, *range(SHORT)], files, tmp_path, seconds=1.5)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_no_case_of_many_ends_in_a_traceback(part, files, tmp_path):
    fuzz(range(SHORT + part, LONG, 4), files, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(40))
def test_in_strange_environments(number, files, nsa_process, tmp_path):
    """In processes of their own: streams that are closed or full, no home, files that may not grow, signals."""
    rng = random.Random(number)
    folder = tmp_path / "f"
    shutil.copytree(files, folder, copy_function=_copy)
    words = fuzzing.damaged_case(rng, folder) if rng.random() < 0.3 else fuzzing.command_line(rng)
    streams = rng.choice(("", "2>&-", ">&-", ">/dev/full", "2>/dev/full", "<&- >&- 2>&-", "| true"))
    limit = rng.choice(("", "ulimit -f 8;", "ulimit -v 4000000;", "ulimit -n 40;", "trap '' XFSZ; ulimit -f 8;"))
    home = rng.choice((os.environ.get("HOME", "/"), "/proc/nowhere", "/dev/null", ""))
    process = subprocess.Popen(
        ["sh", "-c", f'{limit} "$@" {streams}', "sh", *nsa_process.words(*words)],
        cwd=folder,
        env={**os.environ, "HOME": home},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        _, told = process.communicate(timeout=rng.choice((0.3, 1, 2, 4, 8)))
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, rng.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)))
        _, told = process.communicate(timeout=60)
    assert "Traceback" not in told, (words, streams, limit, home)
    again = nsa_process("play", "--agents", "random", "--rounds", "10", "--out", "nsa-results", cwd=folder)
    assert again.returncode == 0, again.stderr
    assert not list(folder.rglob("*pwned*"))
